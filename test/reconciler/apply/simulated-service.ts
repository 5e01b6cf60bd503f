import pLimit from 'p-limit';
import type { RemoteRenderService } from '../../../src/contract/render-service.ts';
import type { RenderSession } from '../../../src/contract/wire/render-session.ts';
import type { RunClock } from '../../../src/reconciler/apply/session-watcher.ts';
import { SessionWatcher } from '../../../src/reconciler/apply/session-watcher.ts';
import { bareSession } from '../../../src/reconciler/service-client/read-answer.ts';

interface Timer {
  readonly at: number;
  readonly order: number;
  fire(): void;
}

/** A clock that stands still until all code waits, and then jumps to the next timer. */
export class SimulatedClock implements RunClock {
  #nowMs = Date.parse('2026-01-01T00:00:00Z');
  #order = 0;
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#nowMs;
  }

  monotonicNow(): number {
    return this.#nowMs;
  }

  /** Whether no timer is pending. */
  get isIdle(): boolean {
    return this.#timers.size === 0;
  }

  wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      this.#order += 1;
      const timer: Timer = { at: this.#nowMs + milliseconds, order: this.#order, fire: resolve };
      this.#timers.add(timer);
      signal?.addEventListener('abort', () => {
        if (this.#timers.delete(timer)) reject(signal.reason as Error);
      });
    });
  }

  /** Advances time until the promise settles. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
    };
    promise.then(settle, settle);
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (isSettled) return await promise;
      let first: Timer | null = null;
      for (const timer of this.#timers) {
        if (first === null || timer.at < first.at || (timer.at === first.at && timer.order < first.order)) {
          first = timer;
        }
      }
      if (first === null) throw new Error('nothing is waited for, and it is not over');
      this.#nowMs = Math.max(this.#nowMs, first.at);
      this.#timers.delete(first);
      first.fire();
    }
  }
}

/** Options of a service in simulated time. */
export interface SimulatedServiceOptions {
  readonly clock: SimulatedClock;
  /** Milliseconds that the n-th session renders. */
  durationMs(index: number): number;
  /** Milliseconds that the n-th session queues first; default 0. */
  waitMs?(index: number): number;
  /** Milliseconds of a request and its response. */
  readonly roundTripMs: number;
  /** Offset of its clock from ours in milliseconds. */
  readonly clockAheadMs?: number;
  readonly showsProgress?: boolean;
  /** Whether it can list its sessions. */
  readonly lists?: boolean;
  /** Throws the failure of a poll, given the number of earlier polls. */
  fail?(looks: number): void;
}

interface Simulated {
  readonly startedAt: number;
  readonly waitMs: number;
  readonly durationMs: number;
}

export interface SimulatedService extends RemoteRenderService {
  readonly requests: { posts: number; looks: number; lists: number };
}

export function simulatedService(options: SimulatedServiceOptions): SimulatedService {
  const { clock, roundTripMs, clockAheadMs = 0 } = options;
  const sessions = new Map<string, Simulated>();
  const requests = { posts: 0, looks: 0, lists: 0 };
  const time = (at: number): string => new Date(Math.round(at + clockAheadMs)).toISOString();

  const stateOf = (id: string): RenderSession => {
    const { startedAt, waitMs, durationMs } = sessions.get(id)!;
    const share = Math.max(0, clock.now() - startedAt - waitMs) / durationMs;
    const created = { ...bareSession(id, 0), created_at: time(startedAt), updated_at: time(startedAt) };
    if (share < 1) return { ...created, render_progress: options.showsProgress ? Math.floor(share * 100) : 0 };
    const updated_at = time(startedAt + waitMs + durationMs);
    return { ...created, status: 'preview_rendered', render_progress: 100, video_url: 'https://x', updated_at };
  };

  const travelling = async <T>(there: () => T): Promise<T> => {
    await clock.wait(roundTripMs / 2);
    const answer = there();
    await clock.wait(roundTripMs / 2);
    return answer;
  };

  const listRenderSessions = (count: number): Promise<RenderSession[]> =>
    travelling(() => {
      requests.lists += Math.ceil(count / 100);
      return [...sessions.keys()].slice(-count).reverse().map(stateOf);
    });

  return {
    name: 'https://simulated.example',
    requests,
    outlivesProcess: true,
    accountDigest: () => 'account',
    features: async () => ({}),
    serviceTime: async () => null,
    keyLifetimeMs: () => null,
    getStyleVersion: () => Promise.reject(new Error('not here')),
    uploadSource: () => Promise.reject(new Error('not here')),
    createRenderSession: () =>
      travelling(() => {
        const id = `session-${requests.posts}`;
        const waitMs = options.waitMs?.(requests.posts) ?? 0;
        sessions.set(id, { startedAt: clock.now(), waitMs, durationMs: options.durationMs(requests.posts) });
        requests.posts += 1;
        return stateOf(id);
      }),
    ...(options.lists === true ? { listRenderSessions } : {}),
    getRenderSession: (id) =>
      travelling(() => {
        requests.looks += 1;
        options.fail?.(requests.looks - 1);
        return { session: stateOf(id), retryAfterMs: null };
      }),
  };
}

/** Options of a watch in which every answer is about the right session. */
export const WATCHED = { outputNames: [], videoPatienceMs: 120_000, mismatch: () => null } as const;

export interface SimulatedRun {
  readonly videos: number;
  readonly concurrency: number;
  /** Durations of earlier runs. */
  readonly known?: readonly number[];
  readonly service: Omit<SimulatedServiceOptions, 'clock'>;
}

/**
 * Renders videos with the given concurrency. Compares the wall time with that of a run that notices every end
 * immediately.
 */
export async function simulateRun({ videos, concurrency, known = [], service: options }: SimulatedRun): Promise<{
  readonly wallRatio: number;
  readonly requestsPerVideo: number;
}> {
  const clock = new SimulatedClock();
  const service = simulatedService({ ...options, clock });
  const watcher = new SessionWatcher({ service, clock, durationsMs: () => known });
  const limit = pLimit(concurrency);
  const { signal } = new AbortController();
  const beganAt = clock.now();
  const one = async (): Promise<void> => {
    const session = await service.createRenderSession('{}', { idempotencyKey: '', outputName: '' });
    await watcher.watch(session, 'tsv_1', { ...WATCHED, signal, onProgress: () => undefined });
  };
  await clock.until(Promise.all(Array.from({ length: videos }, () => limit(one))));
  const { posts, looks, lists } = service.requests;
  return {
    wallRatio: (clock.now() - beganAt) / idealMs(videos, concurrency, options.durationMs),
    requestsPerVideo: (posts + looks + lists) / videos,
  };
}

function idealMs(videos: number, concurrency: number, durationMs: (index: number) => number): number {
  const workers = new Array<number>(concurrency).fill(0);
  for (let index = 0; index < videos; index += 1) {
    const free = workers.indexOf(Math.min(...workers));
    workers[free] = workers[free]! + durationMs(index);
  }
  return Math.max(...workers);
}

/** Deterministic random numbers, 0..1. */
export function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
