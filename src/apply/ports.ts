import type { Journal } from '../lock/journal.ts';
import type { Lock } from '../lock/lock.ts';
import type { ProbeUrl } from '../service/urls.ts';

/** Dependencies of apply besides the rendering service. */
export interface ApplyPorts {
  /** Changes the current content of the lockfile. Replaces the whole file, or throws and leaves it unchanged. */
  updateLock(change: (lock: Lock) => Lock): Promise<unknown>;
  readonly journal: Journal;
  /** Resolves when sessions can use a style version. Called once per style version in a run, before its first render. */
  ensureStyleVersion(id: string): Promise<void>;
  /** @param path repository-relative */
  readFile(path: string): Promise<Uint8Array>;
  readonly probeUrl: ProbeUrl;
  readonly clock: Clock;
  /** Returns a new UUID. */
  newKey(): string;
}

export interface Clock {
  /** Milliseconds since the epoch, for dates. May jump when the clock is set. */
  now(): number;
  /** Milliseconds of a clock that never jumps, for durations within this process. */
  monotonicNow(): number;
  /** Rejects with the signal's reason when it is aborted. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
}
