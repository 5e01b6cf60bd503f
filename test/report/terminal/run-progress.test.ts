import { describe, expect, it } from 'vitest';
import { estimateLeftMs, formatTimeLeft, type LeftInput } from '../../../src/report/terminal/run-progress.ts';

const nothing: LeftInput = { durationsMs: [], running: [], waiting: 0, concurrency: 2 };

describe('estimateLeftMs()', () => {
  it.each<[string, Partial<LeftInput>, number | null]>([
    ['nothing without data', { waiting: 10, running: [{ elapsedMs: 5000, done: 0, left: 1 }] }, null],
    ['nothing from the first few percent', { running: [{ elapsedMs: 5000, done: 0.05, left: 0.95 }] }, null],
    ['from progress alone', { running: [{ elapsedMs: 5000, done: 0.5, left: 0.5 }] }, 5000],
    ['rounds of waiting videos', { durationsMs: [10_000], waiting: 10 }, 50_000],
    ['at least one more video', { durationsMs: [10_000], waiting: 1 }, 10_000],
    [
      'the slowest running video',
      { concurrency: 4, durationsMs: [10_000], running: [{ elapsedMs: 2000, done: 0, left: 1 }] },
      8000,
    ],
    [
      'a fraction of the elapsed time for a late video',
      { durationsMs: [10_000], running: [{ elapsedMs: 40_000, done: 0, left: 1 }] },
      4000,
    ],
    ['from the speed since it was resumed', { running: [{ elapsedMs: 10_000, done: 0.2, left: 0.2 }] }, 10_000],
  ])('estimates %s', (_, change, left) => {
    expect(estimateLeftMs({ ...nothing, ...change })).toBe(left);
  });
});

describe('formatTimeLeft()', () => {
  it.each([
    [0, 'a few seconds left'],
    [12_000, 'about 10 s left'],
    [57_000, 'about 55 s left'],
    [58_000, 'about 1 min left'],
    [150_000, 'about 3 min left'],
    [3_570_000, 'about 1 h left'],
    [7_800_000, 'about 2 h 10 min left'],
    [90 * 3_600_000, 'about 90 h left'],
  ])('formats %d ms as %s', (milliseconds, words) => {
    expect(formatTimeLeft(milliseconds)).toBe(words);
  });
});
