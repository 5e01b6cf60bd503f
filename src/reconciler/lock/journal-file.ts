import { constants } from 'node:fs';
import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { nullIfMissing } from '../../kernel/file-system-error.ts';
import { replaceFile } from '../../kernel/replace-file.ts';
import { compactJournal } from './fold-journal.ts';
import {
  type Attempt,
  type JournalRecord,
  journalLine,
  journalText,
  parseJournal,
  unreadableJournal,
} from './journal.ts';
import { type JournalWrite, QueuedJournal, settleWrites } from './journal-queue.ts';
import type { Lock } from './lock.ts';

/**
 * Opens the journal file, for one process at a time. Creates no file before the first line.
 *
 * @param path absolute
 * @param options.file its name for errors
 * @throws ReelformError `journal_unreadable`
 */
export async function openJournalFile(path: string, { file }: { readonly file: string }): Promise<JournalFile> {
  return new JournalFile(path, file, await readRecords(path, file));
}

interface Contents {
  readonly records: readonly JournalRecord[];
  readonly wholeBytes: number;
  /** Size including a torn last line. */
  readonly bytes: number;
}

/** Reads the file; null when there is none. */
async function readRecords(path: string, file: string): Promise<Contents | null> {
  let bytes: Buffer | null;
  try {
    bytes = await nullIfMissing(readFile(path));
  } catch (error) {
    throw unreadableJournal((error as NodeJS.ErrnoException).code ?? String(error), file);
  }
  if (bytes === null) return null;
  return { ...parseJournal(bytes, file), bytes: bytes.length };
}

/**
 * The journal of one repository folder, below `.reelform/`. When a write fails, its lines are removed again and the journal
 * stays usable. The run lock keeps other processes out. Where it fails, lines stay whole, and those of the other process
 * are read before the next claim.
 */
export class JournalFile extends QueuedJournal {
  readonly isShared = false;
  readonly #path: string;
  readonly #file: string;
  /** Size of the whole, durable lines, in bytes; null while there is no file. */
  #size: number | null = null;
  /** Size of the file with a torn last line, in bytes; null after a failed write, and while there is no file. */
  #end: number | null = null;
  /** True after a failed rewrite, when either the old or the new file exists. */
  #isUncertain = false;

  constructor(path: string, file: string, contents: Contents | null) {
    super();
    this.#path = path;
    this.#file = file;
    this.#take(contents);
  }

  /** Does nothing: no other process writes the file. */
  async refresh(): Promise<void> {}

  /** Rewrites the file without closed attempts and those that the lockfile records. Other calls may follow at once. */
  compact(lock: Lock): Promise<void> {
    return this.exclusively(async () => {
      const contents = await readRecords(this.#path, this.#file);
      if (contents === null) return;
      const records = compactJournal(contents.records, this.state, lock);
      if (records.length === contents.records.length) return;
      this.#isUncertain = true;
      const bytes = await this.#replace(records);
      this.#take({ records, wholeBytes: bytes, bytes });
    });
  }

  protected async commit(writes: readonly JournalWrite[]): Promise<readonly (Attempt | null)[]> {
    if (this.#isUncertain || (await this.#hasChanged())) this.#take(await readRecords(this.#path, this.#file));
    const { records, answers } = settleWrites(this.fold, writes);
    if (records.length > 0) await this.#add(records);
    for (const record of records) this.fold.take(record);
    return answers;
  }

  #take(contents: Contents | null): void {
    this.load(contents?.records ?? []);
    this.#size = contents?.wholeBytes ?? null;
    this.#end = contents?.bytes ?? null;
    this.#isUncertain = false;
  }

  /** Detects writes of another process. For a removed file, returns false: opening it fails. */
  async #hasChanged(): Promise<boolean> {
    const found = await stat(this.#path).catch(() => null);
    if (found === null) return false;
    return this.#size === null || (this.#end !== null && this.#end !== found.size);
  }

  async #add(records: readonly JournalRecord[]): Promise<void> {
    if (this.#size === null) {
      this.#size = await this.#replace(records);
      this.#end = this.#size;
      return;
    }
    const bytes = Buffer.from(records.map(journalLine).join(''));
    try {
      // Opened for each write: lines written to a file that was removed meanwhile would be lost.
      await withFile(this.#path, (handle) => this.#addTo(handle, bytes, this.#size!));
    } catch (error) {
      throw notWritten(this.#file, error);
    }
    this.#size += bytes.length;
  }

  async #addTo(handle: FileHandle, bytes: Buffer, size: number): Promise<void> {
    try {
      if (this.#end !== size) await handle.truncate(size);
      this.#end = null;
      await appendAll(handle, bytes);
      await handle.datasync();
      this.#end = size + bytes.length;
    } catch (error) {
      // If this fails, the next write truncates the file. Until then it ends with a torn line, or with an intent that
      // was not sent.
      await handle.truncate(size).catch(() => undefined);
      throw error;
    }
  }

  /** Writes a new file: the first file of the journal, or a compacted file. @returns its size in bytes */
  async #replace(records: readonly JournalRecord[]): Promise<number> {
    const text = journalText(records);
    try {
      await replaceFile(this.#path, text, { isDurable: true });
    } catch (error) {
      throw notWritten(this.#file, error);
    }
    return Buffer.byteLength(text);
  }
}

async function withFile(path: string, action: (handle: FileHandle) => Promise<void>): Promise<void> {
  const handle = await open(path, constants.O_WRONLY | constants.O_APPEND);
  try {
    await action(handle);
  } finally {
    await handle.close();
  }
}

async function appendAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done);
    done += bytesWritten;
  }
}

function notWritten(file: string, cause: unknown): ReelformError {
  return new ReelformError('write_failed', `The journal ${file} could not be written: ${(cause as Error).message}`, {
    hint: 'Check the free space and the permissions of the folder. No unrecorded request was sent',
    cause,
  });
}
