import { type Field, type Fields, fieldText } from '../../src/contract/fields/field.ts';
import { LOUDNESS_PROFILES } from '../../src/contract/fields/loudness-fields.ts';
import { OUTPUT_FIELDS } from '../../src/contract/fields/output-fields.ts';
import { TRACK_FIELDS, TRANSFORM_FIELDS } from '../../src/contract/fields/transform-fields.ts';
import { code, table } from './markdown.ts';

/** Tables of the fields of transforms, tracks and outputs, and of the profiles of loudness. */
export function fieldSections(): Map<string, string> {
  const { image, video, audio } = TRANSFORM_FIELDS;
  const added = Object.entries(video).filter(([name]) => !Object.hasOwn(image, name));
  const ofTracks = Object.entries<Field>(TRACK_FIELDS).filter(([name]) => !Object.hasOwn(audio, name));
  return new Map([
    ['fields/image', fieldTable(image)],
    ['fields/video', fieldTable(Object.fromEntries(added))],
    ['fields/audio', fieldTable(audio)],
    [
      'fields/track',
      fieldTable(Object.fromEntries(ofTracks.map(([name, field]) => [writtenName(name, field), field]))),
    ],
    ['fields/loudness', profileTable()],
    ['fields/output', fieldTable(OUTPUT_FIELDS)],
  ]);
}

/** Returns the name of a field in definitions: `duck.depth` for `duck_depth`. */
function writtenName(name: string, { group }: Field): string {
  return group === undefined ? name : `${group}.${name.slice(group.length + 1)}`;
}

function profileTable(): string {
  const rows = Object.entries(LOUDNESS_PROFILES).map(([name, profile]) => {
    return [code(name), `${profile.target} LUFS`, `${profile.true_peak} dBTP`];
  });
  return table(['profile', 'target', 'true peak'], rows);
}

function fieldTable(fields: Fields): string {
  const rows = Object.entries(fields).map(([name, field]) => [code(name), fieldText(field)]);
  return table(['field', 'meaning'], rows);
}
