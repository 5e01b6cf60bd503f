import { constants } from 'node:fs';
import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { ReelformError } from '../diagnostic.ts';
import { nullIfMissing } from '../file-system-error.ts';
import { replaceFile } from '../replace-file.ts';
import { compactJournal, JournalFold } from './fold-journal.ts';
import type { Attempt, Intent, JournalRecord, JournalState } from './journal.ts';
import { JournalQueue, type JournalWrite, settleWrites } from './journal-queue.ts';
import type { Lock, LockEntry } from './lock.ts';
import { journalError, journalLine, journalText, parseJournal, unreadableJournal } from './parse-journal.ts';

/**
 * Opens the journal that is one file, for one process at a time. EDGE. Nothing is written before the first line: a journal
 * that was only read leaves no trace.
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
  /** With a last line that was cut off. */
  readonly bytes: number;
}

/** What the file says; null when there is none. */
async function readRecords(path: string, file: string): Promise<Contents | null> {
  let bytes: Buffer | null;
  try {
    bytes = await nullIfMissing(readFile(path));
  } catch (error) {
    throw journalError(unreadableJournal((error as NodeJS.ErrnoException).code ?? String(error), file));
  }
  if (bytes === null) return null;
  const parsed = parseJournal(bytes, file);
  if (!parsed.ok) throw journalError(parsed.diagnostics[0]!);
  return { ...parsed.value, bytes: bytes.length };
}

/**
 * The journal of one repository folder, below `.reelform/`. Has the shape of `Journal` in apply/ports.ts. A call resolves
 * when its line is on the disk; those that come while a write runs share the next one. A write that fails takes its lines
 * back, and the journal goes on. The run lock keeps other processes out; where it fails, lines stay whole, and those of the
 * other process are read before the next claim.
 */
export class JournalFile {
  readonly isShared = false;
  readonly #path: string;
  readonly #file: string;
  readonly #queue = new JournalQueue((writes) => this.#commit(writes));
  #fold = new JournalFold();
  /** Bytes of whole, durable lines; null while there is no file. */
  #size: number | null = null;
  /** Bytes in the file, with a torn last line; null after a write that failed, and while there is no file. */
  #end: number | null = null;
  /** Whether a rewriting failed, so that the old file or the new one is there. */
  #isUncertain = false;

  constructor(path: string, file: string, contents: Contents | null) {
    this.#path = path;
    this.#file = file;
    this.#take(contents);
  }

  get state(): JournalState {
    return this.#fold.state;
  }

  /** See `Journal`; a claim under the key of an attempt in `retry` is one to send it again. */
  begin(intent: Intent, insteadOf: LockEntry | null = null): Promise<Attempt | null> {
    return this.#queue.add({ record: { type: 'intent', ...intent }, isClaim: true, insteadOf });
  }

  async append(record: JournalRecord): Promise<void> {
    await this.#queue.add({ record, isClaim: false });
  }

  /** Nothing to read: nobody else writes it. */
  async refresh(): Promise<void> {}

  /** Rewrites the file without what is closed and what the lockfile has. Who is at work may go on writing. */
  compact(lock: Lock): Promise<void> {
    return this.#queue.alone(async () => {
      const contents = await readRecords(this.#path, this.#file);
      if (contents === null) return;
      const records = compactJournal(contents.records, this.state, lock);
      if (records.length === contents.records.length) return;
      this.#isUncertain = true;
      const bytes = await this.#replace(records);
      this.#take({ records, wholeBytes: bytes, bytes });
    });
  }

  /** When what was asked for before is done. */
  close(): Promise<void> {
    return this.#queue.alone(async () => undefined);
  }

  async #commit(writes: readonly JournalWrite[]): Promise<readonly (Attempt | null)[]> {
    if (this.#isUncertain || (await this.#hasChanged())) this.#take(await readRecords(this.#path, this.#file));
    const { records, answers } = settleWrites(this.#fold, writes);
    if (records.length > 0) await this.#add(records);
    for (const record of records) this.#fold.take(record);
    return answers;
  }

  #take(contents: Contents | null): void {
    this.#fold = new JournalFold();
    for (const record of contents?.records ?? []) this.#fold.take(record);
    this.#size = contents?.wholeBytes ?? null;
    this.#end = contents?.bytes ?? null;
    this.#isUncertain = false;
  }

  /** Whether another process wrote to the file. One that was removed fails when it is opened. */
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
      // Opened anew each time: lines written into a file that somebody removed meanwhile would be nowhere.
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
      // What it fails to take back now, the next write does: until then it is a torn line, or an intent that was not sent.
      await handle.truncate(size).catch(() => undefined);
      throw error;
    }
  }

  /** A whole new file: the first one, or a compacted one. @returns its bytes */
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
    hint: 'Check the space on the disk and the rights of the folder. Nothing that was not recorded was sent',
    cause,
  });
}
