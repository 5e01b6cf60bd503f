import type { Attempt, Intent, JournalRecord, JournalState } from '../lock/journal.ts';
import type { Lock, LockEntry } from '../lock/lock.ts';
import type { ProbeUrl } from '../service/urls.ts';

/** What apply asks of the world beside the rendering service. */
export interface ApplyPorts {
  /** Changes the lockfile as it is now: all of it takes the place of the old one, or it throws and leaves the old one. */
  updateLock(change: (lock: Lock) => Lock): Promise<unknown>;
  readonly journal: Journal;
  /**
   * Resolves when sessions can use a style version. Asked before the first render of each, and not again in this run.
   */
  ensureStyleVersion(id: string): Promise<void>;
  /** @param path repository-relative */
  readFile(path: string): Promise<Uint8Array>;
  readonly lookAtUrl: ProbeUrl;
  readonly clock: Clock;
  /** A new UUID. */
  newKey(): string;
}

/** What is in flight, kept where a crash does not reach it. Calls may be made side by side; each is durable when it resolves. */
export interface Journal {
  /** As of the last call that resolved. */
  readonly state: JournalState;

  /**
   * Claims a fingerprint by writing an intent for it: nothing may be posted before.
   *
   * @param insteadOf the video's lock entry, which a new rendering is to replace
   * @returns null when the claim is ours; otherwise the attempt, not closed, that somebody made for the same fingerprint
   *   before, and nothing was written
   */
  begin(intent: Intent, insteadOf?: LockEntry | null): Promise<Attempt | null>;

  append(record: JournalRecord): Promise<void>;

  /** Reads what other runs have written. Nothing for a journal that one run has to itself. */
  refresh(): Promise<void>;

  /** Whether runs on other machines write to it too. */
  readonly isShared: boolean;
}

export interface Clock {
  /** Milliseconds since the epoch. May be set back or forward: for dates, never for durations. */
  now(): number;
  /** Milliseconds of a clock that is never set: for durations within this process. */
  monotonicNow(): number;
  /** Rejects with the signal's reason once it is aborted. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
}
