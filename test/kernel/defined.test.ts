import { expect, it } from 'vitest';
import { defined } from '../../src/kernel/defined.ts';

it('keeps null, false and 0, and drops only undefined values', () => {
  const values: { a?: number | undefined; b: null; c: boolean; d: number } = { a: undefined, b: null, c: false, d: 0 };
  expect(Object.entries(defined(values))).toEqual([
    ['b', null],
    ['c', false],
    ['d', 0],
  ]);
});
