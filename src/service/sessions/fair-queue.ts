import { serviceError } from '../../contract/service-error.ts';

export interface FairQueueOptions {
  /** Maximum concurrent work of all owners. */
  readonly places: number;
  /** Maximum total size of concurrent work; unlimited if absent. Larger work runs alone. */
  readonly capacity?: number;
  /** Maximum waiting work of one owner; unlimited if absent. */
  readonly maxWaiting?: number;
  /** Maximum wait in milliseconds; unlimited if absent. */
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
 * Limits concurrent work fairly among owners. A free slot goes to the owner that was served least recently. An owner
 * may hold only as much as remains free: one owner gets half of the slots, two a third each, so that a new owner finds
 * a slot at once even if other work takes very long.
 *
 * @see "Dynamic queue length thresholds for shared-memory packet switches", Choudhury and Hahne, 1998, with alpha = 1
 */
export class FairQueue {
  readonly #options: Required<FairQueueOptions>;
  /** Ordered by turn. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #shares = new Map<string, Share>();
  #all = NOTHING;

  constructor(options: FairQueueOptions) {
    this.#options = {
      capacity: Number.POSITIVE_INFINITY,
      maxWaiting: Number.POSITIVE_INFINITY,
      waitMs: Number.POSITIVE_INFINITY,
      ...options,
    };
  }

  /**
   * Waits for a slot.
   *
   * @returns releases the slot; further calls do nothing
   * @throws ServiceError 429 `rate_limited` if the owner has too much waiting, 503 `unavailable` after waiting too long
   * @throws the signal's reason if aborted while waiting
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

  /** Runs work in a slot. @throws as `take`; errors of the work */
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
        `The tenant already has ${maxWaiting} waiting requests of this kind, its maximum`,
      );
    }
    this.#waiting.set(owner, mine);
    return new Promise<void>((resolve, reject) => {
      const leave = (reason: unknown): void => {
        stopListening();
        mine.splice(mine.indexOf(waiting), 1);
        if (mine.length === 0) this.#waiting.delete(owner);
        reject(reason);
        // The owner's next work may be smaller and fit.
        this.#beginNext();
      };
      const onAbort = (): void => leave(signal!.reason);
      const onTimeout = (): void => leave(serviceError('unavailable', 'Too many concurrent requests of this kind'));
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
      // Moves the owner to the end.
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
