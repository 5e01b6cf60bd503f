import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Journal } from '../apply/ports.ts';
import { ReelformError } from '../diagnostic.ts';
import { EMPTY_JOURNAL, type JournalState } from '../lock/journal.ts';
import { openJournalFile } from '../lock/journal-file.ts';
import type { Lock } from '../lock/lock.ts';
import type { Config } from '../project/config.ts';
import { JOURNAL_FILE, LOCK_FILE } from './repository-names.ts';

/** A journal that a run writes to, and has to close. */
export type OpenJournal = Journal & {
  /** Drops what is closed and what the lockfile has. */
  compact(lock: Lock): Promise<void>;
  close(): Promise<void>;
};

/**
 * The journal that reelform.yaml names, to write to.
 *
 * @throws ReelformError `journal_unreadable`, `git_failed`
 */
export async function openJournal(root: string, { journal }: Pick<Config, 'journal'>): Promise<OpenJournal> {
  if (journal === 'file') return openJournalFile(join(root, JOURNAL_FILE), { file: JOURNAL_FILE });
  const { openGitJournal } = await import('../git/git-journal.ts');
  return openGitJournal({
    root,
    ...journal,
    lockFile: LOCK_FILE,
    wait: (milliseconds) => setTimeout(milliseconds),
    random: Math.random,
    newMark: () => randomUUID(),
  });
}

/**
 * What the journal says, without a claim on anything: for planning, which goes on without a remote that cannot be reached.
 *
 * @throws ReelformError `journal_unreadable`
 */
export async function readJournal(root: string, config: Pick<Config, 'journal'>): Promise<JournalState> {
  try {
    return (await openJournal(root, config)).state;
  } catch (error) {
    if (error instanceof ReelformError && error.code === 'git_failed') return EMPTY_JOURNAL;
    throw error;
  }
}
