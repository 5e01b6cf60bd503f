import type { Lock } from '../lock/lock.ts';

/** What apply asks of the world beside the rendering service. */
export interface ApplyPorts {
  /** Puts the whole lockfile in place of the old one, or throws and leaves the old one. */
  saveLock(lock: Lock): Promise<void>;
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
