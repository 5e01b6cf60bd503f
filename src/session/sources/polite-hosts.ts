import { abortable } from '../../abortable.ts';
import { type Backoff, backoffMs } from '../../backoff.ts';
import { FairQueue } from '../fair-queue.ts';
import { SessionFailure } from '../ports.ts';

/** Requests for one file, including the first. */
const MAX_TRIES = 4;
const BACKOFF: Backoff = { firstMs: 500, maxMs: 8000 };
/** Longest Retry-After that is awaited. */
const MAX_RETRY_AFTER_MS = 60_000;

/** A failed fetch that a later one may not meet. */
export class PassingFailure extends SessionFailure {
  /** Milliseconds that the host asked to wait; null if it asked nothing. */
  readonly retryAfterMs: number | null;

  constructor({ error, cause }: SessionFailure, retryAfterMs: number | null) {
    super(error, cause);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Longest time from the first request for a file to the start of its last, in milliseconds. */
const MAX_TOTAL_MS = 300_000;
/** Answers in a row after which the fetches of a host no longer take turns. */
const ANSWERS_TO_RECOVER = 20;

/** Waits; rejects with the signal's reason. */
export type Pause = (milliseconds: number, signal: AbortSignal) => Promise<void>;

interface Turns {
  readonly queue: FairQueue;
  /** Fetches that wait or run. */
  pending: number;
  answersInRow: number;
}

/**
 * Retries fetches that fail temporarily. Once a host has asked to wait, its fetches take turns, so that it is asked no faster
 * than it allows, however many videos use it. Turns end when none waits, or after enough answers in a row.
 */
export class PoliteHosts {
  readonly #turns = new Map<string, Turns>();
  readonly #pause: Pause;

  constructor(wait: Pause = pause) {
    this.#pause = wait;
  }

  /**
   * @param fetch one request, with time limits of its own
   * @throws the last failure, with the number of tries; the signal's reason
   */
  run<T>(host: string, signal: AbortSignal, fetch: () => Promise<T>): Promise<T> {
    let startedAt: number | null = null;
    const attempt = async (tries: number, isQueued: boolean): Promise<T> => {
      signal.throwIfAborted();
      startedAt ??= performance.now();
      try {
        const answer = await fetch();
        this.#noteAnswer(host);
        return answer;
      } catch (error) {
        if (!(error instanceof SessionFailure) || error.error.retryable !== true) throw error;
        const askedMs = error instanceof PassingFailure ? error.retryAfterMs : null;
        const waitMs = Math.max(askedMs ?? 0, backoffMs(tries - 1, BACKOFF, Math.random()));
        const isLate = performance.now() - startedAt + waitMs > MAX_TOTAL_MS;
        if (tries >= MAX_TRIES || (askedMs ?? 0) > MAX_RETRY_AFTER_MS || isLate) throw afterTries(error, tries);
        const turns = this.#turns.get(host);
        if (askedMs !== null && turns !== undefined) turns.answersInRow = 0;
        // A fetch in the queue keeps its turn while it waits.
        if (askedMs === null || isQueued) {
          await this.#pause(waitMs, signal);
          return attempt(tries + 1, isQueued);
        }
        // The wait counts from the first refusal: the others wait for their turn.
        const wait = turns === undefined ? waitMs : 0;
        return this.#inTurn(host, signal, async () => {
          await this.#pause(wait, signal);
          return attempt(tries + 1, true);
        });
      }
    };
    return this.#turns.has(host) ? this.#inTurn(host, signal, () => attempt(1, true)) : attempt(1, false);
  }

  async #inTurn<T>(host: string, signal: AbortSignal, run: () => Promise<T>): Promise<T> {
    const turns = this.#turns.get(host) ?? { queue: new FairQueue({ places: 1 }), pending: 0, answersInRow: 0 };
    this.#turns.set(host, turns);
    turns.pending += 1;
    try {
      return await turns.queue.run('', run, signal);
    } finally {
      turns.pending -= 1;
      if (turns.pending === 0 && this.#turns.get(host) === turns) this.#turns.delete(host);
    }
  }

  #noteAnswer(host: string): void {
    const turns = this.#turns.get(host);
    if (turns === undefined) return;
    turns.answersInRow += 1;
    if (turns.answersInRow >= ANSWERS_TO_RECOVER) this.#turns.delete(host);
  }
}

function afterTries(failure: SessionFailure, tries: number): SessionFailure {
  if (tries === 1) return failure;
  return new SessionFailure({ ...failure.error, detail: `${failure.error.detail}, after ${tries} tries` }, failure);
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  try {
    await abortable(
      new Promise<void>((resolve) => {
        timer = setTimeout(resolve, milliseconds);
      }),
      signal,
    );
  } finally {
    clearTimeout(timer);
  }
}
