import type { Lock } from '../lock/lock.ts';

/**
 * Saves the lock after each result without saving it twice at once: who comes while a save runs shares the next one.
 * `record` resolves when a lockfile with its change is on disk.
 */
export class LockSaver {
  #lock: Lock;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;
  readonly #save: (lock: Lock) => Promise<void>;

  constructor(lock: Lock, save: (lock: Lock) => Promise<void>) {
    this.#lock = lock;
    this.#save = save;
  }

  get lock(): Lock {
    return this.#lock;
  }

  record(change: (lock: Lock) => Lock): Promise<void> {
    this.#lock = change(this.#lock);
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = null;
        this.#running = this.#save(this.#lock);
        return this.#running;
      });
    return this.#next;
  }
}
