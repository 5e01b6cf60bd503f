import type { Lock } from '../lock/lock.ts';

/** What apply asks of the world beside the rendering service. */
export interface ApplyPorts {
  /** Changes the lockfile as it is now: all of it takes the place of the old one, or it throws and leaves the old one. */
  updateLock(change: (lock: Lock) => Lock): Promise<unknown>;
  /**
   * Resolves when sessions can use a style version. Asked before the first render of each, and not again in this run.
   */
  ensureStyleVersion(id: string): Promise<void>;
  /** @param path repository-relative */
  readFile(path: string): Promise<Uint8Array>;
  readonly clock: Clock;
  /** A new UUID. */
  newKey(): string;
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  wait(milliseconds: number): Promise<void>;
}
