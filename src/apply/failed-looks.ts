import { ReelformError } from '../diagnostic.ts';
import { backoffMs } from '../http/retry.ts';
import { SERVICE_BACKOFF } from '../service/retry.ts';
import { lacksSession, ServiceError } from '../service/service-error.ts';

/** A service that moves to another machine is back within this time. */
const PATIENCE_MS = 600_000;
/** An answer that cannot be read seldom becomes one that can. */
const MAX_UNREADABLE = 4;

/**
 * How long 404 can be wrong about a session that this run has seen, or that was just created: a deployment, a failover to a
 * replica that lags behind, or a read that overtakes its write passes within this time. Waiting longer protects nothing,
 * because the journal keeps the session.
 */
export const SEEN_MISSING_MS = 120_000;
/** The same for a session that only the journal names: long enough for a restart of the service. */
export const UNSEEN_MISSING_MS = 15_000;

/** Statuses of refusals that another request may not get. */
const TRANSIENT: ReadonlySet<number> = new Set([408, 425, 429]);

/** The requests for one session that failed in a row. Decides how long to wait before the next one. */
export class FailedLooks {
  readonly #missingMs: number;
  #failures = 0;
  #failingSince = 0;
  #missingSince: number | null = null;

  /** @param missingMs how long 404 is treated as a fault that passes */
  constructor(missingMs: number) {
    this.#missingMs = missingMs;
  }

  /** Starts over: a request succeeded. */
  clear(): void {
    this.#failures = 0;
    this.#missingSince = null;
  }

  /**
   * Returns how long to wait before the session is requested again, in milliseconds, or null to stop. The session runs on
   * either way, so only an error that will not pass stops the requests.
   *
   * @param now by the clock of the run
   * @param jitter 0..1
   */
  nextMs(error: unknown, now: number, jitter: number): number | null {
    if (this.#failures === 0) this.#failingSince = now;
    this.#failures += 1;
    // 503 in between means that the service is still starting: 404 counts from the answer after it.
    this.#missingSince = lacksSession(error) ? (this.#missingSince ?? now) : null;
    if (now - this.#failingSince > PATIENCE_MS || !this.#passes(error, now)) return null;
    return backoffMs(this.#failures, SERVICE_BACKOFF, jitter);
  }

  #passes(error: unknown, now: number): boolean {
    if (this.#missingSince !== null) return now - this.#missingSince < this.#missingMs;
    if (error instanceof ServiceError) return error.status >= 500 || TRANSIENT.has(error.status);
    if (!(error instanceof ReelformError)) return false;
    if (error.code === 'service_answer_invalid') return this.#failures < MAX_UNREADABLE;
    return error.code === 'service_unreachable';
  }
}
