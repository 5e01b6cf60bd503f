import { backoffMs } from '../backoff.ts';
import { ReelformError } from '../diagnostic.ts';
import { SERVICE_BACKOFF } from '../service/exchange.ts';
import { lacksSession, ServiceError } from '../service/service-error.ts';

/** State of a polled session. Ages are milliseconds since the service accepted it. */
export interface PollState {
  /** Durations of earlier renders of its style version. */
  readonly durationsMs: readonly number[];
  /** Age at the last poll; 0 before the first. */
  readonly ageMs: number;
  /** `render_progress` at that age. */
  readonly progress: number;
  /** Age at the last poll that showed no progress: until then the session may have been queued. */
  readonly idleMs: number;
  /** Number of polled sessions of its style version. */
  readonly peers: number;
  /** 0..1, different for each session of its style version. */
  readonly spread: number;
}

export const MIN_POLL_MS = 100;
const FIRST_POLL_MS = 250;
const MAX_STEP_MS = 60_000;
/** Timers and clocks are imprecise: a poll slightly too early is a wasted request. */
const MARGIN = 1.002;
/** Largest delay in noticing an end, relative to the age: durations that are closer together share a poll. */
const STEP = 1.03;

/**
 * Returns the age at which to poll a session next: estimated from its progress, else from the durations of earlier
 * renders, else with a growing interval, spread over its peers, because the first that ends shows when to poll the
 * others.
 */
export function nextPollAge(state: PollState): number {
  const { ageMs } = state;
  return Math.max(expectedAge(state) * MARGIN, ageMs + Math.max(MIN_POLL_MS, 0.01 * ageMs));
}

function expectedAge({ durationsMs, ageMs, progress, idleMs, peers, spread }: PollState): number {
  const sorted = durationsMs.toSorted((a, b) => a - b);
  const last = sorted.at(-1) ?? 0;
  if (progress > 0 && progress < 100) {
    // Progress is reported in whole per cent, so small values are unreliable.
    const renderingMs = ageMs - idleMs;
    return (
      idleMs + Math.min((renderingMs * 100) / (progress + 0.3), Math.max(last, renderingMs * (last === 0 ? 4 : 1.1)))
    );
  }
  const next = sorted.find((one) => one * MARGIN > ageMs);
  if (next !== undefined) return sorted.findLast((one) => one <= next * STEP)!;
  if (last > 0) return ageMs + Math.min(MAX_STEP_MS, Math.max(0.02 * last, (ageMs - last) / 2));
  const factor = Math.min(1.5, 1.08 ** peers);
  return ageMs === 0 ? FIRST_POLL_MS * factor ** spread : Math.min(ageMs * factor, ageMs + MAX_STEP_MS);
}

/** A service that is moved to another machine is usually back within this time. */
const PATIENCE_MS = 600_000;
/** An unreadable answer is rarely followed by a readable one. */
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
const TRANSIENT: ReadonlySet<number> = new Set([408, 425, 429]);

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
    if (error.code === 'service_answer_invalid') return this.#failures < MAX_UNREADABLE;
    return error.code === 'service_unreachable';
  }
}
