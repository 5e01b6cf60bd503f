import pLimit, { type LimitFunction } from 'p-limit';
import { abortable } from '../../abortable.ts';
import { type Backoff, backoffMs } from '../../backoff.ts';
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

/**
 * Retries fetches that fail temporarily. Once a host has asked to wait, its fetches take turns, so that it is asked no faster
 * than it allows, however many videos use it.
 */
export class PoliteHosts {
  readonly #queues = new Map<string, LimitFunction>();

  /**
   * @param fetch one request, with time limits of its own
   * @throws the last failure, with the number of tries; the signal's reason
   */
  run<T>(host: string, signal: AbortSignal, fetch: () => Promise<T>): Promise<T> {
    const attempt = async (tries: number, isQueued: boolean): Promise<T> => {
      signal.throwIfAborted();
      try {
        return await fetch();
      } catch (error) {
        if (!(error instanceof SessionFailure) || error.error.retryable !== true) throw error;
        const askedMs = error instanceof PassingFailure ? error.retryAfterMs : null;
        if (tries >= MAX_TRIES || (askedMs ?? 0) > MAX_RETRY_AFTER_MS) throw afterTries(error, tries);
        const waitMs = Math.max(askedMs ?? 0, backoffMs(tries - 1, BACKOFF, Math.random()));
        // A fetch in the queue keeps its turn while it waits.
        if (askedMs === null || isQueued) {
          await pause(waitMs, signal);
          return attempt(tries + 1, isQueued);
        }
        // The wait counts from the first refusal: the others wait for their turn.
        const wait = this.#queues.has(host) ? 0 : waitMs;
        return this.#inTurn(host, signal, async () => {
          await pause(wait, signal);
          return attempt(2, true);
        });
      }
    };
    return this.#queues.has(host) ? this.#inTurn(host, signal, () => attempt(1, true)) : attempt(1, false);
  }

  #inTurn<T>(host: string, signal: AbortSignal, run: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(host) ?? pLimit(1);
    this.#queues.set(host, queue);
    return abortable(queue(run), signal);
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
