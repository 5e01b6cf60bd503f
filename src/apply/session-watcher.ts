import { listTickMs, nextLookMs } from '../service/poll-schedule.ts';
import { type RenderService, type SessionLook, sessionEnd } from '../service/render-service.ts';
import type { RenderSession } from '../wire/render-session.ts';
import { FailedLooks, SEEN_MISSING_MS } from './failed-looks.ts';
import type { Clock } from './ports.ts';
import { GOLDEN, SessionKind } from './session-kind.ts';
import { SharedListeners } from './shared-listeners.ts';

export interface SessionWatcherOptions {
  readonly service: RenderService;
  readonly clock: Clock;
  /** How long renders of a style version took in earlier runs, in milliseconds, oldest first. */
  durationsMs(styleVersion: string): readonly number[];
}

export interface WatchOptions {
  /** Aborted: nobody waits for it any more. The session itself goes on. */
  readonly signal: AbortSignal;
  /** @param percent greater than all before */
  onProgress(percent: number): void;
}

/** A session that somebody waits for. Times are the clock's. */
interface Watched {
  session: RenderSession;
  readonly kind: SessionKind;
  readonly phase: number;
  readonly onProgress: (percent: number) => void;
  startedAt: number;
  looks: number;
  lookedAt: number;
  /** Of the last look that showed no progress. */
  idleAt: number;
  percent: number;
  readonly failed: FailedLooks;
  dueAt: number;
  isLooking: boolean;
  readonly resolve: (session: RenderSession) => void;
  readonly reject: (reason: unknown) => void;
}

/** So many sessions that are due together are worth a list of all. */
const MIN_LISTED = 4;
/** What a service gives on one page. */
const PAGE = 100;
const MAX_LIST_FAILURES = 3;

/**
 * Waits for sessions, all those of a run together, with few requests: what one took tells when to look at the others,
 * and where the service lists its sessions, one request looks at all. There is one timer, for the look that is due first.
 */
export class SessionWatcher {
  readonly #options: SessionWatcherOptions;
  readonly #kinds = new Map<string, SessionKind>();
  readonly #learnt = new Map<string, readonly number[]>();
  readonly #watched = new Set<Watched>();
  readonly #listeners = new SharedListeners();
  #timer: { readonly at: number; readonly cancel: AbortController } | null = null;
  #latest = 0;
  #retries = 0;
  #listFailures = 0;
  /** What to add to a date of the service to get a time of our monotonic clock, at most. */
  #aheadMs = Number.POSITIVE_INFINITY;

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
    const kind = this.#kindOf(styleVersion);
    const now = this.#now();
    kind.watched += 1;
    return await new Promise<RenderSession>((resolve, reject) => {
      const seen = { looks: 0, lookedAt: now, idleAt: 0, percent: -1 };
      const state = { failed: new FailedLooks(SEEN_MISSING_MS), dueAt: 0, isLooking: false };
      const watched: Watched = {
        ...seen,
        ...state,
        session,
        kind,
        phase: kind.nextPhase(),
        onProgress,
        startedAt: now,
        resolve: (ended) => {
          leave();
          this.#learn(styleVersion, watched, ended);
          resolve(ended);
        },
        reject: (reason) => {
          leave();
          reject(reason as Error);
        },
      };
      const leave = (): void => {
        stopListening();
        this.#watched.delete(watched);
        kind.watched -= 1;
        // A timer that nobody needs would keep the process from its end.
        if (this.#watched.size === 0) this.#setTimer();
      };
      const stopListening = this.#listeners.listen(signal, watched.reject);
      this.#watched.add(watched);
      this.#note(watched, session, now);
      this.#plan(watched, 0);
      this.#setTimer();
    });
  }

  /** Durations, those of this run after those of earlier ones, by style version, oldest first: for the next run. */
  learnt(): ReadonlyMap<string, readonly number[]> {
    return this.#learnt;
  }

