import { lacksVideo, type RemoteRenderService, sessionEnd } from '../../contract/render-service.ts';
import type { RenderSession } from '../../contract/wire/render-session.ts';
import { abortable } from '../../kernel/abortable.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { PollRetry, SEEN_MISSING_MS } from '../service-client/retry.ts';

export interface RunClock {
  /** Milliseconds since the epoch, for dates. May jump when the clock is set. */
  now(): number;
  /** Milliseconds of a clock that never jumps, for durations within this process. */
  monotonicNow(): number;
  /** Rejects with the signal's reason when it is aborted. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

interface SessionWatcherOptions {
  readonly service: Pick<RemoteRenderService, 'getRenderSession' | 'listRenderSessions'>;
  readonly clock: RunClock;
  /** Durations of earlier renders of a style version, in milliseconds, oldest first. */
  durationsMs(styleVersion: string): readonly number[];
}

interface WatchOptions {
  /** Aborted when the caller stops waiting. The session keeps running. */
  readonly signal: AbortSignal;
  /** Further outputs of the video, whose URLs are awaited too. */
  readonly outputNames: readonly string[];
  /** How long to wait for the URLs of a rendered session, in milliseconds. */
  readonly videoPatienceMs: number;
  /** @param percent greater than in all earlier calls */
  onProgress(percent: number): void;
  /** Returns an error for an answer about another session or other content. */
  mismatch(session: RenderSession): ReelformError | null;
}

/**
 * A session in its last known state. Times are monotonic; `idleAt`: the last poll without progress, until which it may
 * have been queued; `notBefore`: the earliest time of the next poll; `incompleteAt`: the first poll that found it
 * rendered without a URL.
 */
interface Watched extends Pick<WatchOptions, 'outputNames' | 'mismatch'> {
  readonly styleVersion: string;
  readonly retry: PollRetry;
  readonly spread: number;
  session: RenderSession;
  startedAt: number;
  polledAt: number;
  idleAt: number;
  notBefore: number;
  incompleteAt: number | null;
  /** Ends the wait for the next poll, which is then scheduled again. */
  wake: () => void;
}

/** Maximum number of durations per style version; each of the first few changes the schedule of all sessions. */
const [MAX_DURATIONS, FEW_DURATIONS] = [64, 4];
/** Milliseconds, except the last: minimum relative to the age. */
const [FIRST_POLL_MS, MIN_STEP_MS, MAX_STEP_MS, MIN_STEP] = [250, 100, 60_000, 0.02];
/** Processor time of a poll, of both sides. First polls that come sooner delay the last requests of a large run. */
const MS_PER_POLL = 2;
/** Timers are imprecise and a poll too early is wasted; durations up to `SPAN` apart share a poll. */
const [MARGIN, SPAN] = [1.002, 1.03];
/** Interval between polls of a rendered session without a URL: minimum and maximum in milliseconds, and growth. */
const [MIN_URL_STEP_MS, MAX_URL_STEP_MS, URL_STEP] = [500, 10_000, 0.5];
/** Sessions of one page of the list; fewer than `MIN_LISTED` sessions are polled one by one. */
const [PAGE, MIN_LISTED, MAX_USELESS_LISTS] = [100, 4, 3];

/** Polls the sessions of a run: all with one list request if the service has it, otherwise one by one. */
export class SessionWatcher {
  readonly #options: SessionWatcherOptions;
  readonly #durationsMs = new Map<string, readonly number[]>();
  readonly #watched = new Set<Watched>();
  #listing: Promise<ReadonlySet<string>> | null = null;
  #uselessLists = 0;
  #count = 0;
  /** Upper bound of the offset that converts a date of the service to our monotonic clock. */
  #offsetMs = Number.POSITIVE_INFINITY;

  constructor(options: SessionWatcherOptions) {
    this.#options = options;
  }

