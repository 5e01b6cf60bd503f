import { describe, expect, it } from 'vitest';
import { nextDelayMs, RETRY_DELAYS_MS } from '../../../../src/service/server/webhooks/webhook-outbox.ts';

const DAY_MS = 86_400_000;

describe('nextDelayMs()', () => {
  it('has the ten tries of the contract', () => {
    expect(RETRY_DELAYS_MS.map((ms) => ms / 1000)).toEqual([
      0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400,
    ]);
  });

  it('follows the schedule within ten percent and ends with it', () => {
    for (let step = 0; step < 9; step++) {
      const planned = RETRY_DELAYS_MS[step + 1]!;
      const of = (random: number) => nextDelayMs({ step, retryAfterMs: null }, random);
      expect([of(0), of(0.5), of(1)]).toEqual([0.9, 1, 1.1].map((share) => Math.round(planned * share)));
    }
    expect(nextDelayMs({ step: 9, retryAfterMs: 1000 }, 0.5)).toBeNull();
  });

  it.each([
    ['less than planned', 1, 5000],
    ['more than planned', 60_000, 60_000],
    ['more than a day', 30 * DAY_MS, DAY_MS],
  ])('waits as long as the receiver asks: %s', (_what, retryAfterMs, delay) => {
    expect(nextDelayMs({ step: 0, retryAfterMs }, 0.5)).toBe(delay);
  });
});
