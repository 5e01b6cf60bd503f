import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Diagnostic, ReelformError, warningAt } from '../../kernel/diagnostic.ts';
import { EMPTY_JOURNAL, type Journal, type JournalState } from '../../reconciler/lock/journal.ts';
import { openJournalFile } from '../../reconciler/lock/journal-file.ts';
import type { Lock } from '../../reconciler/lock/lock.ts';
import type { Config } from '../../reconciler/project/config.ts';
import { CONFIG_FILE, JOURNAL_FILE, LOCK_FILE } from '../../reconciler/project/repository-layout.ts';
import { type Io, isCi } from '../io.ts';

/** A journal that a run writes to and has to close. */
export type OpenJournal = Journal & {
  /** Removes closed attempts and those that the lockfile contains. */
  compact(lock: Lock): Promise<void>;
  close(): Promise<void>;
};

/**
 * Opens the journal that reelform.yaml names, for writing.
 *
 * @throws ReelformError `journal_unreadable`, `git_failed`
 */
export async function openJournal(root: string, { journal }: Pick<Config, 'journal'>): Promise<OpenJournal> {
  if (journal === 'file') return openJournalFile(join(root, JOURNAL_FILE), { file: JOURNAL_FILE });
  const { openGitJournal } = await import('../../reconciler/git/git-journal.ts');
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
 * Reads the journal for a plan, without a claim. If the remote of a shared journal is unavailable, uses the branch as
 * last fetched, or an empty journal, with a warning. In CI there is no warning, because the checkout has just fetched
 * the branch and a planning job holds no token to fetch it again.
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
    const { fetchedJournal } = await import('../../reconciler/git/git-journal.ts');
    const state = await fetchedJournal({ root, ...config.journal });
    if (state !== null && isCi(env)) return { state, diagnostics: [] };
    const known = state === null ? 'ignores pending renders' : 'uses the last fetched journal';
    const message = `The journal cannot be read, so the plan ${known}: ${error.message}`;
    const hint = 'apply reads the journal before it starts, and renders nothing twice';
    return { state: state ?? EMPTY_JOURNAL, diagnostics: [warningAt('git_failed', undefined, message, hint)] };
  }
}

/** Hint for a journal that is lost with the runner. */
export const SHARED_JOURNAL_HINT = `Add "journal: {git: reelform-journal}" to ${CONFIG_FILE} to keep the journal on a branch of the remote`;

/** True if a service renders and the journal of its requests is a local file. */
export function isJournalLocal({ service, journal }: Pick<Config, 'service' | 'journal'>): boolean {
  return service !== 'embedded' && journal === 'file';
}

/** Warns an apply in CI that pending renders would be lost with the runner and paid for again. */
export function localJournalWarnings(
  config: Pick<Config, 'service' | 'journal'>,
  { env }: Pick<Io, 'env'>,
): Diagnostic[] {
  if (!isCi(env) || !isJournalLocal(config)) return [];
  const message =
    'The journal is a file that is lost with this runner: renders of a cancelled job would be paid for again';
  return [warningAt('journal_local', undefined, message, SHARED_JOURNAL_HINT)];
}
