import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ReelformError } from '../../diagnostic.ts';
import { closestMatch } from '../../hints.ts';
import type { Lock, LockEntry } from '../../lock/lock.ts';
import { LockFile, readLock } from '../../lock/lock-file.ts';
import { findRoot, LOCK_FILE } from '../../project/repository-layout.ts';
import { writeLinkedFile } from '../../project/write-file.ts';
import { directoryOf, tellDiagnostics } from '../diagnose.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Io } from '../io.ts';

/** The lock alone, for commands that look at nothing else; `null` when it cannot be read, which has been told then. */
export async function openLock(options: GlobalOptions, io: Io): Promise<Lock | null> {
  const path = join(findRoot(directoryOf(options, io)), LOCK_FILE);
  const lock = await readLock(path, LOCK_FILE);
  if (lock.ok) return lock.value;
  const text = await readFile(path, 'utf8').catch(() => undefined);
  tellDiagnostics(lock.diagnostics, () => text, options, io);
  return null;
}

/**
 * The lockfile of a repository, to be written.
 *
 * @param root absolute
 * @param lock as it was read
 */
export function openLockFile(root: string, lock: Lock): LockFile {
  return new LockFile(join(root, LOCK_FILE), LOCK_FILE, lock, writeLinkedFile);
}

/** @throws ReelformError `unknown_video` */
export function entryOf(lock: Lock, id: string): LockEntry {
  const entry = lock.videos.get(id);
  if (entry !== undefined) return entry;
  const meant = closestMatch(id, lock.videos.keys());
  throw new ReelformError('unknown_video', `The lockfile has no video ${JSON.stringify(id)}`, {
    hint:
      meant === null
        ? 'Run `reelform show` to see which it has, and `reelform apply` to render what is missing'
        : `Did you mean ${meant}?`,
  });
}
