import { MAX_DURATIONS, nextLookMs, type Pace, paceOf } from '../service/poll-schedule.ts';
import { type RenderService, type SessionLook, sessionEnd } from '../service/render-service.ts';
import type { RenderSession } from '../service/wire.ts';
import { lookAgainMs } from './failed-look.ts';
import type { Clock } from './ports.ts';

export interface SessionWatcherOptions {
  readonly service: RenderService;
  readonly clock: Clock;
  /** How long renders of a style version took in earlier runs, in milliseconds. */
  durationsMs(styleVersion: string): readonly number[];
}

export interface WatchOptions {
  /** Aborted: nobody waits for it any more. The session itself goes on. */
  readonly signal: AbortSignal;
  /** @param percent greater than all before */
  onProgress(percent: number): void;
}

/** What is known of the sessions of one style version. */
interface Kind {
  durationsMs: number[];
  /** Null: to be made of the durations. */
  pace: Pace | null;
  showsProgress: boolean;
  /** How many were watched so far, and how many are now. */
  begun: number;
  watched: number;
}

/** A session that somebody waits for. Times are the clock's. */
interface Watched {
  session: RenderSession;
  readonly kind: Kind;
  readonly startedAt: number;
  readonly phase: number;
  readonly options: WatchOptions;
  looks: number;
  lookedAt: number;
  /** Of the service: not before. */
  notBefore: number;
  percent: number;
  failures: number;
  failingSince: number;
  dueAt: number;
  isLooking: boolean;
  resolve(session: RenderSession): void;
  reject(reason: unknown): void;
}

/** The golden ratio spreads any number of phases evenly. */
const GOLDEN = 0.6180339887498949;

/**
 * Waits for sessions, all those of a run together, with few requests: what one took tells when to look at the others.
 * There is one timer, for the look that is due first.
 */
export class SessionWatcher {
  readonly #options: SessionWatcherOptions;
  readonly #kinds = new Map<string, Kind>();
  readonly #learnt = new Map<string, number[]>();
  readonly #watched = new Set<Watched>();
  #timer: { readonly at: number; readonly cancel: AbortController } | null = null;
  #spread = 0;

  constructor(options: SessionWatcherOptions) {
    this.#options = options;
  }

  /**
   * Looks at a session until it has ended, rendered or failed. That a look fails does not end it, for a while; that the
   * service does not have the session does.
   *
   * @returns the session as it ended
   * @throws what the service threw, ServiceError 404 for one that it does not have; the signal's reason
   */
  async watch(session: RenderSession, styleVersion: string, options: WatchOptions): Promise<RenderSession> {
    options.signal.throwIfAborted();
    if (sessionEnd(session.status) !== null) return session;
    const now = this.#options.clock.now();
    const kind = this.#kindOf(styleVersion);
    kind.begun += 1;
    kind.watched += 1;
    return await new Promise<RenderSession>((resolve, reject) => {
      const watched: Watched = {
        session,
        kind,
        startedAt: now - servedMs(session),
        phase: (kind.begun * GOLDEN) % 1,
        options,
        looks: 0,
        lookedAt: now,
        notBefore: 0,
        percent: -1,
        failures: 0,
        failingSince: 0,
        dueAt: 0,
        isLooking: false,
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
      const abort = (): void => watched.reject(options.signal.reason);
      const leave = (): void => {
        options.signal.removeEventListener('abort', abort);
        this.#watched.delete(watched);
        kind.watched -= 1;
      };
      options.signal.addEventListener('abort', abort);
      this.#watched.add(watched);
      this.#tellProgress(watched);
      this.#plan(watched);
      this.#setTimer();
    });
  }

  /** Durations of this run after those of earlier ones, by style version, oldest first: what the next run can use. */
  learnt(): ReadonlyMap<string, readonly number[]> {
    return this.#learnt;
  }

  #kindOf(styleVersion: string): Kind {
    const known = this.#kinds.get(styleVersion);
    if (known !== undefined) return known;
    const durationsMs = this.#options.durationsMs(styleVersion).slice(-MAX_DURATIONS);
    const kind = { durationsMs, pace: paceOf(durationsMs), showsProgress: false, begun: 0, watched: 0 };
    this.#kinds.set(styleVersion, kind);
    return kind;
  }

