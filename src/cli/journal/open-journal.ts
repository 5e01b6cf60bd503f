import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Diagnostic, ReelformError } from '../../diagnostic.ts';
import type { Journal } from '../../lock/journal.ts';
import { EMPTY_JOURNAL, type JournalState } from '../../lock/journal.ts';
import { openJournalFile } from '../../lock/journal-file.ts';
import type { Lock } from '../../lock/lock.ts';
import type { Config } from '../../project/config.ts';
import { JOURNAL_FILE, LOCK_FILE } from '../../project/repository-layout.ts';
import { type Io, isCi } from '../io.ts';

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
 * Reads the journal for a plan, without a claim on anything. When the remote of a shared journal cannot be asked, the plan
 * uses the branch as it was fetched last, or no journal, and a warning says so. In CI the checkout has just fetched it, and a
 * job that plans holds no token to ask again: that is no warning.
 *
 * @throws ReelformError `journal_unreadable`
 */
export async function readJournal(
  root: string,
  config: Pick<Config, 'journal'>,
  { env }: Pick<Io, 'env'>,
): Promise<{ readonly state: JournalState; readonly diagnostics: readonly Diagnostic[] }> {
  try {
    return { state: (await openJournal(root, config)).state, diagnostics: [] };
  } catch (error) {
    if (!(error instanceof ReelformError) || error.code !== 'git_failed' || config.journal === 'file') throw error;
    const { fetchedJournal } = await import('../../git/git-journal.ts');
    const state = await fetchedJournal({ root, ...config.journal });
    if (state !== null && isCi(env)) return { state, diagnostics: [] };
    const known = state === null ? 'does not know what is in flight' : 'uses the journal as it was fetched last';
    const message = `The journal cannot be read, so the plan ${known}: ${error.message}`;
    const hint = 'apply reads it before it begins, and renders nothing twice';
    const warning: Diagnostic = { code: 'git_failed', severity: 'warning', message, hint };
    return { state: state ?? EMPTY_JOURNAL, diagnostics: [warning] };
  }
}
