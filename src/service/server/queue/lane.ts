/** Capacity of one process for the jobs of one queue. */
interface LaneOptions {
  /** Concurrent jobs without a slot. */
  readonly places: number;
  /** Limits an owner to as many places as are still free, so that a place is left for other owners. */
  readonly isFair?: boolean;
  readonly ownerPlaces?: number;
  /** Concurrent jobs with a slot, such as a render process; absent for queues without slots. */
  readonly slots?: number;
  /** How long a job without a slot prevents another from being claimed for that slot. */
  readonly patienceMs?: number;
}

/** The place or slot of a claimed job. */
export interface Seat {
  /**
   * Releases the place and waits for a slot. Waiting jobs get slots by priority.
   *
   * @throws the signal's reason when it is aborted before
   */
  takeSlot(signal: AbortSignal): Promise<void>;
  /** Releases the place or the slot. */
  end(): void;
}

interface Held {
  readonly owner: string;
  readonly priority: number;
  state: 'place' | 'fresh place' | 'waiting' | 'slot';
  grant(): void;
}

/**
 * Decides which jobs a process claims. A job starts at a place. In a lane with slots it prepares there (a session
 * fetches its sources) and then takes a slot, so that slow preparation does not block slots. The process claims no more
 * jobs than it has free slots, except when jobs have been preparing for longer than `patienceMs`: another process could
 * render a job that waits for a slot here.
 */
export class Lane {
  /** Called when more jobs, or jobs of other owners, may be claimed. */
  onChange: () => void = () => undefined;
  readonly #options: LaneOptions;
  readonly #held = new Set<Held>();

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  get isLimited(): boolean {
    const { isFair = false, ownerPlaces } = this.#options;
    return isFair || ownerPlaces !== undefined;
  }

  /** Whether the process may claim another job. */
  mayClaim(): boolean {
    const { places, slots } = this.#options;
    const atPlaces = this.#count('place') + this.#count('fresh place');
    if (atPlaces >= places) return false;
    return slots === undefined || this.busySlots + this.#count('fresh place') < slots;
  }

  /** Number of slots taken or waited for. */
  get busySlots(): number {
    return this.#count('slot') + this.#count('waiting');
  }

  /** Returns the owners that have reached their limit. */
  fullOwners(): string[] {
    const { places, isFair = false, ownerPlaces = Number.POSITIVE_INFINITY } = this.#options;
    const counts = new Map<string, number>();
    let all = 0;
    for (const { owner, state } of this.#held) {
      if (state === 'slot' || state === 'waiting') continue;
      all += 1;
      counts.set(owner, (counts.get(owner) ?? 0) + 1);
    }
    const most = Math.min(ownerPlaces, isFair ? places - all : Number.POSITIVE_INFINITY);
    return [...counts].flatMap(([owner, count]) => (count >= most ? [owner] : []));
  }

  /** Registers a claimed job. */
  begin(owner: string, priority = 0): Seat {
    const held: Held = { owner, priority, state: 'fresh place', grant: () => undefined };
    this.#held.add(held);
    const timer = setTimeout(() => {
      if (held.state !== 'fresh place') return;
      held.state = 'place';
      this.onChange();
    }, this.#options.patienceMs ?? 0);
    timer.unref();
    return {
      takeSlot: async (signal) => {
        signal.throwIfAborted();
        held.state = 'waiting';
        await new Promise<void>((resolve, reject) => {
          const onAbort = (): void => reject(signal.reason as Error);
          held.grant = () => {
            signal.removeEventListener('abort', onAbort);
            resolve();
          };
          signal.addEventListener('abort', onAbort, { once: true });
          this.#grant();
          this.onChange();
        });
      },
      end: () => {
        clearTimeout(timer);
        if (!this.#held.delete(held)) return;
        this.#grant();
        this.onChange();
      },
    };
  }

  #grant(): void {
    const { slots = Number.POSITIVE_INFINITY } = this.#options;
    const waiting = [...this.#held].filter(({ state }) => state === 'waiting').sort((a, b) => b.priority - a.priority);
    for (const held of waiting.slice(0, Math.max(0, slots - this.#count('slot')))) {
      held.state = 'slot';
      held.grant();
    }
  }

  #count(state: Held['state']): number {
    let count = 0;
    for (const held of this.#held) if (held.state === state) count += 1;
    return count;
  }
}
