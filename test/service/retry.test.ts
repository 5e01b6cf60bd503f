import { describe, expect, it } from 'vitest';
import { type Outcome, type Repeatability, retryAfterMs, retryDelayMs } from '../../src/service/retry.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const answer = (status: number, retryAfter: string | null = null, code: string | null = null): Outcome => ({
  kind: 'answer',
  status,
  retryAfter,
  code,
});
const delay = (outcome: Outcome, repeatability: Repeatability, retries = 0, jitter = 1): number | null =>
  retryDelayMs(outcome, repeatability, { retries, nowMs: NOW, jitter });

describe('retryDelayMs()', () => {
  it.each<[Outcome, number | null, number | null]>([
    [{ kind: 'silence' }, 500, 500],
    [answer(429), 500, 500],
    [answer(502), 500, 500],
    [answer(503), 500, 500],
    [answer(504), 500, 500],
    [answer(500), 500, null],
    [answer(409, null, 'idempotency_in_progress'), null, 500],
    [answer(409, null, 'wrong_state'), null, null],
    [answer(400), null, null],
    [answer(404), null, null],
    [answer(422, null, 'idempotency_key_reused'), null, null],
  ])(
    'after %j waits %s ms when reading, %s ms with a kept key, and never repeats what could be done twice',
    (outcome, safe, keyed) => {
      expect(delay(outcome, 'safe')).toBe(safe);
      expect(delay(outcome, 'keyed')).toBe(keyed);
      expect(delay(outcome, 'once')).toBeNull();
    },
  );

  it('waits longer each time, spread by chance, and gives up after four repetitions', () => {
    expect([0, 1, 2, 3, 4].map((retries) => delay(answer(503), 'safe', retries))).toEqual([
      500,
      1000,
      2000,
      4000,
      null,
    ]);
    expect(delay(answer(503), 'safe', 0, 0)).toBe(250);
  });

  it('is patient with what is under way: a service that is restarted is back within a minute', () => {
    const delays = Array.from({ length: 10 }, (_, retries) => delay({ kind: 'silence' }, 'watch', retries, 0.5));
    expect(delays.at(-1)).toBeNull();
    const waitedMs = delays.reduce((sum: number, one) => sum + (one ?? 0), 0);
    expect(waitedMs).toBeGreaterThan(40_000);
    expect(waitedMs).toBeLessThan(60_000);
  });

  it.each([
    ['3', 3000],
    ['0', 500],
    ['3600', 30_000],
    ['-1', 500],
    ['soon', 500],
    ['Thu, 01 Jan 2026 00:00:05 GMT', 5000],
    ['Thu, 01 Jan 2026 01:00:00 GMT', 30_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 500],
  ])('obeys Retry-After %j within limits: %d ms', (header, expected) => {
    expect(delay(answer(429, header), 'safe')).toBe(expected);
  });
});

describe('retryAfterMs()', () => {
  it('is null for what is no time', () => {
    expect([null, '', '1.5', '2026-01-01', '99999999999'].map((header) => retryAfterMs(header, NOW))).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
  });
});
