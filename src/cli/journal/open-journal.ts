import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Journal } from '../../apply/ports.ts';
import { type Diagnostic, isReelformError } from '../../diagnostic.ts';
import { EMPTY_JOURNAL, type JournalState } from '../../lock/journal.ts';
import { openJournalFile } from '../../lock/journal-file.ts';
import type { Lock } from '../../lock/lock.ts';
import type { Config } from '../../project/config.ts';
import { JOURNAL_FILE, LOCK_FILE } from '../../project/repository-names.ts';

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
  const { openGitJournal } = await import('../../git/git-journal.ts');
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
 * What the journal says, without a claim on anything: for planning, which goes on, with a warning, without a remote that
 * cannot be reached.
 *
 * @throws ReelformError `journal_unreadable`
 */
export async function readJournal(
  root: string,
  config: Pick<Config, 'journal'>,
): Promise<{ readonly state: JournalState; readonly diagnostics: readonly Diagnostic[] }> {
  try {
    return { state: (await openJournal(root, config)).state, diagnostics: [] };
  } catch (error) {
    if (!isReelformError(error) || error.code !== 'git_failed') throw error;
    const message = `The journal cannot be read, so the plan does not know what is in flight: ${error.message}`;
    const hint = 'apply reads it before it begins, and renders nothing twice';
    return { state: EMPTY_JOURNAL, diagnostics: [{ code: 'git_failed', severity: 'warning', message, hint }] };
  }
}
