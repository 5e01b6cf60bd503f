import type { Lock } from '../../lock/lock.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Io } from '../io.ts';
import { openLock, openLockFile } from './open-lock.ts';

/**
 * Changes the lockfile of a repository whose run lock is held.
 *
 * @param root absolute
 * @param change may throw: then nothing is written
 * @returns the changed lock; `null` when it cannot be read, which has been told then
 */
export async function changeLock(
  root: string,
  change: (lock: Lock) => Lock,
  options: GlobalOptions,
  io: Io,
): Promise<Lock | null> {
  const lock = await openLock(options, io);
  if (lock === null) return null;
  return openLockFile(root, lock).update(change);
}
