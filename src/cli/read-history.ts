import type { Fingerprint } from '../lock/lock.ts';
import type { FormerEntry } from '../plan/observations.ts';
import { hasOutputs } from '../project/observe-outputs.ts';
import { LOCK_FILE } from './open-lock.ts';

/**
 * What the lockfile once had of these fingerprints, where its video can still be had. Planning goes on without git, and
 * with one that is broken: then nothing is remembered.
 */
export async function readHistory(
  root: string,
  fingerprints: ReadonlySet<Fingerprint>,
): Promise<ReadonlyMap<Fingerprint, FormerEntry>> {
  try {
    const { formerEntries } = await import('../git/former-entries.ts');
    const former = await formerEntries({ root, lockFile: LOCK_FILE, fingerprints });
    return new Map([...former].filter(([, { entry }]) => hasOutputs(root, entry)));
  } catch {
    return new Map();
  }
}
