import type { Lock } from '../lock/lock.ts';
import { editLock, type LockEdit } from '../plan/settle.ts';
import type { Clock } from './ports.ts';

type UpdateLock = (change: (lock: Lock) => Lock) => Promise<unknown>;

/** A save is worth its time when so long has passed since the last. */
const MIN_INTERVAL_MS = 1_000;
/** The time between two saves, in durations of a save: of a run, at most a twentieth is spent on saving. */
const INTERVAL_COSTS = 20;

/**
 * Folds results into the lockfile at checkpoints. The journal holds each of them already: what is lost when a run dies
 * between two checkpoints is adopted from there by the next one. Never saves twice at once.
 */
export class LockSaver {
  readonly #update: UpdateLock;
  readonly #clock: Clock;
  #waiting: LockEdit[] = [];
  #saving: Promise<void> = Promise.resolve();
  #isSaving = false;
  #dueAt = 0;

  constructor(update: UpdateLock, clock: Clock) {
    this.#update = update;
    this.#clock = clock;
  }

  /**
   * Takes results in, and begins a save when one is due.
   *
   * @throws what an earlier save threw
   */
  async record(edits: readonly LockEdit[]): Promise<void> {
    this.#waiting.push(...edits);
    if (this.#isSaving || this.#clock.monotonicNow() < this.#dueAt) return;
    await this.flush();
  }

  /** Resolves when all that was recorded before is in the file. @throws what the save threw */
  async flush(): Promise<void> {
    const saving = this.#saving.then(() => this.#save());
    // Who comes later is told the same.
    this.#saving = saving;
    await saving;
  }

  async #save(): Promise<void> {
    const edits = this.#waiting;
    this.#waiting = [];
    if (edits.length === 0) return;
    this.#isSaving = true;
    const startedAt = this.#clock.monotonicNow();
    try {
      await this.#update((lock) => editLock(lock, edits));
    } finally {
      this.#isSaving = false;
      const now = this.#clock.monotonicNow();
      this.#dueAt = now + Math.max(MIN_INTERVAL_MS, (now - startedAt) * INTERVAL_COSTS);
    }
  }
}
