import { join } from 'node:path';
import { type Diagnostic, warningAt } from '../../diagnostic.ts';
import { formerEntries, historyGap, historyKey, mayHaveFormer, TIME_MS } from '../../git/lock-history.ts';
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
 * @param cache false to ignore results of earlier searches
 */
export async function readHistory(
  root: string,
  fingerprints: ReadonlySet<Fingerprint>,
  { cache }: { readonly cache: boolean },
): Promise<LockHistory> {
  const key = await historyKey(root);
  const { former, isWhole } = await search(root, fingerprints, key, cache);
  const hasOutputs = createOutputCheck(root);
  const entries = new Map([...former].filter(([, { entry }]) => hasOutputs(entry)));
  if (former.size === fingerprints.size) return { entries, diagnostics: [] };
  // A key exists only for a complete history.
  const known = key === null ? await historyGap(root) : null;
  const gap = known ?? (isWhole ? null : { message: 'git took too long', hint: 'Run the command again' });
  return { entries, diagnostics: gap === null ? [] : [unsearched(gap.message, gap.hint)] };
}

async function search(
  root: string,
  fingerprints: ReadonlySet<Fingerprint>,
  key: string | null,
  cache: boolean,
): Promise<{ readonly former: ReadonlyMap<Fingerprint, FormerEntry>; readonly isWhole: boolean }> {
  try {
    const file = join(root, HISTORY_FILE);
    const mayHave = !cache || (await mayHaveFormer({ root, lockFile: LOCK_FILE, file, key, fingerprints }));
    if (!mayHave) return { former: new Map(), isWhole: true };
    const signal = AbortSignal.timeout(TIME_MS);
    const former = await formerEntries({ root, lockFile: LOCK_FILE, fingerprints, signal });
    return { former, isWhole: !signal.aborted };
  } catch {
    return { former: new Map(), isWhole: false };
  }
}

function unsearched(reason: string, hint: string | undefined): Diagnostic {
  const message = `The history of the lockfile was not searched completely, so earlier renderings may be rendered again: ${reason}`;
  return warningAt('history_unsearched', undefined, message, hint);
}
