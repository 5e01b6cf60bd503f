import { describe, expect, it } from 'vitest';
import { defined, present } from '../../src/kernel/defined.ts';

describe('defined()', () => {
  it('keeps null, false and 0, and drops only undefined values', () => {
    const values: { a?: number | undefined; b: null; c: boolean; d: number } = {
      a: undefined,
      b: null,
      c: false,
      d: 0,
    };
    expect(Object.entries(defined(values))).toEqual([
      ['b', null],
      ['c', false],
      ['d', 0],
    ]);
  });
});

describe('present()', () => {
  it('drops false, null and undefined, and keeps empty texts and 0', () => {
    expect(present<string | number>(['', false, 'a', null, undefined, 0])).toEqual(['', 'a', 0]);
  });
});
