import { abortable } from '../abortable.ts';
import { type RenderService, sessionEnd } from '../service/render-service.ts';
import type { RenderSession } from '../wire/render-session.ts';
import { nextPollAge, PollRetry, SEEN_MISSING_MS } from './poll-schedule.ts';

export interface RunClock {
  /** Milliseconds since the epoch, for dates. May jump when the clock is set. */
  now(): number;
  /** Milliseconds of a clock that never jumps, for durations within this process. */
  monotonicNow(): number;
  /** Rejects with the signal's reason when it is aborted. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export interface SessionWatcherOptions {
  readonly service: Pick<RenderService, 'getRenderSession' | 'listRenderSessions'>;
  readonly clock: RunClock;
  /** Durations of earlier renders of a style version, in milliseconds, oldest first. */
  durationsMs(styleVersion: string): readonly number[];
}

export interface WatchOptions {
  /** Aborted when the caller stops waiting. The session keeps running. */
  readonly signal: AbortSignal;
  /** @param percent greater than in all earlier calls */
  onProgress(percent: number): void;
}

/** The sessions of one style version. */
interface Kind {
  durationsMs: readonly number[];
  /** True if this run has added a duration. */
  isNew: boolean;
  watched: number;
}

/** A session that a caller waits for. Times are monotonic; `dueAt` is infinite while a request for it is pending. */
interface Watched {
  readonly kind: Kind;
  readonly spread: number;
  readonly failed: PollRetry;
  readonly onProgress: (percent: number) => void;
  readonly resolve: (session: RenderSession) => void;
  readonly reject: (reason: unknown) => void;
  session: RenderSession;
  startedAt: number;
  polledAt: number;
  idleAt: number;
  percent: number;
  dueAt: number;
}

/** Maximum number of durations per style version: enough to show their spread, few enough to follow a change. */
const MAX_DURATIONS = 64;
/** Below this number of durations, each new one changes the schedule of the other sessions. */
const FEW_DURATIONS = 4;
/** Minimum number of due sessions, per page of the list, for which one list request replaces single polls. */
const MIN_LISTED = 4;
const PAGE = 100;
const MAX_LIST_FAILURES = 3;
/** Minimum time between two lists, relative to a render's duration. */
const LIST_SHARE = 0.02;

/**
 * Polls the sessions of a run: with one list request if the service supports it and several are due, otherwise one by
 * one.
 */
export class SessionWatcher {
  readonly #options: SessionWatcherOptions;
  readonly #kinds = new Map<string, Kind>();
  readonly #watched = new Set<Watched>();
  #timer = new AbortController();
  #timerAt = Number.POSITIVE_INFINITY;
  #count = 0;
  #listFailures = 0;
  /** Upper bound of the offset that converts a date of the service to our monotonic clock. */
  #offsetMs = Number.POSITIVE_INFINITY;

  constructor(options: SessionWatcherOptions) {
    this.#options = options;
  }

