import { type Field, type Fields, fieldText } from '../../src/contract/fields/field.ts';
import { LOUDNESS_PROFILES } from '../../src/contract/fields/loudness-fields.ts';
import { OUTPUT_FIELDS } from '../../src/contract/fields/output-fields.ts';
import { TRACK_FIELDS, TRANSFORM_FIELDS } from '../../src/contract/fields/transform-fields.ts';
import { defined } from '../../src/kernel/defined.ts';
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
    ['fields/track', fieldTable(Object.fromEntries(ofTracks.map(asWritten)))],
    ['fields/loudness', profileTable()],
    ['fields/output', fieldTable(OUTPUT_FIELDS)],
  ]);
}

/** Returns a field as definitions have it: `duck_depth` is `depth` of a map that needs `under`. */
function asWritten([name, { onlyWith, ...field }]: [string, Field]): [string, Field] {
  const { group } = field;
  if (group === undefined) return [name, { ...field, ...defined({ onlyWith }) }];
  return [`${group}.${name.slice(group.length + 1)}`, field];
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
