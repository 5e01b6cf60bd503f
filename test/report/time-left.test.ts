import { describe, expect, it } from 'vitest';
import { estimateLeftMs, type LeftInput, roughDuration } from '../../src/report/time-left.ts';

const nothing: LeftInput = { durationsMs: [], running: [], waiting: 0, concurrency: 2 };

describe('estimateLeftMs()', () => {
  it.each<[string, Partial<LeftInput>, number | null]>([
    ['nothing when nothing was seen', { waiting: 10, running: [{ elapsedMs: 5000, done: 0, left: 1 }] }, null],
    ['nothing from the first few per cent', { running: [{ elapsedMs: 5000, done: 0.05, left: 0.95 }] }, null],
    ['from progress alone', { running: [{ elapsedMs: 5000, done: 0.5, left: 0.5 }] }, 5000],
    ['rounds of what waits', { durationsMs: [10_000], waiting: 10 }, 50_000],
    ['at least one more video', { durationsMs: [10_000], waiting: 1 }, 10_000],
    [
      'the slowest at work',
      { concurrency: 4, durationsMs: [10_000], running: [{ elapsedMs: 2000, done: 0, left: 1 }] },
      8000,
    ],
    ['a while for what is late', { durationsMs: [10_000], running: [{ elapsedMs: 40_000, done: 0, left: 1 }] }, 4000],
    ['the speed since it was resumed', { running: [{ elapsedMs: 10_000, done: 0.2, left: 0.2 }] }, 10_000],
  ])('tells %s', (_, change, left) => {
    expect(estimateLeftMs({ ...nothing, ...change })).toBe(left);
  });
});

describe('roughDuration()', () => {
  it.each([
    [0, 'a few seconds'],
    [12_000, '10 s'],
    [57_000, '55 s'],
    [58_000, '1 min'],
    [150_000, '3 min'],
    [3_570_000, '1 h'],
    [7_800_000, '2 h 10 min'],
    [90 * 3_600_000, '90 h'],
  ])('of %d ms is %s', (milliseconds, words) => {
    expect(roughDuration(milliseconds)).toBe(words);
  });
});
