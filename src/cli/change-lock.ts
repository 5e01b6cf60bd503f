import { join } from 'node:path';
import type { Lock } from '../lock/lock.ts';
import { LockFile } from '../lock/lock-file.ts';
import { writeFileAtomic } from '../project/write-file.ts';
import type { GlobalOptions } from './global-options.ts';
import type { Io } from './io.ts';
import { LOCK_FILE, openLock } from './open-lock.ts';

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
  return new LockFile(join(root, LOCK_FILE), LOCK_FILE, lock, writeFileAtomic).update(change);
}
