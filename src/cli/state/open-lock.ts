import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { didYouMean } from '../../kernel/hints.ts';
import { acquireProcessLock } from '../../kernel/process-lock.ts';
import { sweepUnfinished } from '../../kernel/replace-file.ts';
import { type Lock, type LockEntry, OUTPUTS_FOLDER } from '../../reconciler/lock/lock.ts';
import { LockFile, readLock } from '../../reconciler/lock/lock-file.ts';
import { findRoot, LOCK_FILE } from '../../reconciler/project/repository-layout.ts';
import { writeLinkedFile } from '../../reconciler/project/write-file.ts';
import { type GlobalOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printDiagnostics } from '../output.ts';

/** Loads the lockfile for commands that need nothing else. Null if it cannot be read; the errors are printed. */
export async function loadLock(options: GlobalOptions, io: Io): Promise<Lock | null> {
  const path = join(findRoot(workingDirectory(options, io)), LOCK_FILE);
  const lock = await readLock(path, LOCK_FILE);
  if (lock.ok) return lock.value;
  const text = await readFile(path, 'utf8').catch(() => undefined);
  printDiagnostics(lock.diagnostics, () => text, options, io);
  return null;
}

/**
 * Opens the lockfile of a repository for writing.
 *
 * @param root absolute
 * @param lock content that was read
 */
export function openLockFile(root: string, lock: Lock): LockFile {
  return new LockFile(join(root, LOCK_FILE), LOCK_FILE, lock, writeLinkedFile);
}

/** @throws ReelformError `unknown_video` */
export function lockEntry(lock: Lock, id: string): LockEntry {
  const entry = lock.videos.get(id);
  if (entry !== undefined) return entry;
  const list = 'Run `reelform show` to list its videos, and `reelform apply` to render missing ones';
  throw new ReelformError('unknown_video', `The lockfile has no video ${JSON.stringify(id)}`, {
    hint: didYouMean(id, lock.videos.keys()) ?? list,
  });
}

/**
 * Updates the lockfile of a repository whose run lock is held.
 *
 * @param root absolute
 * @param change may throw, so that nothing is written
 * @returns the new content; null if it cannot be read, with the errors printed
 */
export async function updateLock(
  root: string,
  change: (lock: Lock) => Lock,
  options: GlobalOptions,
  io: Io,
): Promise<Lock | null> {
  const lock = await loadLock(options, io);
  if (lock === null) return null;
  return openLockFile(root, lock).update(change);
}

/** Unfinished files of earlier versions in `.reelform/`. */
const FORMER_NAMES = /^(apply\.pid\.|plan-|stamp-)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Runs an action while no apply can run in the repository.
 *
 * @param root absolute
 * @throws ReelformError `already_running`, and errors of the action
 */
export async function withRunLock<T>(root: string, io: Io, work: () => Promise<T>): Promise<T> {
  const folder = join(root, '.reelform');
  const release = await acquireProcessLock(join(folder, 'apply.pid'), alreadyRunning);
  try {
    await Promise.all([
      sweepUnfinished(root, io.now()),
      sweepUnfinished(folder, io.now(), { names: FORMER_NAMES }),
      sweepUnfinished(join(root, 'schemas'), io.now()),
      sweepUnfinished(join(root, OUTPUTS_FOLDER), io.now(), { recursive: true }),
    ]);
    return await work();
  } finally {
    await release();
  }
}

function alreadyRunning(holder: string): ReelformError {
  return new ReelformError('already_running', `Another apply is running in this repository: ${holder}`, {
    hint: 'Wait until it ends, or stop it. If it was killed, run the command again in 30 seconds',
  });
}
