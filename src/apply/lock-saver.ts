import type { Lock } from '../lock/lock.ts';

type Change = (lock: Lock) => Lock;

/**
 * Saves after each result without saving twice at once: who comes while a save runs shares the next one. `record` resolves
 * when a lockfile with its change is on disk.
 */
export class LockSaver {
  readonly #update: (change: Change) => Promise<unknown>;
  #waiting: Change[] = [];
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(update: (change: Change) => Promise<unknown>) {
    this.#update = update;
  }

  record(change: Change): Promise<void> {
    this.#waiting.push(change);
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(async () => {
        const changes = this.#waiting;
        this.#waiting = [];
        this.#next = null;
        this.#running = this.#update((lock) => changes.reduce((changed, one) => one(changed), lock));
        await this.#running;
      });
    return this.#next;
  }
}
