import { backoffMs } from '../../../kernel/backoff.ts';

/** Starting a process takes about half a second of processor time. */
const BACKOFF = { firstMs: 250, maxMs: 8_000 };

/**
 * Pauses of owners whose tasks crash processes: each crash makes the next task of the owner start a process, which takes time
 * from all other owners. The pauses grow with crashes in a row.
 */
export class CrashPauses {
  readonly #crashes = new Map<string, { readonly count: number; readonly untilMs: number }>();
  readonly #now: () => number;

  /** @param now milliseconds of a clock that only moves forward */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Returns how long the owner's next task has to wait, in milliseconds. */
  remaining(owner: string): number {
    return Math.max(0, (this.#crashes.get(owner)?.untilMs ?? 0) - this.#now());
  }

  crashed(owner: string): void {
    const count = this.#crashes.get(owner)?.count ?? 0;
    this.#crashes.set(owner, { count: count + 1, untilMs: this.#now() + backoffMs(count, BACKOFF) });
  }

  finished(owner: string): void {
    this.#crashes.delete(owner);
  }
}
