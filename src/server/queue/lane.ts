/** Capacity of one process for the jobs of one queue. */
export interface LaneOptions {
  /** Jobs at once that have no slot. */
  readonly places: number;
  /** Whether an owner may hold only as many places as are free beside it, so that others find one. */
  readonly isFair?: boolean;
  /** Places that one owner may hold. */
  readonly ownerPlaces?: number;
  /** Jobs at once that have a slot, such as a render process; absent where jobs take none. */
  readonly slots?: number;
  /** How long a job that has no slot yet keeps others from being claimed for that slot. */
  readonly patienceMs?: number;
}

/** What a claimed job holds of a lane. */
export interface Seat {
  /**
   * Gives up the place and waits for a slot; of jobs that wait, the one with the highest priority is first.
   *
   * @throws the signal's reason when it is aborted before
   */
  takeSlot(signal: AbortSignal): Promise<void>;
  /** Gives back the place or the slot. */
  end(): void;
}

interface Held {
  readonly owner: string;
  readonly priority: number;
  state: 'place' | 'fresh place' | 'waiting' | 'slot';
  grant(): void;
}

/**
 * Decides which jobs a process claims. A job begins at a place. Where the lane has slots, it prepares there (a session fetches
 * its sources) and then takes a slot, so that jobs that take long to prepare keep no slot from the others. No more jobs are
 * claimed than slots are free, except for jobs that have been preparing for longer than the patience: what waits for a slot
 * here could have been rendered by another process.
 */
export class Lane {
  /** Called when other jobs may be claimed than before. */
  onChange: () => void = () => undefined;
  readonly #options: LaneOptions;
  readonly #held = new Set<Held>();

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** Whether owners are limited. */
  get isLimited(): boolean {
    const { isFair = false, ownerPlaces } = this.#options;
    return isFair || ownerPlaces !== undefined;
  }

  /** Whether the process claims another job now. */
  mayClaim(): boolean {
    const { places, slots } = this.#options;
    const atPlaces = this.#count('place') + this.#count('fresh place');
    if (atPlaces >= places) return false;
    return slots === undefined || this.busySlots + this.#count('fresh place') < slots;
  }

  /** Slots that are taken or waited for. */
  get busySlots(): number {
    return this.#count('slot') + this.#count('waiting');
  }

  /** Owners of whom no job is claimed now. */
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

  /** A job was claimed. */
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
