import { serviceError } from '../service/service-error.ts';

export interface FairQueueOptions {
  /** Work at once, of all owners together. */
  readonly places: number;
  /** Sizes of the work at once, together; no limit when absent. Work beyond it runs alone. */
  readonly capacity?: number;
  /** Work of one owner that may wait; any number when absent. */
  readonly maxWaiting?: number;
  /** Milliseconds that work may wait; without limit when absent. */
  readonly waitMs?: number;
}

interface Waiting {
  readonly size: number;
  begin(): void;
}

interface Share {
  readonly count: number;
  readonly size: number;
}

const NOTHING: Share = { count: 0, size: 0 };

/**
 * A limit for concurrent work under which owners take turns. When a place becomes free, it goes to the owner that has
 * waited longest since its last turn. An owner may hold only as much as is still free beside it: one owner gets half of the
 * places, two get a third each, and so on, so that an owner without work finds a place at once even if the work of others
 * takes very long.
 *
 * @see "Dynamic queue length thresholds for shared-memory packet switches", Choudhury and Hahne, 1998: with alpha = 1
 */
export class FairQueue {
  readonly #options: Required<FairQueueOptions>;
  /** Whose turn it is comes first. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #shares = new Map<string, Share>();
  #all = NOTHING;

  constructor(options: FairQueueOptions) {
    this.#options = {
      ...{ capacity: Number.POSITIVE_INFINITY, maxWaiting: Number.POSITIVE_INFINITY, waitMs: Number.POSITIVE_INFINITY },
      ...options,
    };
  }

  /**
   * Waits for a place.
   *
   * @returns gives the place back; calling it again does nothing
   * @throws ServiceError 429 `rate_limited` when too much of the owner waits, 503 `unavailable` when it has waited too long
   * @throws the signal's reason when it is aborted before the work may begin
   */
  async take(owner: string, { size = 0, signal }: { size?: number; signal?: AbortSignal } = {}): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#waiting.has(owner) || !this.#fits(owner, size)) await this.#wait(owner, size, signal);
    else this.#add(owner, { count: 1, size });
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#add(owner, { count: -1, size: -size });
      this.#beginNext();
    };
  }

  /** Does work at a place. @throws as `take`; whatever the work throws */
  async run<T>(owner: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const release = await this.take(owner, signal === undefined ? {} : { signal });
    try {
      return await work();
    } finally {
      release();
    }
  }

  #wait(owner: string, size: number, signal: AbortSignal | undefined): Promise<void> {
    const { maxWaiting, waitMs } = this.#options;
    const mine = this.#waiting.get(owner) ?? [];
    if (mine.length >= maxWaiting) {
      throw serviceError(
        'rate_limited',
        `The tenant has ${maxWaiting} requests of this kind waiting, and may have no more`,
      );
    }
    this.#waiting.set(owner, mine);
    return new Promise<void>((resolve, reject) => {
      const leave = (reason: unknown): void => {
        stopListening();
        mine.splice(mine.indexOf(waiting), 1);
        if (mine.length === 0) this.#waiting.delete(owner);
        reject(reason);
        // Its next work may be smaller.
        this.#beginNext();
      };
      const onAbort = (): void => leave(signal!.reason);
      const onTimeout = (): void => leave(serviceError('unavailable', 'Too many requests of this kind are under way'));
      const timer = Number.isFinite(waitMs) ? setTimeout(onTimeout, waitMs) : undefined;
      const stopListening = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const waiting: Waiting = {
        size,
        begin() {
          stopListening();
          resolve();
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      mine.push(waiting);
    });
  }

  #beginNext(): void {
    for (;;) {
      const next = [...this.#waiting].find(([owner, [first]]) => this.#fits(owner, first!.size));
      if (next === undefined) return;
      const [owner, mine] = next;
      const { size, begin } = mine.shift()!;
      // To the end of the turns.
      this.#waiting.delete(owner);
      if (mine.length > 0) this.#waiting.set(owner, mine);
      this.#add(owner, { count: 1, size });
      begin();
    }
  }

  #fits(owner: string, size: number): boolean {
    const { places, capacity } = this.#options;
    if (this.#all.count === 0) return true;
    const mine = this.#shares.get(owner) ?? NOTHING;
    return mine.count < places - this.#all.count && mine.size + size <= capacity - this.#all.size;
  }

  #add(owner: string, by: Share): void {
    const mine = plus(this.#shares.get(owner) ?? NOTHING, by);
    if (mine.count === 0) this.#shares.delete(owner);
    else this.#shares.set(owner, mine);
    this.#all = plus(this.#all, by);
  }
}

function plus(a: Share, b: Share): Share {
  return { count: a.count + b.count, size: a.size + b.size };
}
