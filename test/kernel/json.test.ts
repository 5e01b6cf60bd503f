import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { checkJsonBounds, jsonPointer, parseJsonPointer } from '../../src/kernel/json.ts';

it.each([
  [[], ''],
  [['mapping', 'resources', '(Footage)/USER/hero.jpg'], '/mapping/resources/(Footage)~1USER~1hero.jpg'],
  [['a~1', 0, ''], '/a~01/0/'],
])('jsonPointer(%j) returns %s, which parseJsonPointer() parses back', (path, pointer) => {
  expect(jsonPointer(path)).toBe(pointer);
  expect(parseJsonPointer(pointer)).toEqual(path.map(String));
});

const BOUNDS = { values: 10, depth: 3, numberBytes: 20 };

function excess(text: string, bounds = BOUNDS): string | null {
  return checkJsonBounds(new TextEncoder().encode(text), bounds);
}

/** Counts the values and field names of parsed JSON. */
function valuesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  const inside = Object.values(value).reduce((sum: number, item) => sum + valuesOf(item), 0);
  return 1 + inside + (Array.isArray(value) ? 0 : Object.keys(value).length);
}

test.each([
  ['ten values', JSON.stringify(Array(9).fill(0)), null],
  ['one more', JSON.stringify(Array(10).fill(0)), 'more than 10 values'],
  ['lists of nothing', '[[],[],[],[],[],[],[],[],[],[]]', 'more than 10 values'],
  ['names of fields', '{"a":1,"b":2,"c":3,"d":4,"e":5}', 'more than 10 values'],
  ['three levels', '[[[]]]', null],
  ['four levels', '[[{"a":[]}]]', 'more than 3 levels'],
  ['brackets in a text', '"[[[[[[[[[[[["', null],
  ['quotes in a text', '["\\"[[[[", "\\\\", "\\\\\\"[[[["]', null],
  ['a text that does not end', '"[[[[[[[[[[[[', null],
  ['a long number', `[${'1'.repeat(20)}]`, null],
  ['a longer number', `[${'1'.repeat(21)}]`, 'a number of more than 20 characters'],
  ['nothing', '', null],
])('checkJsonBounds() of %s', (_, text, expected) => {
  expect(excess(text)).toBe(expected);
});

test('checkJsonBounds() counts the values that JSON.parse finds', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.boolean(), (value, isSpaced) => {
      const text = JSON.stringify(value, null, isSpaced ? 2 : undefined);
      const values = valuesOf(JSON.parse(text));
      const bounds = { depth: 100, numberBytes: 100 };
      expect(excess(text, { ...bounds, values })).toBeNull();
      expect(excess(text, { ...bounds, values: values - 1 })).not.toBeNull();
    }),
  );
});

test('checkJsonBounds() scans millions of backslashes in linear time', () => {
  const text = `"${'\\"'.repeat(2_000_000)}"`;
  expect(excess(text)).toBeNull();
  expect(excess(`"${'\\\\'.repeat(2_000_000)}"`)).toBeNull();
});
