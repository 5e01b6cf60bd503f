import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseYaml } from '../../../src/kernel/yaml/parse-yaml.ts';
import { failedTest, parseCondition } from '../../../src/reconciler/definition/condition.ts';
import type { Row } from '../../../src/reconciler/definition/read-rows.ts';

const SPAN = { file: 'data/rows.csv', start: 0, end: 1 };

function rowOf(values: Readonly<Record<string, string>>): Row {
  const name = 'data/rows.csv line 2';
  return { values: new Map(Object.entries(values)), file: 'data/rows.csv', name, span: SPAN, cellSpan: () => SPAN };
}

const ROW = rowOf({ campaign: 'spring', country: ' de; at ', count: '007', offer: '', 'store name': 'Mitte' });

function parse(text: string, columns: Iterable<string> | null = ROW.values.keys()) {
  const parsed = parseYaml('a.yaml', `when: ${text}\n`);
  if (!parsed.ok || parsed.value?.kind !== 'map') throw new Error('not a map');
  return parseCondition(parsed.value.entries.get('when')!.value, columns);
}

function isTrue(text: string): boolean {
  const condition = parse(text);
  if (!condition.ok) throw new Error(condition.diagnostics[0]!.message);
  return failedTest(condition.value, ROW) === null;
}

/** Returns the messages with the text that each points to. */
function mistakes(text: string, columns?: Iterable<string> | null): string[] {
  const condition = parse(text, columns);
  if (condition.ok) return [];
  return condition.diagnostics.map(({ code, message, hint, at }) => {
    return `${`when: ${text}`.slice(at!.start, at!.end)} → ${code}: ${message}${hint === undefined ? '' : ` (${hint})`}`;
  });
}

describe('a text as a condition', () => {
  it.each(['""', '" "', 'false', '"False"', 'no', '" NO "', '0', '"0"'])('%s is false', (text) => {
    expect(isTrue(text)).toBe(false);
  });

  it.each(['true', 'yes', '1', '"00"', '0.0', 'spring', '"null"', 'off', 'none'])('%s is true', (text) => {
    expect(isTrue(text)).toBe(true);
  });
});

describe('tests of columns', () => {
  it.each([
    ['{ campaign: spring }', true],
    ['{ campaign: autumn }', false],
    ['{ campaign: Spring }', false],
    ['{ campaign: [autumn, " spring "] }', true],
    ['{ campaign: { not: autumn } }', true],
    ['{ campaign: { not: spring } }', false],
    ['{ campaign: { not: [autumn, spring] } }', false],
    ['{ country: at }', true],
    ['{ country: "de; at" }', false],
    ['{ country: [ch, de] }', true],
    ['{ country: { not: ch } }', true],
    ['{ country: { not: at } }', false],
    ['{ count: 007 }', true],
    ['{ count: 7 }', false],
    ['{ offer: "" }', true],
    ['{ offer: { not: "" } }', false],
    ['{ campaign: { not: "" } }', true],
    ['{ campaign: spring, country: de }', true],
    ['{ campaign: spring, country: ch }', false],
    ['{ store name: Mitte }', true],
  ])('%s is %s', (text, expected) => {
    expect(isTrue(text)).toBe(expected);
  });

  it('names the first test that fails, with its cell', () => {
    const condition = parse('{ campaign: spring, country: [ch, li], offer: x }');
    if (!condition.ok) throw new Error('not a condition');
    expect(failedTest(condition.value, ROW)).toMatchObject({
      column: 'country',
      cell: ' de; at ',
      values: ['ch', 'li'],
    });
  });

  it('is the opposite of the same test with not', () => {
    const values = fc.array(fc.constantFrom('de', 'at', 'ch', 'li'), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(values, values, (cell, wanted) => {
        const row = rowOf({ country: cell.join(' ;') });
        const check = (text: string): boolean => {
          const condition = parse(text, ['country']);
          return condition.ok && failedTest(condition.value, row) === null;
        };
        expect(check(`{ country: [${wanted}] }`)).toBe(!check(`{ country: { not: [${wanted}] } }`));
        expect(check(`{ country: [${wanted}] }`)).toBe(wanted.some((value) => cell.includes(value)));
      }),
    );
  });
});

describe('mistakes', () => {
  it('are reported all at once, each at its own value', () => {
    expect(mistakes('{ campain: spring, country: { nott: de }, offer: [a, [b]], count: {}, campaign: null }')).toEqual([
      'campain → unknown_variable: No column is named campain (Did you mean campaign?)',
      'nott → definition_invalid: The test of the column country has no property nott (Write it like { country: { not: value } })',
      '[b] → definition_invalid: The column offer must be compared with a value, a list of values or { not: value } (Write an empty cell as "")',
      '{} → definition_invalid: The column count must be compared with a value, a list of values or { not: value } (Write an empty cell as "")',
      'null → definition_invalid: The column campaign must be compared with a value, a list of values or { not: value } (Write an empty cell as "")',
    ]);
  });

  it.each(['[spring]', '{}', 'null', ''])('reject the condition %j', (text) => {
    expect(mistakes(text)).toEqual([expect.stringContaining('A condition must be a text or a map of columns, like')]);
  });

  it('name columns that exist if none is similar, and columns without rows', () => {
    expect(mistakes('{ zzzzzz: a }')).toEqual([
      'zzzzzz → unknown_variable: No column is named zzzzzz (The columns are campaign, country, count, offer, store name)',
    ]);
    expect(mistakes('{ campaign: spring }', null)).toEqual([
      'campaign → unknown_variable: The condition tests the column campaign, but there are no rows (Add `each`, or write the condition as a text)',
    ]);
  });
});