  #kindOf(styleVersion: string): SessionKind {
    const kind = this.#kinds.get(styleVersion) ?? new SessionKind(this.#options.durationsMs(styleVersion));
    this.#kinds.set(styleVersion, kind);
    return kind;
  }

  #learn(styleVersion: string, watched: Watched, ended: RenderSession): void {
    const { kind } = watched;
    if (sessionEnd(ended.status) !== 'rendered') return;
    const isNews = kind.learn(this.#durationMs(watched, ended));
    this.#learnt.set(styleVersion, kind.durationsMs);
    if (!isNews) return;
    for (const other of this.#watched) if (other.kind === kind && !other.isLooking) this.#plan(other, 0);
    this.#setTimer();
  }

  /** By the service's clock, unless that cannot be: the session was at work at one look, and not at the next. */
  #durationMs({ startedAt, lookedAt, looks }: Watched, ended: RenderSession): number {
    const served = Date.parse(ended.updated_at) - Date.parse(ended.created_at);
    const [lowMs, highMs] = [looks === 0 ? 0 : lookedAt - startedAt, this.#now() - startedAt];
    const isPossible = served > 0 && served >= lowMs * 0.95 - 50 && served <= highMs * 1.05 + 50;
    return Math.max(1, isPossible ? served : (lowMs + highMs) / 2);
  }

  /** Takes in a session that has not ended. Its age is told by the service's clock, as far as that is known. */
  #note(watched: Watched, session: RenderSession, now: number): void {
    watched.session = session;
    this.#aheadMs = Math.min(this.#aheadMs, now - Date.parse(session.updated_at));
    watched.startedAt = Math.min(watched.startedAt, Date.parse(session.created_at) + this.#aheadMs);
    const { render_progress: percent } = session;
    if (percent === 0) watched.idleAt = watched.lookedAt;
    if (percent > 0 && percent < 100) watched.kind.showsProgress = true;
    if (percent <= watched.percent) return;
    watched.percent = percent;
    watched.onProgress(percent);
  }

  /** @param notBefore by the clock */
  #plan(watched: Watched, notBefore: number): void {
    const { service } = this.#options;
    const { kind, startedAt, lookedAt, idleAt, looks, session, phase } = watched;
    if (!service.outlivesProcess) {
      // Here a look is a function call.
      watched.dueAt = this.#now() + service.minPollMs;
      return;
    }
    const ageMs = nextLookMs({
      pace: kind.pace,
      ageMs: lookedAt - startedAt,
      looks,
      progress: session.render_progress,
      idleMs: Math.max(0, idleAt - startedAt),
      showsProgress: kind.showsProgress,
      peers: kind.watched,
      phase,
      minPollMs: service.minPollMs,
    });
    watched.dueAt = Math.max(Math.ceil(startedAt + ageMs), notBefore);
  }

  #setTimer(): void {
    let at = Number.POSITIVE_INFINITY;
    for (const { isLooking, dueAt } of this.#watched) if (!isLooking && dueAt < at) at = dueAt;
    // One that goes off sooner sets the next.
    if (this.#timer !== null && this.#timer.at <= at && at !== Number.POSITIVE_INFINITY) return;
    this.#timer?.cancel.abort();
    this.#timer = null;
    if (at === Number.POSITIVE_INFINITY) return;
    const cancel = new AbortController();
    this.#timer = { at, cancel };
    const goOff = (): void => {
      if (this.#timer?.cancel !== cancel) return;
      this.#timer = null;
      this.#latest = Math.max(this.#latest, at);
      this.#lookAtDue();
      this.#setTimer();
    };
    this.#options.clock.wait(Math.max(0, at - this.#now()), cancel.signal).then(goOff, goOff);
  }

  /** The monotonic clock, and never before what was waited for. */
  #now(): number {
    this.#latest = Math.max(this.#latest, this.#options.clock.monotonicNow());
    return this.#latest;
  }

  #lookAtDue(): void {
    const now = this.#now();
    const idle = [...this.#watched].filter(({ isLooking }) => !isLooking);
    const due = idle.filter(({ dueAt }) => dueAt <= now);
    const near = idle.filter(({ dueAt, kind }) => dueAt <= now + listTickMs(kind.pace) / 2);
    const pages = Math.ceil(this.#watched.size / PAGE);
    if (this.#canList() && near.length >= MIN_LISTED * pages) void this.#lookAtAll(near);
    else for (const watched of due) void this.#look(watched);
  }

  #canList(): boolean {
    const { service } = this.#options;
    return (
      service.outlivesProcess && service.listRenderSessions !== undefined && this.#listFailures < MAX_LIST_FAILURES
    );
  }

  async #look(watched: Watched): Promise<void> {
    watched.isLooking = true;
    try {
      this.#saw(watched, await this.#options.service.getRenderSession(watched.session.id), 0);
    } catch (error) {
      this.#failed(watched, error);
    }
    watched.isLooking = false;
    if (this.#watched.has(watched)) this.#setTimer();
  }

  /** Those that are near their time, and with them all others that the list shows. */
  async #lookAtAll(near: readonly Watched[]): Promise<void> {
    for (const watched of near) watched.isLooking = true;
    const sessions = await this.#list();
    for (const watched of near) watched.isLooking = false;
    for (const watched of this.#watched) {
      const session = sessions.get(watched.session.id);
      // What began after the list was asked for is not in it.
      if (session !== undefined) this.#saw(watched, { session, retryAfterMs: null }, listTickMs(watched.kind.pace));
    }
    const now = this.#now();
    for (const watched of near) {
      const isUnseen = this.#watched.has(watched) && !sessions.has(watched.session.id);
      if (isUnseen && watched.dueAt <= now && !watched.isLooking) void this.#look(watched);
    }
    this.#setTimer();
  }

  /** By id; none when there is no list to be had. */
  async #list(): Promise<ReadonlyMap<string, RenderSession>> {
    try {
      const list = await this.#options.service.listRenderSessions!(Math.ceil(this.#watched.size / PAGE) * PAGE);
      this.#listFailures = list === null ? MAX_LIST_FAILURES : 0;
      return new Map(list?.map((session) => [session.id, session]));
    } catch {
      // The looks at the single sessions tell what is wrong.
      this.#listFailures += 1;
      return new Map();
    }
  }

  #saw(watched: Watched, { session, retryAfterMs }: SessionLook, restMs: number): void {
    if (!this.#watched.has(watched)) return;
    watched.failed.clear();
    if (sessionEnd(session.status) !== null) {
      watched.resolve(session);
      return;
    }
    const now = this.#now();
    watched.looks += 1;
    watched.lookedAt = now;
    this.#note(watched, session, now);
    this.#plan(watched, now + Math.max(retryAfterMs ?? 0, restMs));
  }

  #failed(watched: Watched, error: unknown): void {
    if (!this.#watched.has(watched)) return;
    const now = this.#now();
    this.#retries += 1;
    const delayMs = watched.failed.nextMs(error, now, (this.#retries * GOLDEN) % 1);
    if (delayMs === null) watched.reject(error);
    else watched.dueAt = now + delayMs;
  }
}
