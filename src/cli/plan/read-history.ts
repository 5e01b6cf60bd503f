import { join } from 'node:path';
import { type Diagnostic, warningAt } from '../../diagnostic.ts';
import { formerEntries } from '../../git/lock-history.ts';
import type { Fingerprint } from '../../lock/lock.ts';
import type { FormerEntry } from '../../plan/plan.ts';
import { createOutputCheck } from '../../project/local-outputs.ts';
import { HISTORY_FILE, LOCK_FILE } from '../../project/repository-layout.ts';

/** Result of a search in the history of the lockfile. */
interface LockHistory {
  /** Earlier entries whose video still exists. */
  readonly entries: ReadonlyMap<Fingerprint, FormerEntry>;
  /** Reasons that the search is incomplete, if a fingerprint was not found. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Searches the history of the lockfile for fingerprints. Planning continues without Git, with a warning that videos may
 * be rendered again.
 *
 * @param cache false to neither read nor write the index of the history
 */
export async function readHistory(
  root: string,
  fingerprints: ReadonlySet<Fingerprint>,
  { cache }: { readonly cache: boolean },
): Promise<LockHistory> {
  const { entries, gap } = await formerEntries({
    root,
    lockFile: LOCK_FILE,
    indexFile: cache ? join(root, HISTORY_FILE) : null,
    fingerprints,
    accepts: createOutputCheck(root),
  });
  if (gap === null) return { entries, diagnostics: [] };
  const message = `The history of the lockfile was not searched completely, so earlier renderings may be rendered again: ${gap.message}`;
  return { entries, diagnostics: [warningAt('history_unsearched', undefined, message, gap.hint)] };
}
