import { abortable } from '../../../kernel/abortable.ts';
import { type Backoff, backoffMs } from '../../../kernel/backoff.ts';
import { FairQueue } from '../fair-queue.ts';
import { SessionFailure } from '../ports.ts';

/** Requests for one file, including the first. */
const MAX_TRIES = 4;
const BACKOFF: Backoff = { firstMs: 500, maxMs: 8000 };
/** Longest Retry-After that is awaited. */
const MAX_RETRY_AFTER_MS = 60_000;
/** Longest time from the first request for a file to the start of its last, in milliseconds. */
const MAX_TOTAL_MS = 300_000;
/** Answers in a row after which the fetches of a host no longer take turns. */
const ANSWERS_TO_RECOVER = 20;
/** Hosts at which one fetch has its turn: no more are visited with three redirects. */
const MAX_HELD = 4;

/** Hosts at which a fetch has its turn. Text, so that it can be part of a key. */
export type HeldTurns = readonly string[];

/** A fetch that a host asked to repeat later. */
export class WaitRequested extends SessionFailure {
  readonly host: string;
  readonly retryAfterMs: number;

  constructor({ error, cause }: SessionFailure, host: string, retryAfterMs: number) {
    super(error, cause);
    this.host = host;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A fetch that was stopped before its request to a host, because it has no turn there. */
class TurnNeeded extends SessionFailure {
  readonly host: string;

  constructor(host: string) {
    super({
      code: 'asset_unreachable',
      title: 'The asset could not be fetched',
      detail: `Redirects led to more than ${MAX_HELD} hosts that had asked to wait`,
      retryable: true,
    });
    this.host = host;
  }
}

/** Waits; rejects with the signal's reason. */
type Pause = (milliseconds: number, signal: AbortSignal) => Promise<void>;

interface Turns {
  readonly queue: FairQueue;
  /** Fetches that wait or run. */
  pending: number;
  answersInRow: number;
}

/**
 * Retries fetches that fail temporarily. Once a host has asked to wait, its fetches take turns, so that it is asked no faster
 * than it allows, however many videos use it. Owners take turns with each other: the many files of an owner do not delay
 * those of another. Turns end when no fetch waits, or after enough answers in a row.
 */
export class PoliteHosts {
  readonly #turns = new Map<string, Turns>();
  readonly #pause: Pause;
  readonly #monotonicNow: () => number;

  constructor({
    pause = realPause,
    monotonicNow = () => performance.now(),
  }: { readonly pause?: Pause; readonly monotonicNow?: () => number } = {}) {
    this.#pause = pause;
    this.#monotonicNow = monotonicNow;
  }

  /**
   * Checks that a fetch may send a request to a host, the target of a redirect included.
   *
   * @throws TurnNeeded, for `run`, which repeats the fetch at its turn
   */
  admit(host: string, held: HeldTurns): void {
    if (this.#turns.has(host) && !held.includes(host)) throw new TurnNeeded(host);
  }

  /** Records an answer of a host that does not ask to wait. */
  noteAnswer(host: string): void {
    const turns = this.#turns.get(host);
    if (turns === undefined) return;
    turns.answersInRow += 1;
    if (turns.answersInRow >= ANSWERS_TO_RECOVER) this.#turns.delete(host);
  }

  /**
   * @param fetch fetches a file with its redirects and its own time limits. It calls `admit` before each request and
   * `noteAnswer` after it.
   * @throws the last failure, with the number of tries; the signal's reason
   */
  async run<T>(owner: string, signal: AbortSignal, fetch: (held: HeldTurns) => Promise<T>): Promise<T> {
    const held = new Map<string, () => void>();
    const releaseAll = (): void => {
      for (const release of held.values()) release();
      held.clear();
    };
    const takeTurn = async (host: string): Promise<void> => {
      const hosts = [...new Set([...held.keys(), host])];
      releaseAll();
      // In a fixed order, so that no two fetches wait for each other.
      for (const each of hosts.sort()) held.set(each, await this.#take(each, owner, signal));
    };
    let startedAt = 0;
    let tries = 1;
    try {
      for (;;) {
        signal.throwIfAborted();
        // The wait for the first turn does not count.
        if (tries === 1) startedAt = this.#monotonicNow();
        try {
          return await fetch([...held.keys()]);
        } catch (error) {
          if (error instanceof TurnNeeded && held.size < MAX_HELD) {
            await takeTurn(error.host);
            continue;
          }
          if (!(error instanceof SessionFailure) || error.error.retryable !== true) throw error;
          const asked = error instanceof WaitRequested ? error : null;
          const askedMs = asked?.retryAfterMs ?? 0;
          const waitMs = Math.max(askedMs, backoffMs(tries - 1, BACKOFF, Math.random()));
          const isLate = this.#monotonicNow() - startedAt + waitMs > MAX_TOTAL_MS;
          if (tries >= MAX_TRIES || askedMs > MAX_RETRY_AFTER_MS || isLate) throw afterTries(error, tries);
          tries += 1;
          const isFirst = asked === null || this.#noteRefusal(asked.host);
          const hasTurn = asked === null || held.has(asked.host);
          if (!hasTurn) await takeTurn(asked.host);
          // The wait counts from the first refusal: the other fetches wait for their turn. A turn is kept during a wait.
          if (hasTurn || isFirst) await this.#pause(waitMs, signal);
        }
      }
    } finally {
      releaseAll();
    }
  }

  /** @returns whether the fetches of the host take no turns yet */
  #noteRefusal(host: string): boolean {
    const turns = this.#turns.get(host);
    if (turns !== undefined) turns.answersInRow = 0;
    return turns === undefined;
  }

  /** @returns ends the turn */
  async #take(host: string, owner: string, signal: AbortSignal): Promise<() => void> {
    const turns = this.#turns.get(host) ?? { queue: new FairQueue({ places: 1 }), pending: 0, answersInRow: 0 };
    this.#turns.set(host, turns);
    turns.pending += 1;
    const leave = (): void => {
      turns.pending -= 1;
      if (turns.pending === 0 && this.#turns.get(host) === turns) this.#turns.delete(host);
    };
    try {
      const release = await turns.queue.take(owner, { signal });
      return () => {
        release();
        leave();
      };
    } catch (error) {
      leave();
      throw error;
    }
  }
}

/** The hosts of all fetches of this process: a host does not care which part of a program asks it. */
export const ALL_HOSTS = new PoliteHosts();

function afterTries(failure: SessionFailure, tries: number): SessionFailure {
  if (tries === 1) return failure;
  return new SessionFailure({ ...failure.error, detail: `${failure.error.detail}, after ${tries} tries` }, failure);
}

async function realPause(milliseconds: number, signal: AbortSignal): Promise<void> {
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
