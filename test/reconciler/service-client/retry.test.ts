import { describe, expect, it } from 'vitest';
import { ReelformError } from '../../../src/kernel/diagnostic.ts';
import type { Repeatability } from '../../../src/kernel/http/send-request.ts';
import type { Exchange } from '../../../src/reconciler/service-client/exchange.ts';
import { retryDelayMs } from '../../../src/reconciler/service-client/retry.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const answer = (status: number, retryAfter: string | null = null): Exchange => ({
  kind: 'answer',
  answer: { status, text: '', header: (name) => (name === 'retry-after' ? retryAfter : null) },
});
const unreachable = new ReelformError('service_unreachable', 'cut off');
const UNANSWERED: Exchange = { kind: 'unanswered', error: unreachable };
const UNSENT: Exchange = { kind: 'unsent', error: unreachable };
const head = { status: 200, header: () => null };
const CUT: Exchange = { kind: 'broken', head, error: unreachable };
const TOO_LARGE: Exchange = { kind: 'broken', head, error: new ReelformError('service_answer_invalid', 'too large') };

function delay(exchange: Exchange, how: Repeatability, retries = 0, jitter = 1, code?: string): number | null {
  return retryDelayMs(exchange, how, { retries, nowMs: NOW, jitter }, code);
}

describe('retryDelayMs()', () => {
  it.each<[string, Exchange, string | undefined, Record<Repeatability, boolean>]>([
    ['no connection', UNSENT, undefined, { safe: true, keyed: true, once: true }],
    ['429', answer(429), undefined, { safe: true, keyed: true, once: true }],
    ['a full queue', answer(429), 'queue_full', { safe: false, keyed: false, once: false }],
    ['a full service', answer(503), 'service_full', { safe: false, keyed: false, once: false }],
    ['no answer', UNANSWERED, undefined, { safe: true, keyed: true, once: false }],
    ['half an answer', CUT, undefined, { safe: true, keyed: true, once: false }],
    ['an endless answer', TOO_LARGE, undefined, { safe: false, keyed: false, once: false }],
    ['500', answer(500), undefined, { safe: true, keyed: true, once: false }],
    ['502', answer(502), undefined, { safe: true, keyed: true, once: false }],
    ['503', answer(503), undefined, { safe: true, keyed: true, once: false }],
    ['504', answer(504), undefined, { safe: true, keyed: true, once: false }],
    ['501', answer(501), undefined, { safe: false, keyed: false, once: false }],
    ['408', answer(408), undefined, { safe: true, keyed: true, once: false }],
    ['425', answer(425), undefined, { safe: true, keyed: true, once: false }],
    ['499', answer(499), undefined, { safe: true, keyed: true, once: false }],
    ['409 without a code', answer(409), 'http_409', { safe: false, keyed: true, once: false }],
    ['a key at work', answer(409), 'idempotency_in_progress', { safe: false, keyed: true, once: false }],
    ['409', answer(409), 'wrong_state', { safe: false, keyed: false, once: false }],
    ['400', answer(400), undefined, { safe: false, keyed: false, once: false }],
    ['404', answer(404), undefined, { safe: false, keyed: false, once: false }],
    ['422', answer(422), 'idempotency_key_reused', { safe: false, keyed: false, once: false }],
    ['a redirect', answer(307), undefined, { safe: false, keyed: false, once: false }],
  ])('retries after %s only what is safe to repeat', (_, exchange, code, expected) => {
    for (const how of ['safe', 'keyed', 'once'] as const) {
      expect(delay(exchange, how, 0, 1, code)).toBe(expected[how] ? 500 : null);
    }
  });

  it('waits longer each time with jitter and gives up after four retries', () => {
    expect([0, 1, 2, 3, 4].map((retries) => delay(answer(503), 'safe', retries))).toEqual([
      500,
      1000,
      2000,
      4000,
      null,
    ]);
    expect(delay(answer(503), 'safe', 0, 0)).toBe(250);
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
  ])('follows Retry-After %j within limits: %d ms', (header, expected) => {
    expect(delay(answer(429, header), 'safe')).toBe(expected);
  });
});
