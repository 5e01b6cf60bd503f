import { isUtf8 } from 'node:buffer';
import { readFile, readlink } from 'node:fs/promises';
import { type Diagnostic, ReelformError, type Result } from '../diagnostic.ts';
import { nullIfMissing } from '../file-system-error.ts';
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
    if (code !== 'ENOENT') return refuse(code ?? message);
    // A disk that is not mounted is no first run: everything would be rendered again.
    const link = await readlink(path).catch(() => null);
    if (link === null) return { ok: true, value: emptyLock };
    const nowhere = unreadableLock(`it is a link to ${link}, and nothing is there`, { file, start: 0, end: 0 });
    return { ok: false, diagnostics: [{ ...nowhere, hint: 'Put the lockfile there, or remove the link' }] };
  }
  if (!isUtf8(bytes)) return refuse('it is not UTF-8 text');
  return parseLock(bytes.toString('utf8'), file);
}

/**
 * The lockfile while a run writes to it. EDGE. Every change is made to what the file says at that moment, so entries that
 * somebody else wrote meanwhile (a pull, an editor) stay. A change costs the entries that it touches, and the file's bytes
 * read, compared and written once.
 */
export class LockFile {
  readonly #path: string;
  readonly #file: string;
  readonly #write: WriteFileAtomic;
  #lock: Lock;
  /** What is on the disk, as far as we know; null until we have looked. */
  #bytes: Buffer | null = null;

  /** @param lock as it was read when the run was planned */
  constructor(path: string, file: string, lock: Lock, write: WriteFileAtomic) {
    this.#path = path;
    this.#file = file;
    this.#write = write;
    this.#lock = lock;
  }

  /**
   * Writes what the change makes of the file; nothing when that is what it says. Not for two changes at once.
   *
   * @returns the lock as it is on the disk now
   * @throws ReelformError with the code of `readLock` when the file has become unreadable; it is left as it is
   */
  async update(change: (lock: Lock) => Lock): Promise<Lock> {
    // Read whole each time: that is a tenth of what writing costs, and no time stamp can be trusted to tell a change.
    const present = (await nullIfMissing(readFile(this.#path))) ?? Buffer.from(serialiseLock(emptyLock));
    if (!present.equals(this.#bytes ?? Buffer.from(serialiseLock(this.#lock)))) {
      const read = parseLock(present.toString('utf8'), this.#file);
      if (!read.ok) throw unreadableNow(read.diagnostics[0]!);
      this.#lock = read.value;
    }
    this.#lock = change(this.#lock);
    this.#bytes = Buffer.from(serialiseLock(this.#lock));
    if (!this.#bytes.equals(present)) await this.#write(this.#path, this.#bytes);
    return this.#lock;
  }
}

function unreadableNow({ code, message, hint = '' }: Diagnostic): ReelformError {
  return new ReelformError(code, `While the run was at work: ${message}`, { hint });
}
