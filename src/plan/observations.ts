import type { Attempt, JournalState } from '../lock/journal.ts';
import type { Fingerprint, LockEntry } from '../lock/lock.ts';

/** What was looked at before planning, because planning looks at nothing. */
export interface Observations {
  /** Ids of the lock entries whose local output is not there. */
  readonly missingOutputs: ReadonlySet<string>;
  /** Ids of the lock entries whose local output is there, and is not the file that was rendered. */
  readonly damagedOutputs?: ReadonlySet<string>;
  /** What a refresh found out about lock entries, by id. */
  readonly refreshed?: ReadonlyMap<string, 'url_lost' | 'asset_changed'>;
  /** Renderings that could be adopted: those alone whose video can be had. */
  readonly journal?: JournalState;
  /** What was rendered into a repository and is gone from it: it can be had where it was delivered to, if anywhere. */
  readonly gone?: readonly Attempt[];
  readonly history?: ReadonlyMap<Fingerprint, FormerEntry>;
}

/** An entry that the lockfile once had. */
export interface FormerEntry {
  /** Of the commit that had it. */
  readonly commit: string;
  readonly id: string;
  readonly entry: LockEntry;
}
