import { isFullQueue, lacksSession, ServiceError } from '../../contract/service-error.ts';
import { type Backoff, backoffMs } from '../../kernel/backoff.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { type Repeatability, retryAfterMs } from '../../kernel/http/send-request.ts';
import type { Exchange } from './exchange.ts';

/** Requests beyond the first. */
const MAX_RETRIES = 4;
/** Used unless the service requests a longer wait. */
const SERVICE_BACKOFF: Backoff = { firstMs: 500, maxMs: 10_000 };
/** Requests that time out without an answer, after which to give up. */
const MAX_SILENCES = 2;
/** Upper limit of a requested wait. */
export const MAX_RETRY_AFTER_MS = 30_000;

/** Statuses of temporary errors of the service or of a proxy. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429, 499, 500, 502, 503, 504]);

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
  // The first request with the key is still running; its answer applies to this request too.
  if (repeatability === 'keyed' && (code === 'idempotency_in_progress' || code === 'http_409')) return true;
  return PASSING.has(exchange.answer.status);
}

/** A service that is moved to another machine is usually back within this time. */
const PATIENCE_MS = 600_000;
/** After an unreadable answer, or an answer about another session, a good answer is rare. */
const MAX_UNREADABLE = 4;

/**
 * How long a 404 may be wrong for a session that this run has read, or that was just created: a deployment, a failover
 * to a lagging replica, or a read that overtakes its write ends within this time. Waiting longer protects nothing,
 * because the journal keeps the session.
 */
export const SEEN_MISSING_MS = 120_000;
/** The same for a session that only the journal names: long enough for a restart of the service. */
export const UNSEEN_MISSING_MS = 15_000;

/** Statuses of refusals that a later request may not get. */
const TRANSIENT: ReadonlySet<number> = new Set([408, 425, 429, 499]);

/** Consecutive failed requests for one session. Decides how long to wait before the next request. */
export class PollRetry {
  readonly #missingMs: number;
  #failures = 0;
  #failingSince = 0;
  #missingSince: number | null = null;

  /** @param missingMs how long a 404 counts as a temporary fault */
  constructor(missingMs: number) {
    this.#missingMs = missingMs;
  }

  /** Resets the count after a successful request. */
  clear(): void {
    this.#failures = 0;
    this.#missingSince = null;
  }

  /**
   * Returns how long to wait before the session is requested again, in milliseconds, or null to stop. The session keeps
   * running in both cases, so only permanent errors stop the requests.
   *
   * @param now monotonic time of the run, in milliseconds
   * @param jitter 0..1
   */
  nextMs(error: unknown, now: number, jitter: number): number | null {
    if (this.#failures === 0) this.#failingSince = now;
    this.#failures += 1;
    // A 503 in between means that the service is still starting: the time of the 404 starts over after it.
    this.#missingSince = lacksSession(error) ? (this.#missingSince ?? now) : null;
    if (now - this.#failingSince > PATIENCE_MS || !this.#passes(error, now)) return null;
    return backoffMs(this.#failures, SERVICE_BACKOFF, jitter);
  }

  #passes(error: unknown, now: number): boolean {
    if (this.#missingSince !== null) return now - this.#missingSince < this.#missingMs;
    if (error instanceof ServiceError) return error.status >= 500 || TRANSIENT.has(error.status);
    if (!(error instanceof ReelformError)) return false;
    if (error.code === 'service_answer_invalid' || error.code === 'session_differs')
      return this.#failures < MAX_UNREADABLE;
    return error.code === 'service_unreachable';
  }
}
