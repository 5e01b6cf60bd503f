import { expect, it } from 'vitest';
import { formatList } from '../src/listed.ts';

it('names all of a few, and how many more there are of many', () => {
  expect(formatList([])).toBe('');
  expect(formatList(['a', 'b', 'c'], 3)).toBe('a, b, c');
  expect(formatList(['a', 'b', 'c', 'd'], 3)).toBe('a and 3 more');
});
