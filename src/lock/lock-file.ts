import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import type { Result } from '../diagnostic.ts';
import { emptyLock, type Lock } from './lock.ts';
import { parseLock, unreadableLock } from './parse-lock.ts';
import { serialiseLock } from './serialise-lock.ts';

/** Replaces a file whole or not at all. */
export type WriteFileAtomic = (path: string, data: string | Uint8Array) => Promise<void>;

/**
 * Reads the lockfile from disk. EDGE. A file that is not there is an empty lock, the first run's; one that is there and
 * cannot be read is an error.
 *
 * @param path where it lies on this machine
 * @param file its repository-relative name, for diagnostics
 */
export async function readLock(path: string, file: string): Promise<Result<Lock>> {
  const refuse = (why: string): Result<Lock> => ({
    ok: false,
    diagnostics: [unreadableLock(why, { file, start: 0, end: 0 })],
  });
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? { ok: true, value: emptyLock } : refuse(code ?? message);
  }
  if (!isUtf8(bytes)) return refuse('it is not UTF-8 text');
  return parseLock(bytes.toString('utf8'), file);
}

/**
 * Writes the lockfile, unless it already says exactly this; an empty lock makes no file. EDGE.
 *
 * @returns whether anything was written
 */
export async function writeLock(path: string, lock: Lock, write: WriteFileAtomic): Promise<boolean> {
  const text = serialiseLock(lock);
  const present = await readFile(path, 'utf8').catch(() => null);
  if (present === text || (present === null && text === serialiseLock(emptyLock))) return false;
  await write(path, text);
  return true;
}
