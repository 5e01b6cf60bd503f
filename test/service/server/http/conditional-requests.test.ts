import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readByteRange } from '../../../../src/service/server/http/conditional-requests.ts';

describe('readByteRange()', () => {
  it.each([
    ['bytes=0-0', { start: 0, end: 1 }],
    ['bytes=2-', { start: 2, end: 10 }],
    ['bytes=-3', { start: 7, end: 10 }],
    ['bytes=-99', { start: 0, end: 10 }],
    ['bytes=5-99', { start: 5, end: 10 }],
    ['Bytes= 5-6 ', { start: 5, end: 7 }],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=6-5', null],
    ['bytes=0-1,3-4', null],
    ['bytes=-', null],
    ['lines=1-2', null],
    ['bytes=a-b', null],
    [undefined, null],
  ])('reads %s of 10 bytes', (header, range) => {
    expect(readByteRange(header, 10)).toEqual(range);
  });

  it('stays within the file', () => {
    fc.assert(
      fc.property(fc.nat(), fc.option(fc.nat()), fc.option(fc.nat()), (size, first, last) => {
        const range = readByteRange(`bytes=${first ?? ''}-${last ?? ''}`, size);
        if (range === null || range === 'unsatisfiable') return;
        expect(range.start).toBeGreaterThanOrEqual(0);
        expect(range.end).toBeGreaterThan(range.start);
        expect(range.end).toBeLessThanOrEqual(size);
      }),
    );
  });
});
