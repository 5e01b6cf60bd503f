import { ReelformError } from '../diagnostic.ts';
import { backoffMs } from '../http/retry.ts';
import { SERVICE_BACKOFF } from '../service/retry.ts';
import { lacksSession, ServiceError } from '../service/service-error.ts';

/** What decides when a session is polled next. Ages are milliseconds since the service accepted it. */
export interface PollState {
  /** How long earlier renders of its style version took. */
  readonly durationsMs: readonly number[];
  /** Of the last poll; 0 before the first. */
  readonly ageMs: number;
  /** `render_progress` at that age. */
  readonly progress: number;
  /** Of the last poll that showed no progress: until then the session may have waited for its turn. */
  readonly idleMs: number;
  /** Sessions of its style version that are polled side by side. */
  readonly peers: number;
  /** 0..1, different for each of them. */
  readonly spread: number;
}

export const MIN_POLL_MS = 100;
const FIRST_POLL_MS = 250;
const MAX_STEP_MS = 60_000;
/** Timers and clocks are not exact: a poll that comes a moment too early is a request for nothing. */
const MARGIN = 1.002;
/** How late an end may be found, as a share of the age: durations that lie closer together share a poll. */
const STEP = 1.03;

/**
 * Returns the age at which to poll a session next. By its progress; else when earlier renders took as long; else ever
 * later, side by side with its peers: the first one that ends tells when to poll all the others.
 */
export function nextPollAge(state: PollState): number {
  const { ageMs } = state;
  return Math.max(expectedAge(state) * MARGIN, ageMs + Math.max(MIN_POLL_MS, 0.01 * ageMs));
}

function expectedAge({ durationsMs, ageMs, progress, idleMs, peers, spread }: PollState): number {
  const sorted = durationsMs.toSorted((a, b) => a - b);
  const last = sorted.at(-1) ?? 0;
  if (progress > 0 && progress < 100) {
    // Progress comes in whole per cent, and little of it says little.
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
