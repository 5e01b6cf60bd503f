import type { Diagnostic } from '../../diagnostic.ts';
import type { Config } from '../../project/config.ts';
import { CONFIG_FILE } from '../../project/repository-layout.ts';
import { type Io, isCi } from '../io.ts';

/** What to do about a journal that a runner takes with it. */
export const SHARED_JOURNAL_HINT = `Add "journal: {git: reelform-journal}" to ${CONFIG_FILE}: the journal then is a branch of the remote`;

/** Whether a service renders, and the journal of what it was asked for is a file of this machine. */
export function isJournalLocal({ service, journal }: Pick<Config, 'service' | 'journal'>): boolean {
  return service !== 'embedded' && journal === 'file';
}

/**
 * Warns an apply in CI that its pending renders would be lost with the runner and paid for again. Nothing to warn of is an
 * empty list.
 */
export function localJournalWarnings(
  config: Pick<Config, 'service' | 'journal'>,
  { env }: Pick<Io, 'env'>,
): Diagnostic[] {
  if (!isCi(env) || !isJournalLocal(config)) return [];
  const message =
    'The journal is a file, which is lost with this runner: a cancelled job would be paid for again by the next one';
  return [{ code: 'journal_local', severity: 'warning', message, hint: SHARED_JOURNAL_HINT }];
}
