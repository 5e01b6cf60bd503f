import { type Backoff, backoffMs } from '../backoff.ts';
import { type Repeatability, retryAfterMs } from '../http/retry.ts';
import type { Exchange } from './exchange.ts';
import { isFullQueue, ServiceError } from './service-error.ts';

/** Requests beyond the first. */
const MAX_RETRIES = 4;
/** Used unless the service requests a longer wait. */
export const SERVICE_BACKOFF: Backoff = { firstMs: 500, maxMs: 10_000 };
/** Requests that time out without an answer, after which to give up. */
const MAX_SILENCES = 2;
/** Upper limit of a requested wait. */
export const MAX_RETRY_AFTER_MS = 30_000;

/** Statuses of temporary errors of the service or of a proxy. */
const PASSING: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

/**
 * Returns the wait in milliseconds before the same request is repeated; null if it is not.
 *
 * @param retries number of earlier retries
 * @param nowMs since the epoch, for a Retry-After date
 * @param jitter 0..1
 * @param code of the problem details, if any
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

/** Counts the attempts for one request. */
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
  // The caller decides what to do while the queue is full.
  if (isFullQueue(code)) return false;
  if (repeatability === 'once') return exchange.kind === 'answer' && exchange.answer.status === 429;
  // An answer that is too large will be too large again.
  if (exchange.kind !== 'answer') return exchange.error.code === 'service_unreachable';
  // The first request with the key is still running; its answer applies to this one.
  if (repeatability === 'keyed' && code === 'idempotency_in_progress') return true;
  return PASSING.has(exchange.answer.status);
}
