import { describe, expect, it } from 'vitest';
import { backoffMs, spreadMs } from '../../src/backoff.ts';
import { retryAfterMs } from '../../src/http/retry.ts';

const NOW = Date.parse('2026-01-01T00:00:00.000Z');

describe('retryAfterMs()', () => {
  it.each([
    [undefined, null],
    [null, null],
    ['', null],
    ['120', 120_000],
    [' 0 ', 0],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['2026-01-01', null],
    ['1.5', null],
    ['-5', null],
    ['soon', null],
    ['99999999999', null],
    ['99999999999999999999', null],
  ])('returns %j as %j', (header, milliseconds) => {
    expect(retryAfterMs(header, NOW)).toBe(milliseconds);
  });
});

describe('backoffMs()', () => {
  it('waits longer each time up to a limit, with jitter over the upper half', () => {
    const backoff = { firstMs: 500, maxMs: 3000 };
    expect([0, 1, 2, 3, 4].map((tries) => backoffMs(tries, backoff))).toEqual([500, 1000, 2000, 3000, 3000]);
    expect([0, 1].map((tries) => backoffMs(tries, backoff, 0))).toEqual([250, 500]);
    expect(backoffMs(2, { ...backoff, factor: 1.5 })).toBe(1125);
  });
});

it('spreadMs() adds jitter in both directions', () => {
  expect([0, 0.5, 1].map((random) => Math.round(spreadMs(1000, 0.1, random)))).toEqual([900, 1000, 1100]);
});
