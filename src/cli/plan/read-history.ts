import { join } from 'node:path';
import type { Fingerprint } from '../../lock/lock.ts';
import type { FormerEntry } from '../../plan/observations.ts';
import { hasOutputs } from '../../project/observe-outputs.ts';
import { HISTORY_FILE, LOCK_FILE } from '../../project/repository-names.ts';

/**
 * What the lockfile once had of these fingerprints, where its video can still be had. Planning goes on without git, and
 * with one that is broken: then nothing is remembered.
 *
 * @param cache whether what an earlier plan found in the same history may be believed
 */
export async function readHistory(
  root: string,
  fingerprints: ReadonlySet<Fingerprint>,
  { cache }: { readonly cache: boolean },
): Promise<ReadonlyMap<Fingerprint, FormerEntry>> {
  try {
    const { mayHaveFormer } = await import('../../git/former-marks.ts');
    const file = join(root, HISTORY_FILE);
    if (cache && !(await mayHaveFormer({ root, lockFile: LOCK_FILE, file, fingerprints }))) return new Map();
    const { formerEntries } = await import('../../git/former-entries.ts');
    const former = await formerEntries({ root, lockFile: LOCK_FILE, fingerprints });
    return new Map([...former].filter(([, { entry }]) => hasOutputs(root, entry)));
  } catch {
    return new Map();
  }
}
