import { type Backoff, backoffMs } from '../backoff.ts';
import { type Repeatability, retryAfterMs } from '../http/retry.ts';
import type { Exchange } from './exchange.ts';
import { isFullQueue, ServiceError } from './service-error.ts';

/** Requests beyond the first. */
const MAX_RETRIES = 4;
/** Unless the service asks for more. */
export const SERVICE_BACKOFF: Backoff = { firstMs: 500, maxMs: 10_000 };
/** A service that accepts a request and stays silent gets it so often: each time takes as long as the time-out. */
const MAX_SILENCES = 2;
/** No service makes us wait longer between two requests, whatever it asks for. */
export const MAX_RETRY_AFTER_MS = 30_000;

/** Answers after which the same request can have another one: a mistake over there, or of what stands before it. */
const PASSING: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

/**
 * How long to wait before the same request is sent again; null when it is not.
 *
 * @param retries that there were before
 * @param nowMs since the epoch, for a Retry-After that is a date
 * @param jitter 0..1
 * @param code of the problem details, where the answer has them
 */
export function retryDelayMs(
  exchange: Exchange,
  repeatability: Repeatability,
  times: { readonly retries: number; readonly nowMs: number; readonly jitter: number },
  code: string | null = null,
): number | null {
  if (times.retries >= MAX_RETRIES || !passes(exchange, repeatability, code)) return null;
  const header = exchange.kind === 'answer' ? exchange.answer.header('retry-after') : null;
  const askedMs = retryAfterMs(header, times.nowMs) ?? 0;
  return Math.min(MAX_RETRY_AFTER_MS, Math.max(askedMs, backoffMs(times.retries, SERVICE_BACKOFF, times.jitter)));
}

/** The requests for one thing, of which each is sent when the one before it failed. */
export class Retries {
  readonly #clock: { now(): number; random(): number };
  #count = 0;
  #silences = 0;

  constructor(clock: { now(): number; random(): number }) {
    this.#clock = clock;
  }

  /** Returns how long to wait before the next request, in milliseconds, or null to stop. See `retryDelayMs`. */
  delayMs(exchange: Exchange, repeatability: Repeatability, error: Error): number | null {
    if ('isSilent' in exchange && exchange.isSilent === true) this.#silences += 1;
    if (this.#silences >= MAX_SILENCES) return null;
    const times = { retries: this.#count++, nowMs: this.#clock.now(), jitter: this.#clock.random() };
    return retryDelayMs(exchange, repeatability, times, error instanceof ServiceError ? error.code : null);
  }
}

function passes(exchange: Exchange, repeatability: Repeatability, code: string | null): boolean {
  if (exchange.kind === 'unsent') return true;
  // A queue is full for as long as it is: whoever asks has to know what to do until then.
  if (isFullQueue(code)) return false;
  if (repeatability === 'once') return exchange.kind === 'answer' && exchange.answer.status === 429;
  // What is too large once is too large again.
  if (exchange.kind !== 'answer') return exchange.error.code === 'service_unreachable';
  // The first request with the key is still at work: its answer will be this one's too.
  if (repeatability === 'keyed' && code === 'idempotency_in_progress') return true;
  return PASSING.has(exchange.answer.status);
}
