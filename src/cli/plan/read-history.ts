import { join } from 'node:path';
import { type Diagnostic, warningAt } from '../../kernel/diagnostic.ts';
import { formerEntries } from '../../reconciler/git/lock-history.ts';
import type { Fingerprint } from '../../reconciler/lock/lock.ts';
import type { FormerEntry } from '../../reconciler/plan/plan.ts';
import { createOutputCheck } from '../../reconciler/project/local-outputs.ts';
import { HISTORY_FILE, LOCK_FILE } from '../../reconciler/project/repository-layout.ts';

/** Result of a search in the history of the lockfile. */
interface LockHistory {
  /** Earlier entries whose video still exists. */
  readonly entries: ReadonlyMap<Fingerprint, FormerEntry>;
  /** Reasons that the search is incomplete, if a fingerprint was not found. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface HistorySearch {
  /** Name of the service that renders the videos. */
  readonly service: string;
  /** False to neither read nor write the index of the history. */
  readonly cache: boolean;
}

/**
 * Searches the history of the lockfile for fingerprints. Planning continues without Git, with a warning that videos may
 * be rendered again.
 */
export async function readHistory(
  root: string,
  fingerprints: ReadonlySet<Fingerprint>,
  { service, cache }: HistorySearch,
): Promise<LockHistory> {
  const hasOutputs = createOutputCheck(root);
  const { entries, gap } = await formerEntries({
    root,
    lockFile: LOCK_FILE,
    indexFile: cache ? join(root, HISTORY_FILE) : null,
    fingerprints,
    // The fingerprint covers the service, but a lockfile may be edited.
    accepts: (entry) => entry.service === service && hasOutputs(entry),
  });
  if (gap === null) return { entries, diagnostics: [] };
  const message = `The history of the lockfile was not searched completely, so earlier renderings may be rendered again: ${gap.message}`;
  return { entries, diagnostics: [warningAt('history_unsearched', undefined, message, gap.hint)] };
}
