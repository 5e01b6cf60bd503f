import { expect, it } from 'vitest';
import { listed } from '../src/listed.ts';

it('names all of a few, and how many more there are of many', () => {
  expect(listed([])).toBe('');
  expect(listed(['a', 'b', 'c'], 3)).toBe('a, b, c');
  expect(listed(['a', 'b', 'c', 'd'], 3)).toBe('a and 3 more');
});
