import { isUtf8 } from 'node:buffer';
import { readFile, readlink } from 'node:fs/promises';
import { ReelformError, type Result, startOf } from '../../kernel/diagnostic.ts';
import { nullIfMissing } from '../../kernel/file-system-error.ts';
import { emptyLock, type Lock } from './lock.ts';
import { parseLock, serialiseLock, unreadableLock } from './lock-format.ts';

/** Replaces a whole file atomically. */
type WriteFileAtomic = (path: string, data: string | Uint8Array) => Promise<void>;

/**
 * Reads the lockfile. A missing file is an empty lock, as before the first run; an unreadable file is an error.
 *
 * @param path absolute
 * @param file its repository-relative name, for diagnostics
 */
export async function readLock(path: string, file: string): Promise<Result<Lock>> {
  const refuse = (why: string): Result<Lock> => ({
    ok: false,
    diagnostics: [unreadableLock(why, startOf(file))],
  });
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') return refuse(code ?? message);
    // A link to an unmounted disk is not a first run: everything would be rendered again.
    const link = await readlink(path).catch(() => null);
    if (link === null) return { ok: true, value: emptyLock };
    const nowhere = unreadableLock(`it is a link to ${link}, which does not exist`, startOf(file));
    return { ok: false, diagnostics: [{ ...nowhere, hint: 'Restore the target of the link, or remove the link' }] };
  }
  return parseLockBytes(bytes, file);
}

/** Parses the bytes of a lockfile, as `parseLock` does its text. */
export function parseLockBytes(bytes: Buffer, file: string): Result<Lock> {
  if (isUtf8(bytes)) return parseLock(bytes.toString('utf8'), file);
  return { ok: false, diagnostics: [unreadableLock('it is not valid UTF-8', startOf(file))] };
}

/**
 * The lockfile during a run. Each change is applied to the present content of the file, so that entries written by
 * other programs meanwhile (a pull, an editor) are kept. A change costs the entries that it touches, and reading, comparing and
 * writing the file once.
 */
export class LockFile {
  readonly #path: string;
  readonly #file: string;
  readonly #write: WriteFileAtomic;
  #lock: Lock;
  /** Last known content on disk; null before the first read. */
  #bytes: Buffer | null = null;

  /** @param lock as read when the run was planned */
  constructor(path: string, file: string, lock: Lock, write: WriteFileAtomic) {
    this.#path = path;
    this.#file = file;
    this.#write = write;
    this.#lock = lock;
  }

  /**
   * Applies a change and writes the file if it differs. Must not run concurrently.
   *
   * @returns the lock as it is on disk now
   * @throws ReelformError with the code of `readLock` when the file has become unreadable; it is left unchanged
   */
  async update(change: (lock: Lock) => Lock): Promise<Lock> {
    // Reads the whole file each time: that takes a tenth of writing it, and a time stamp does not prove that it is
    // unchanged.
    const present = (await nullIfMissing(readFile(this.#path))) ?? Buffer.from(serialiseLock(emptyLock));
    if (!present.equals(this.#bytes ?? Buffer.from(serialiseLock(this.#lock)))) {
      const read = parseLock(present.toString('utf8'), this.#file);
      if (!read.ok) {
        const { code, message, hint = '' } = read.diagnostics[0]!;
        throw new ReelformError(code, `During the run: ${message}`, { hint });
      }
      this.#lock = read.value;
    }
    this.#lock = change(this.#lock);
    this.#bytes = Buffer.from(serialiseLock(this.#lock));
    if (!this.#bytes.equals(present)) await this.#write(this.#path, this.#bytes);
    return this.#lock;
  }
}