  /**
   * Polls a session until it has ended, rendered or failed. Only permanent errors reject: see `PollRetry`.
   *
   * @returns the session in its final state
   * @throws the last error of the service, ServiceError 404 for a session that stays missing; the signal's reason
   */
  async watch(session: RenderSession, styleVersion: string, options: WatchOptions): Promise<RenderSession> {
    const { signal, onProgress } = options;
    signal.throwIfAborted();
    if (sessionEnd(session.status) !== null) return session;
    const durationsMs = this.#options.durationsMs(styleVersion).slice(-MAX_DURATIONS);
    const kind = this.#kinds.get(styleVersion) ?? { durationsMs, isNew: false, watched: 0 };
    this.#kinds.set(styleVersion, kind);
    kind.watched += 1;
    const now = this.#options.clock.monotonicNow();
    let leave = (): void => undefined;
    const ended = new Promise<RenderSession>((resolve, reject) => {
      // Multiples of the golden ratio spread any number of sessions evenly.
      const spread = (this.#count++ * 0.618) % 1;
      const times = { startedAt: now, polledAt: now, idleAt: 0, percent: -1, dueAt: 0 };
      const failed = new PollRetry(SEEN_MISSING_MS);
      const watched = { ...times, session, kind, spread, failed, onProgress, resolve, reject };
      this.#watched.add(watched);
      this.#plan(watched, 0);
      leave = () => this.#watched.delete(watched);
    });
    try {
      this.#setTimer();
      return await abortable(ended, signal);
    } finally {
      kind.watched -= 1;
      leave();
      this.#setTimer();
    }
  }

  /** Returns durations for the next run by style version, oldest first, those of earlier runs included. */
  newDurations(): ReadonlyMap<string, readonly number[]> {
    return new Map([...this.#kinds].filter(([, { isNew }]) => isNew).map(([id, kind]) => [id, kind.durationsMs]));
  }

  /** Stores the state of a running session, and schedules its next poll. */
  #plan(watched: Watched, notBefore: number): void {
    const { kind, session, polledAt, spread } = watched;
    const { render_progress: progress, created_at, updated_at } = session;
    this.#offsetMs = Math.min(this.#offsetMs, polledAt - Date.parse(updated_at));
    watched.startedAt = Math.min(watched.startedAt, Date.parse(created_at) + this.#offsetMs);
    if (progress === 0) watched.idleAt = polledAt;
    if (progress > watched.percent) {
      watched.percent = progress;
      watched.onProgress(progress);
    }
    const [ageMs, idleMs] = [polledAt, watched.idleAt].map((at) => Math.max(0, at - watched.startedAt)) as [
      number,
      number,
    ];
    const { durationsMs, watched: peers } = kind;
    const pollAge = nextPollAge({ durationsMs, ageMs, idleMs, progress, peers, spread });
    watched.dueAt = Math.max(watched.startedAt + pollAge, notBefore);
  }

  /** Sets the timer to the earliest due session. */
  #setTimer(): void {
    const { clock } = this.#options;
    const at = Math.min(...[...this.#watched].map(({ dueAt }) => dueAt));
    if (at === this.#timerAt) return;
    this.#timer.abort();
    this.#timer = new AbortController();
    this.#timerAt = at;
    if (at === Number.POSITIVE_INFINITY) return;
    const poll = (): void => {
      this.#timerAt = Number.POSITIVE_INFINITY;
      void this.#poll(Math.max(at, clock.monotonicNow()));
      this.#setTimer();
    };
    clock.wait(Math.max(0, at - clock.monotonicNow()), this.#timer.signal).then(poll, () => undefined);
  }

  async #poll(now: number): Promise<void> {
    const { service } = this.#options;
    const near = [...this.#watched].filter((one) => one.dueAt <= now + listMs(one) / 2);
    const pages = Math.ceil(this.#watched.size / PAGE);
    const canList = service.listRenderSessions !== undefined && this.#listFailures < MAX_LIST_FAILURES;
    const isListed = canList && near.length >= MIN_LISTED * pages;
    const due = isListed ? near : near.filter(({ dueAt }) => dueAt <= now);
    for (const one of due) one.dueAt = Number.POSITIVE_INFINITY;
    const listed = isListed ? await this.#list(pages * PAGE) : new Map<string, RenderSession>();
    for (const one of this.#watched) {
      const session = listed.get(one.session.id);
      if (session !== undefined) this.#update(one, session, listMs(one));
    }
    this.#setTimer();
    // A session that was created after the list request is not in it.
    for (const one of due) if (this.#watched.has(one) && !listed.has(one.session.id)) void this.#pollOne(one);
  }

  async #pollOne(watched: Watched): Promise<void> {
    try {
      const { session, retryAfterMs } = await this.#options.service.getRenderSession(watched.session.id);
      this.#update(watched, session, retryAfterMs ?? 0);
    } catch (error) {
      const now = this.#options.clock.monotonicNow();
      const delayMs = watched.failed.nextMs(error, now, watched.spread);
      if (delayMs === null) watched.reject(error);
      else watched.dueAt = now + delayMs;
    }
    this.#setTimer();
  }

  /** Returns the listed sessions by id; an empty map after an error, so that single polls report the problem. */
  async #list(count: number): Promise<ReadonlyMap<string, RenderSession>> {
    try {
      const sessions = await this.#options.service.listRenderSessions!(count);
      this.#listFailures = sessions === null ? MAX_LIST_FAILURES : 0;
      return new Map(sessions?.map((session) => [session.id, session]));
    } catch {
      this.#listFailures += 1;
      return new Map();
    }
  }

  #update(watched: Watched, session: RenderSession, minWaitMs: number): void {
    const now = this.#options.clock.monotonicNow();
    const { kind, polledAt, startedAt } = watched;
    const hasEnded = sessionEnd(session.status) !== null;
    watched.failed.clear();
    if (!hasEnded) {
      Object.assign(watched, { session, polledAt: now });
      this.#plan(watched, now + minWaitMs);
      return;
    }
    this.#watched.delete(watched);
    watched.resolve(session);
    if (sessionEnd(session.status) !== 'rendered') return;
    const [lowMs, highMs] = [polledAt - startedAt, now - startedAt];
    // Prefers the service's clock, unless its duration contradicts our polls before and after the end.
    const servedMs = Date.parse(session.updated_at) - Date.parse(session.created_at);
    const isPossible = servedMs > 0 && servedMs >= lowMs * 0.95 - 50 && servedMs <= highMs * 1.05 + 50;
    const durationMs = Math.max(1, isPossible ? servedMs : (lowMs + highMs) / 2);
    kind.durationsMs = [...kind.durationsMs, durationMs].slice(-MAX_DURATIONS);
    kind.isNew = true;
    if (kind.durationsMs.length > FEW_DURATIONS) return;
    for (const other of this.#watched) {
      if (other.kind === kind && other.dueAt !== Number.POSITIVE_INFINITY) this.#plan(other, 0);
    }
  }
}

function listMs({ kind: { durationsMs } }: Watched): number {
  return (LIST_SHARE * durationsMs.reduce((sum, one) => sum + one, 0)) / Math.max(1, durationsMs.length);
}
