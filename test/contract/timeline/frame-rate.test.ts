import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { frameRateOf } from '../../../src/contract/timeline/frame-rate.ts';

describe('frameRateOf()', () => {
  test.each([
    [30, 30, 1],
    [25, 25, 1],
    [23.976, 24_000, 1001],
    [23.98, 24_000, 1001],
    [29.97, 30_000, 1001],
    [29.9700012207031, 30_000, 1001],
    [59.94, 60_000, 1001],
    [12.5, 25, 2],
    [33.333333333, 100, 3],
  ])('represents %d as %d/%d', (fps, numerator, denominator) => {
    expect(frameRateOf(fps)).toEqual({ numerator, denominator });
  });

  test('is within a thousandth of the given rate, as a fraction of integers', () => {
    fc.assert(
      fc.property(fc.double({ min: 1, max: 240, noNaN: true }), (fps) => {
        const { numerator, denominator } = frameRateOf(fps);
        expect([numerator, denominator].every(Number.isInteger)).toBe(true);
        expect(Math.abs(numerator / denominator - fps)).toBeLessThan(0.005);
      }),
    );
  });
});
