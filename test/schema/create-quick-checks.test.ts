import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Check } from '../../src/locate.ts';
import { createChecks } from '../../src/schema/create-checks.ts';
import { createQuickChecks } from '../../src/schema/create-quick-checks.ts';
import { holds } from '../../src/schema/holds.ts';
import type { StyleVersion } from '../../src/wire/style-version.ts';
import { specArbitrary } from '../support/spec-arbitrary.ts';

const nowhere = () => ({ span: { file: '', start: 0, end: 0 } });
const isWell = (check: Check, document: unknown): boolean => check(document, nowhere).length === 0;

/** What may stand anywhere in a definition, right or wrong: most of what a schema can be particular about. */
const value: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(
    '',
    'Hello',
    '#EEADA7',
    'EEADA7FF',
    './a.png',
    'https://a.example/b',
    'ftp://a.example/b',
    'a:b',
    '😀😀',
  ),
  fc.constantFrom(0, 0.5, 1, -1, 2, 300, Number.NaN, Number.POSITIVE_INFINITY, true, false, null, undefined),
  fc.constantFrom('cover', 'contain', 'manual', 'fill', 'mp4', 'gif', 'high', 'Inter-Regular'),
  fc.string({ unit: 'binary', maxLength: 40 }),
);
const FIELDS = [
  ...[
    'source',
    'source',
    'text',
    'remote_url',
    'font',
    'transform',
    'crop_strategy',
    'crop_x',
    'crop_y',
    'crop_width',
    'crop_height',
  ],
  ...['focus_x', 'focus_y', 'background', 'volume', 'loop', 'fade_in', 'fade_out', 'trim_start_time', 'trim_end_time'],
  ...['format', 'height', 'fps', 'quality', 'other'],
];
const record = (fields: readonly string[], of: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.dictionary(fc.constantFrom(...fields), of, { maxKeys: 5 });
const deep = fc.oneof(
  { weight: 4, arbitrary: value },
  { weight: 2, arbitrary: record(FIELDS, value) },
  { weight: 2, arbitrary: record(FIELDS, fc.oneof(value, record(FIELDS, value))) },
  { weight: 1, arbitrary: fc.array(value, { maxLength: 3 }) },
);

function definition({ editables }: StyleVersion): fc.Arbitrary<unknown> {
  const right = Object.entries(editables).map(([key, { input_type: kind }]) => {
    const fitting = { text: 'H', color: 'EEADA7', font: 'Inter-Regular' }[kind as string] ?? './a.png';
    return [key, fc.oneof({ weight: 20, arbitrary: fc.constant(fitting) }, deep)] as const;
  });
  const resources = fc.record(Object.fromEntries(right));
  const whole = {
    template: fc.constantFrom(...Array.from({ length: 8 }, () => 'launch'), 'other', undefined),
    title: fc.oneof({ weight: 20, arbitrary: fc.constant('Title') }, value),
    resources: fc.oneof({ weight: 8, arbitrary: resources }, record([...Object.keys(editables), 'other'], deep), deep),
  };
  const rare = {
    description: value,
    labels: record(['a', 'b'], value),
    protect: value,
    audio: record(['main', 'b c', ''], deep),
    fonts: record(['Inter-Regular', 'x'], value),
    output: record(FIELDS, value),
    id: value,
    extends: fc.oneof(value, fc.array(value, { maxLength: 2 })),
    each: record(['from', 'id', 'other'], value),
    other: value,
  };
  const one = fc
    .constantFrom(...Object.keys(rare))
    .chain((name) => fc.record({ [name]: rare[name as keyof typeof rare] }));
  const more = fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 2, arbitrary: one });
  return fc.tuple(fc.record(whole), more).map(([common, added]) => ({ ...common, ...added }));
}

describe('createQuickChecks()', () => {
  it('finds something wrong exactly where Ajv does', () => {
    let [right, wrong] = [0, 0];
    const arbitrary = specArbitrary.chain((spec) =>
      fc.tuple(fc.constant(spec), fc.array(definition(spec), { minLength: 8, maxLength: 8 })),
    );
    fc.assert(
      fc.property(arbitrary, ([spec, documents]) => {
        const template = { name: 'launch', spec };
        const [full, quick] = [createChecks(), createQuickChecks()];
        const pairs: [Check, Check][] = [
          [full.video(template), quick.video(template)],
          [full.anyVideo, quick.anyVideo],
          [full.file, quick.file],
        ];
        for (const document of documents) {
          for (const [one, other] of pairs) {
            const answer = isWell(one, document);
            if (answer) right++;
            else wrong++;
            expect(isWell(other, document)).toBe(answer);
          }
        }
      }),
      { numRuns: 20, endOnFailure: true },
    );
    // Neither side of it may be empty.
    expect([right > 50, wrong > 50]).toEqual([true, true]);
  });
});

describe('holds()', () => {
  it('is never true of a schema with a keyword that it does not know', () => {
    expect(holds({ title: 'Anything' }, 1)).toBe(true);
    expect(holds({ contains: true } as object, [1])).toBe(false);
    expect(holds({ not: { contains: true } } as object, [])).toBe(false);
    expect(holds({ $ref: 'elsewhere' }, 1)).toBe(false);
    expect(holds({ const: [] }, [])).toBe(false);
  });
});