  /** The first of a kind that ends tells when to look at all the others. */
  #learn(styleVersion: string, watched: Watched, ended: RenderSession): void {
    const { kind } = watched;
    if (sessionEnd(ended.status) !== 'rendered') return;
    const wasUnknown = kind.durationsMs.length < 4;
    kind.durationsMs = [...kind.durationsMs, this.#durationMs(watched, ended)].slice(-MAX_DURATIONS);
    kind.pace = null;
    this.#learnt.set(styleVersion, kind.durationsMs);
    if (!wasUnknown) return;
    for (const other of this.#watched) if (other.kind === kind && !other.isLooking) this.#plan(other);
    this.#setTimer();
  }

  /** By the service's clock, unless that cannot be: the session was at work at one look, and not at the next. */
  #durationMs({ startedAt, lookedAt, looks }: Watched, ended: RenderSession): number {
    const served = servedMs(ended);
    const [lowMs, highMs] = [looks === 0 ? 0 : lookedAt - startedAt, this.#options.clock.now() - startedAt];
    const isPossible = served > 0 && served >= lowMs * 0.95 - 50 && served <= highMs * 1.05 + 50;
    return Math.max(1, isPossible ? served : (lowMs + highMs) / 2);
  }

  #plan(watched: Watched): void {
    const { service, clock } = this.#options;
    const { kind, startedAt, lookedAt, looks, session, phase, notBefore } = watched;
    if (!service.outlivesProcess) {
      // Here a look is a function call.
      watched.dueAt = clock.now() + service.minPollMs;
      return;
    }
    if (kind.durationsMs.length > 0) kind.pace ??= paceOf(kind.durationsMs);
    const ageMs = nextLookMs({
      pace: kind.pace,
      ageMs: lookedAt - startedAt,
      looks,
      progress: session.render_progress,
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
    const { clock } = this.#options;
    const goOff = (): void => {
      if (this.#timer?.cancel !== cancel) return;
      this.#timer = null;
      this.#lookAtDue();
      this.#setTimer();
    };
    clock.wait(Math.max(0, at - clock.now()), cancel.signal).then(goOff, goOff);
  }

  #lookAtDue(): void {
    const now = this.#options.clock.now();
    for (const watched of this.#watched) if (!watched.isLooking && watched.dueAt <= now) void this.#look(watched);
  }

  async #look(watched: Watched): Promise<void> {
    watched.isLooking = true;
    try {
      this.#saw(watched, await this.#options.service.getRenderSession(watched.session.id));
    } catch (error) {
      this.#failed(watched, error);
    }
    watched.isLooking = false;
    if (this.#watched.has(watched)) this.#setTimer();
  }

  #saw(watched: Watched, { session, retryAfterMs }: SessionLook): void {
    if (!this.#watched.has(watched)) return;
    const now = this.#options.clock.now();
    watched.session = session;
    watched.failures = 0;
    if (sessionEnd(session.status) !== null) {
      watched.resolve(session);
      return;
    }
    watched.looks += 1;
    watched.lookedAt = now;
    watched.notBefore = now + (retryAfterMs ?? 0);
    if (session.render_progress > 0 && session.render_progress < 100) watched.kind.showsProgress = true;
    this.#tellProgress(watched);
    this.#plan(watched);
  }

  #failed(watched: Watched, error: unknown): void {
    if (!this.#watched.has(watched)) return;
    const now = this.#options.clock.now();
    if (watched.failures === 0) watched.failingSince = now;
    watched.failures += 1;
    this.#spread = (this.#spread + GOLDEN) % 1;
    const { failures, failingSince } = watched;
    const delayMs = lookAgainMs(error, { failures, failingMs: now - failingSince, jitter: this.#spread });
    if (delayMs === null) watched.reject(error);
    else watched.dueAt = now + delayMs;
  }

  #tellProgress(watched: Watched): void {
    const { render_progress: percent } = watched.session;
    if (percent <= watched.percent) return;
    watched.percent = percent;
    watched.options.onProgress(percent);
  }
}

/** How long the service had worked on a session when it last wrote it, by its own clock. */
function servedMs({ created_at, updated_at }: RenderSession): number {
  return Math.max(0, Date.parse(updated_at) - Date.parse(created_at));
}
