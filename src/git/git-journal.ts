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
