import type { Exchange } from './exchange.ts';
import { isFullQueue, ServiceError } from './service-error.ts';

/**
 * Whether a request may be sent again: `safe` reads or is idempotent by its content; `keyed` carries an Idempotency-Key
 * that the service is known to keep; `once` could be done twice, and is repeated only when it certainly was not done.
 */
export type Repeatability = 'safe' | 'keyed' | 'once';

/** Requests beyond the first. */
const MAX_RETRIES = 4;
const FIRST_DELAY_MS = 500;
/** Unless the service asks for more. */
const MAX_BACKOFF_MS = 10_000;
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
  return Math.min(MAX_RETRY_AFTER_MS, Math.max(askedMs, backoffMs(times.retries, times.jitter)));
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

/**
 * Twice as long each time, spread by chance, so that many who failed at once do not come back at once.
 *
 * @param jitter 0..1
 */
export function backoffMs(retries: number, jitter: number): number {
  return Math.min(MAX_BACKOFF_MS, FIRST_DELAY_MS * 2 ** retries) * (0.5 + jitter / 2);
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

/**
 * The header in milliseconds from now; null when there is none that can be read.
 *
 * @see RFC 9110, section 10.2.3
 */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = /^[A-Za-z]{3},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}
