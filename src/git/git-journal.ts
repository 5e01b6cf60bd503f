import type { JournalState } from '../lock/journal.ts';
import { emptyLock } from '../lock/lock.ts';
import { SharedJournal } from '../lock/shared-journal.ts';
import { defaultBranchLock } from './default-branch-lock.ts';
import { JournalBranch } from './journal-branch.ts';

export interface GitJournalOptions {
  /** Absolute: a folder of the repository. */
  readonly root: string;
  readonly remote: string;
  readonly branch: string;
  /** Below the root, as the default branch has it. */
  readonly lockFile: string;
  wait(milliseconds: number): Promise<void>;
  /** 0 up to 1. */
  random(): number;
  /** A new UUID. */
  newMark(): string;
}

/**
 * Opens the journal that is a file on a branch of a remote: it survives the machine, and of several runs one alone gets a
 * claim. EDGE. What the lockfile of the remote's default branch has is dropped from it; what a pull request rendered stays
 * for the run that follows its merge.
 *
 * @throws ReelformError `git_failed`, `journal_unreadable`
 */
export async function openGitJournal(options: GitJournalOptions): Promise<SharedJournal> {
  const { root, remote, branch, lockFile, wait, random, newMark } = options;
  const journal = new SharedJournal({
    shared: new JournalBranch(root, remote, branch),
    lastingLock: () => defaultBranchLock(root, remote, lockFile),
    wait,
    random,
    newMark,
  });
  await journal.refresh();
  return journal;
}

/**
 * The state of the journal as this repository fetched its branch last, for where the remote cannot be asked. EDGE. Null when it
 * was never fetched.
 *
 * @throws ReelformError `journal_unreadable`
 */
export async function fetchedJournal({
  root,
  remote,
  branch,
}: Pick<GitJournalOptions, 'root' | 'remote' | 'branch'>): Promise<JournalState | null> {
  const shared = new JournalBranch(root, remote, branch);
  const tip = await shared.readFetched();
  if (tip === null) return null;
  const journal = new SharedJournal({
    shared: {
      name: shared.name,
      read: async () => tip,
      write: () => Promise.reject(new Error('A copy is read, and not written')),
    },
    lastingLock: async () => emptyLock,
    wait: async () => undefined,
    random: () => 0,
    newMark: () => '',
  });
  await journal.refresh();
  return journal.state;
}
