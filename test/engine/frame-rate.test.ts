import { expect, test } from 'vitest';
import { frameTimeSeconds } from '../../src/engine/frame-rate.ts';

test('frameTimeSeconds() is exact for every frame', () => {
  expect(frameTimeSeconds({ numerator: 30_000, denominator: 1001 }, 30_000)).toBe(1001);
});