  /**
   * Polls a session until it has failed, or is rendered and the URLs of its files are known. Only permanent errors
   * reject: see `PollRetry`.
   *
   * @throws the last error of the service, ServiceError 404 for a session that stays missing; ReelformError
   *   `session_without_video`, `session_differs`; the signal's reason
   */
  async watch(session: RenderSession, styleVersion: string, options: WatchOptions): Promise<RenderSession> {
    const { signal, onProgress, outputNames, mismatch, videoPatienceMs } = options;
    const { clock } = this.#options;
    signal.throwIfAborted();
    if (endOf({ session, outputNames }) !== null) return session;
    const now = clock.monotonicNow();
    const times = { startedAt: now, polledAt: now, idleAt: now, notBefore: now, incompleteAt: null };
    const retry = new PollRetry(SEEN_MISSING_MS);
    // Multiples of the golden ratio spread any number of sessions evenly over 0..1.
    const spread = (this.#count++ * 0.618) % 1;
    const start = { session, outputNames, mismatch, ...times };
    const watched: Watched = { styleVersion, retry, spread, ...start, wake: () => undefined };
    this.#watched.add(watched);
    this.#update(watched, session);
    try {
      for (let percent = -1; endOf(watched) === null; ) {
        const { incompleteAt } = watched;
        if (incompleteAt !== null && clock.monotonicNow() - incompleteAt >= videoPatienceMs)
          throw withoutVideo(session);
        if (watched.session.render_progress > percent) onProgress(watched.session.render_progress);
        percent = Math.max(percent, watched.session.render_progress);
        const timer = new AbortController();
        watched.wake = () => timer.abort('scheduled again');
        const { polledAt } = watched;
        const waitMs = Math.max(this.#dueAt(watched), watched.notBefore) - clock.monotonicNow();
        const wait = (): Promise<void> => clock.wait(waitMs, timer.signal).catch(() => undefined);
        if (waitMs > 0) await abortable(wait(), signal);
        // A list may have covered it meanwhile.
        if (!timer.signal.aborted && watched.polledAt === polledAt) await abortable(this.#poll(watched), signal);
      }
      return watched.session;
    } finally {
      this.#watched.delete(watched);
      watched.wake();
    }
  }

  /** Returns durations for the next run by style version, oldest first, those of earlier runs included. */
  newDurations(): ReadonlyMap<string, readonly number[]> {
    return this.#durationsMs;
  }

  #knownMs(styleVersion: string): readonly number[] {
    return this.#durationsMs.get(styleVersion) ?? this.#options.durationsMs(styleVersion);
  }

  /**
   * Returns when to poll a session next: estimated from its progress, else from the durations of earlier renders, else
   * with a growing interval, spread over its peers, because the first session that ends shows when to poll its peers.
   */
  #dueAt({ styleVersion, session, spread, startedAt, polledAt, idleAt, incompleteAt }: Watched): number {
    if (incompleteAt !== null) {
      const stepMs = (polledAt - incompleteAt) * URL_STEP;
      return polledAt + Math.min(MAX_URL_STEP_MS, Math.max(MIN_URL_STEP_MS, stepMs));
    }
    const { render_progress: progress } = session;
    const sortedMs = this.#knownMs(styleVersion).toSorted((a, b) => a - b);
    const [longestMs = 0, ageMs, renderingMs] = [sortedMs.at(-1), polledAt - startedAt, polledAt - idleAt];
    const nextMs = sortedMs.find((durationMs) => durationMs * MARGIN > ageMs);
    let expectedMs: number;
    if (progress > 0 && progress < 100) {
      // Progress is reported in whole per cent, so the first values are unreliable.
      const leftMs = (renderingMs * (100 - progress)) / (progress + 0.3);
      expectedMs = ageMs + Math.min(leftMs, Math.max(longestMs - ageMs, 3 * renderingMs));
    } else if (nextMs !== undefined) {
      expectedMs = sortedMs.findLast((durationMs) => durationMs <= nextMs * SPAN)!;
    } else if (longestMs > 0) {
      expectedMs = ageMs + Math.min(MAX_STEP_MS, (ageMs - longestMs) / 2);
    } else {
      const peers = [...this.#watched].filter((peer) => peer.styleVersion === styleVersion).length;
      const factor = Math.min(1.5, 1.08 ** peers);
      const firstMs = Math.max(FIRST_POLL_MS, MS_PER_POLL * peers);
      const fromMs = Math.max(ageMs, firstMs * factor ** (spread - 1));
      expectedMs = Math.min(fromMs * factor, fromMs + MAX_STEP_MS);
    }
    return startedAt + Math.max(expectedMs * MARGIN, ageMs + Math.max(MIN_STEP_MS, MIN_STEP * ageMs));
  }

  /** Polls a due session, or all sessions at once. Concurrent callers share one list request. */
  async #poll(watched: Watched): Promise<void> {
    const { service, clock } = this.#options;
    const canList = service.listRenderSessions !== undefined && this.#uselessLists < MAX_USELESS_LISTS;
    const stepMs = MIN_STEP * (clock.monotonicNow() - watched.startedAt);
    if (canList && this.#watched.size >= MIN_LISTED) this.#listing ??= this.#list(stepMs);
    // A session that was created after the list request is not in it.
    if ((await this.#listing)?.has(watched.session.id) === true) return;
    try {
      const { session, retryAfterMs } = await service.getRenderSession(watched.session.id);
      const mismatch = watched.mismatch(session);
      if (mismatch !== null) throw mismatch;
      this.#update(watched, session, retryAfterMs ?? 0);
    } catch (error) {
      const now = clock.monotonicNow();
      const delayMs = watched.retry.nextMs(error, now, watched.spread);
      if (delayMs === null) throw error;
      watched.notBefore = now + delayMs;
    }
  }

  /**
   * Returns the ids of the listed sessions; none after an error, so that single polls report the problem.
   *
   * @param waitMs minimum time until the next poll of the listed sessions, so that more of them share it
   */
  async #list(waitMs: number): Promise<ReadonlySet<string>> {
    const count = Math.ceil(this.#watched.size / PAGE) * PAGE;
    const sessions = await this.#options.service.listRenderSessions!(count).catch(() => []);
    this.#listing = null;
    if (sessions === null) this.#uselessLists = MAX_USELESS_LISTS;
    else this.#uselessLists = sessions.length === 0 ? this.#uselessLists + 1 : 0;
    const listed = new Map(sessions?.map((session) => [session.id, session]));
    for (const watched of this.#watched) {
      const session = listed.get(watched.session.id);
      if (session === undefined) continue;
      // A poll of this session alone reports the problem.
      if (watched.mismatch(session) !== null) listed.delete(session.id);
      else this.#update(watched, session, waitMs);
    }
    return new Set(listed.keys());
  }

  /** Stores the state of a session, and its duration if it has been rendered. */
  #update(watched: Watched, session: RenderSession, waitMs = 0): void {
    // The answer of an earlier request may arrive after the end.
    if (endOf(watched) !== null) return;
    const { styleVersion, polledAt, session: former } = watched;
    const now = this.#options.clock.monotonicNow();
    const [createdAt, updatedAt] = [Date.parse(session.created_at), Date.parse(session.updated_at)];
    this.#offsetMs = Math.min(this.#offsetMs, now - updatedAt);
    const startedAt = Math.min(watched.startedAt, createdAt + this.#offsetMs);
    const idleAt = session.render_progress === 0 ? now : watched.idleAt;
    Object.assign(watched, { session, startedAt, polledAt: now, idleAt, notBefore: now + waitMs });
    watched.incompleteAt = lacksVideo(session, watched.outputNames) ? (watched.incompleteAt ?? now) : null;
    watched.retry.clear();
    const end = endOf(watched);
    if (end !== null || session.render_progress > former.render_progress) watched.wake();
    if (end !== 'rendered') return;
    // The service's clock is more precise than our polls before and after the end, but may be wrong.
    const durationMs = Math.max(1, polledAt - startedAt, Math.min(now - startedAt, updatedAt - createdAt));
    const durationsMs = [...this.#knownMs(styleVersion), durationMs].slice(-MAX_DURATIONS);
    this.#durationsMs.set(styleVersion, durationsMs);
    if (durationsMs.length <= FEW_DURATIONS) for (const peer of this.#watched) peer.wake();
  }
}

/** Like `sessionEnd`, but a rendered session has not ended before the URLs of its files are known. */
function endOf({ session, outputNames }: Pick<Watched, 'session' | 'outputNames'>): 'rendered' | 'failed' | null {
  return lacksVideo(session, outputNames) ? null : sessionEnd(session.status);
}

function withoutVideo({ id }: RenderSession): ReelformError {
  const message = `The session ${id} is rendered, but the service has not named the URL of its video`;
  return new ReelformError('session_without_video', message, {
    hint: 'Check the session on the service, then run apply again: it reads the same session and requests no new one',
  });
}
