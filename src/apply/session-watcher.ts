import { abortable } from '../abortable.ts';
import { type RenderService, sessionEnd } from '../service/render-service.ts';
import type { RenderSession } from '../wire/render-session.ts';
import { FailedLooks, nextPollAge, SEEN_MISSING_MS } from './poll-schedule.ts';
import type { Clock } from './ports.ts';

export interface SessionWatcherOptions {
  readonly service: Pick<RenderService, 'getRenderSession' | 'listRenderSessions'>;
  readonly clock: Clock;
  /** How long renders of a style version took in earlier runs, in milliseconds, oldest first. */
  durationsMs(styleVersion: string): readonly number[];
}

export interface WatchOptions {
  /** Aborted: the caller stops waiting. The session itself goes on. */
  readonly signal: AbortSignal;
  /** @param percent greater than all before */
  onProgress(percent: number): void;
}

/** The sessions of one style version. */
interface Kind {
  durationsMs: readonly number[];
  /** Whether this run has added a duration. */
  isNew: boolean;
  watched: number;
}

/** A session that is waited for. Times are monotonic; `dueAt` is infinite while a request for it is running. */
interface Watched {
  readonly kind: Kind;
  readonly spread: number;
  readonly failed: FailedLooks;
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

/** Enough durations of a style version to show their spread, few enough to follow a change. */
const MAX_DURATIONS = 64;
/** Until a style version has so many durations, each new one changes what is expected of the others. */
const FEW_DURATIONS = 4;
/** So many sessions that are due together, for each page of the list, are worth listing all of them. */
const MIN_LISTED = 4;
const PAGE = 100;
const MAX_LIST_FAILURES = 3;
/** Time between two lists, as a share of a render's duration. */
const LIST_SHARE = 0.02;

/** Polls the sessions of a run: with a list of all where the service has one and several are due, else one by one. */
export class SessionWatcher {
  readonly #options: SessionWatcherOptions;
  readonly #kinds = new Map<string, Kind>();
  readonly #watched = new Set<Watched>();
  #timer = new AbortController();
  #timerAt = Number.POSITIVE_INFINITY;
  #count = 0;
  #listFailures = 0;
  /** What to add to a date of the service to get a time of our monotonic clock, at most. */
  #offsetMs = Number.POSITIVE_INFINITY;

  constructor(options: SessionWatcherOptions) {
    this.#options = options;
  }

  /**
   * Polls a session until it has ended, rendered or failed. Errors end it only when they do not pass: see `FailedLooks`.
   *
   * @returns the session as it ended
   * @throws what the service threw last, ServiceError 404 for a session that stays away; the signal's reason
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
      // The golden ratio spreads any number of sessions evenly.
      const spread = (this.#count++ * 0.618) % 1;
      const times = { startedAt: now, polledAt: now, idleAt: 0, percent: -1, dueAt: 0 };
      const failed = new FailedLooks(SEEN_MISSING_MS);
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

  /** Durations, those of this run after those of earlier ones, by style version, oldest first: for the next run. */
  learnt(): ReadonlyMap<string, readonly number[]> {
    return new Map([...this.#kinds].filter(([, { isNew }]) => isNew).map(([id, kind]) => [id, kind.durationsMs]));
  }

  /** Takes in the state of a session that has not ended, and decides when to poll it next. */
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

  /** Polls what is due when the first session is. */
  #setTimer(): void {
    const { clock } = this.#options;
    const at = Math.min(...[...this.#watched].map(({ dueAt }) => dueAt));
    if (at === this.#timerAt) return;
    this.#timer.abort();
    this.#timer = new AbortController();
    this.#timerAt = at;
    if (at === Number.POSITIVE_INFINITY) return;
    const ring = (): void => {
      this.#timerAt = Number.POSITIVE_INFINITY;
      void this.#poll(Math.max(at, clock.monotonicNow()));
      this.#setTimer();
    };
    clock.wait(Math.max(0, at - clock.monotonicNow()), this.#timer.signal).then(ring, () => undefined);
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
      if (session !== undefined) this.#saw(one, session, listMs(one));
    }
    this.#setTimer();
    // A session that began after the list was requested is not in it.
    for (const one of due) if (this.#watched.has(one) && !listed.has(one.session.id)) void this.#look(one);
  }

  async #look(watched: Watched): Promise<void> {
    try {
      const { session, retryAfterMs } = await this.#options.service.getRenderSession(watched.session.id);
      this.#saw(watched, session, retryAfterMs ?? 0);
    } catch (error) {
      const now = this.#options.clock.monotonicNow();
      const delayMs = watched.failed.nextMs(error, now, watched.spread);
      if (delayMs === null) watched.reject(error);
      else watched.dueAt = now + delayMs;
    }
    this.#setTimer();
  }

  /** The sessions of the list by id; empty when there is none, so that each is polled by itself and tells what is wrong. */
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

  #saw(watched: Watched, session: RenderSession, restMs: number): void {
    const now = this.#options.clock.monotonicNow();
    const { kind, polledAt, startedAt } = watched;
    const hasEnded = sessionEnd(session.status) !== null;
    watched.failed.clear();
    if (!hasEnded) {
      Object.assign(watched, { session, polledAt: now });
      this.#plan(watched, now + restMs);
      return;
    }
    this.#watched.delete(watched);
    watched.resolve(session);
    if (sessionEnd(session.status) !== 'rendered') return;
    const [lowMs, highMs] = [polledAt - startedAt, now - startedAt];
    // By the service's clock, unless that cannot be: the session was running at one poll, and not at the next.
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
