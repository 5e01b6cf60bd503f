import fc from 'fast-check';
import type { Editable, StyleVersion } from '../../src/contract/wire/style-version.ts';

/** A line of text, as in labels and names. */
const line: fc.Arbitrary<string> = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
  .filter((text) => text.isWellFormed() && !/[\x00-\x1f\x7f-\x9f]/.test(text));

const editable: fc.Arbitrary<Editable> = fc.record(
  {
    input_type: fc.constantFrom('text', 'color', 'image', 'video', 'font', 'audio'),
    stillcut: line,
    example_text: line,
    label: line,
    fonts: fc.array(line, { maxLength: 2 }),
    required: fc.boolean(),
    max_length: fc.integer({ min: 1, max: 100 }),
    width: fc.integer({ min: 1, max: 4096 }),
    height: fc.integer({ min: 1, max: 4096 }),
  },
  { requiredKeys: ['input_type', 'stillcut'] },
);

/** Any specification that a service may return. */
export const specArbitrary: fc.Arbitrary<StyleVersion> = fc.record({
  id: line,
  fonts: fc.array(line, { maxLength: 3 }),
  editables: fc.dictionary(
    line.filter((key) => key !== '__proto__'),
    editable,
    { maxKeys: 8 },
  ),
});
