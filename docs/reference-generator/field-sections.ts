import { type Fields, fieldText } from '../../src/contract/fields/field.ts';
import { OUTPUT_FIELDS } from '../../src/contract/fields/output-fields.ts';
import { TRANSFORM_FIELDS } from '../../src/contract/fields/transform-fields.ts';
import { code, table } from './markdown.ts';

/** Tables of the fields of transforms and outputs. */
export function fieldSections(): Map<string, string> {
  const { image, video, audio } = TRANSFORM_FIELDS;
  const added = Object.entries(video).filter(([name]) => !Object.hasOwn(image, name));
  return new Map([
    ['fields/image', fieldTable(image)],
    ['fields/video', fieldTable(Object.fromEntries(added))],
    ['fields/audio', fieldTable(audio)],
    ['fields/output', fieldTable(OUTPUT_FIELDS)],
  ]);
}

function fieldTable(fields: Fields): string {
  const rows = Object.entries(fields).map(([name, field]) => [code(name), fieldText(field)]);
  return table(['field', 'meaning'], rows);
}
