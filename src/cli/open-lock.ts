import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ReelformError } from '../diagnostic.ts';
import type { Lock, LockEntry } from '../lock/lock.ts';
import { readLock } from '../lock/lock-file.ts';
import { findRoot } from '../project/find-root.ts';
import { directoryOf, tellDiagnostics } from './diagnose.ts';
import type { GlobalOptions } from './global-options.ts';
import type { Io } from './io.ts';
import { LOCK_FILE } from './repository-names.ts';

export { LOCK_FILE };

/** The lock alone, for commands that look at nothing else; `null` when it cannot be read, which has been told then. */
export async function openLock(options: GlobalOptions, io: Io): Promise<Lock | null> {
  const path = join(findRoot(directoryOf(options, io)), LOCK_FILE);
  const lock = await readLock(path, LOCK_FILE);
  if (lock.ok) return lock.value;
  const text = await readFile(path, 'utf8').catch(() => undefined);
  tellDiagnostics(lock.diagnostics, () => text, options, io);
  return null;
}

/** @throws ReelformError `unknown_video` */
export function entryOf(lock: Lock, id: string): LockEntry {
  const entry = lock.videos.get(id);
  if (entry !== undefined) return entry;
  throw new ReelformError('unknown_video', `The lockfile has no video ${JSON.stringify(id)}`, {
    hint: 'Run `reelform show` to see which it has, and `reelform apply` to render what is missing',
  });
}
