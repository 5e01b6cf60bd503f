import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  createReadStream,
  fstatSync,
  linkSync,
  openSync,
  read,
  renameSync,
  rmSync,
  write,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { Sha256 } from './digest.ts';
import { ownedName, ownerHasEnded } from './owned-name.ts';
import { sweepTemporary } from './temporary-folder.ts';

const PREFIX = 'reelform-file-';
/** A file that another process names may be a link or a pipe, which must neither be followed nor block. */
const OPEN_TAKEN = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Bytes that are read at once. */
const READ_BYTES = 2 ** 18;

const readAt = promisify(read);
const writeAt = promisify(write);

/** The resources of an open file. */
interface OpenFile {
  readonly path: string;
  readonly descriptor: number;
}

/** Removes files whose owner forgot to close them. */
const forgotten = new FinalizationRegistry<OpenFile>(remove);

/** Half-open range of bytes. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * A file in the temporary folder, for data that is too large to keep in memory. Its owner closes it, which removes it. Files of a process
 * that has ended are removed by the next process that creates such a file, and an hour after their last write where it cannot know. EDGE.
 */
export class TemporaryFile {
  readonly #open: OpenFile;
  #size: number;
  #isClosed = false;

  private constructor(open: OpenFile, size: number) {
    this.#open = open;
    this.#size = size;
    forgotten.register(this, open, this);
  }

  /** Creates an empty file. */
  static create(): TemporaryFile {
    sweepTemporary(PREFIX, undefined, (name) => ownerHasEnded(PREFIX, name));
    const path = newPath();
    return new TemporaryFile({ path, descriptor: openSync(path, 'wx+', 0o600) }, 0);
  }

  static async of(bytes: Uint8Array): Promise<TemporaryFile> {
    const file = TemporaryFile.create();
    await file.append(bytes);
    return file;
  }

  /**
   * Takes over a complete file of another process, which need not be trusted.
   *
   * @param path on the disk of the temporary folder
   * @throws Error if it is not a regular file
   */
  static take(path: string): TemporaryFile {
    const taken = newPath();
    renameSync(path, taken);
    let descriptor: number | undefined;
    try {
      descriptor = openSync(taken, OPEN_TAKEN);
      const found = fstatSync(descriptor);
      if (!found.isFile()) throw new Error('A file from another process is not a regular file');
      return new TemporaryFile({ path: taken, descriptor }, found.size);
    } catch (error) {
      if (descriptor !== undefined) closeSync(descriptor);
      rmSync(taken, { recursive: true, force: true });
      throw error;
    }
  }

  /** Bytes written so far. */
  get size(): number {
    return this.#size;
  }

  /** Writes at the end. */
  async append(bytes: Uint8Array): Promise<void> {
    await this.write(bytes, this.#size);
  }

  /** @param position in bytes; a gap reads as zeros */
  async write(bytes: Uint8Array, position: number): Promise<void> {
    this.#size = Math.max(this.#size, position + bytes.length);
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await writeAt(this.#descriptor, bytes, at, bytes.length - at, position + at);
      at += bytesWritten;
    }
  }

  /** Reads a range into memory; the whole file by default. @throws Error if the file is shorter */
  async bytes({ start, end }: ByteRange = { start: 0, end: this.#size }): Promise<Buffer> {
    const bytes = Buffer.allocUnsafeSlow(end - start);
    for (let at = 0; at < bytes.length; ) {
      const { bytesRead } = await readAt(this.#descriptor, bytes, at, bytes.length - at, start + at);
      if (bytesRead === 0) throw tooShort();
      at += bytesRead;
    }
    return bytes;
  }

  /**
   * Reads the whole file. A chunk is overwritten when the next is requested, so that a long file leaves no memory to collect.
   */
  async *chunks(): AsyncGenerator<Uint8Array> {
    const buffer = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, this.#size));
    for (let at = 0; at < this.#size; ) {
      const length = Math.min(buffer.length, this.#size - at);
      const { bytesRead } = await readAt(this.#descriptor, buffer, 0, length, at);
      if (bytesRead === 0) throw tooShort();
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  }

  /** Streams a range; the whole file by default. */
  stream({ start, end }: ByteRange = { start: 0, end: this.#size }): Readable {
    if (end <= start) return Readable.from([]);
    return createReadStream('', {
      fd: this.#descriptor,
      autoClose: false,
      start,
      end: end - 1,
      highWaterMark: READ_BYTES,
    });
  }

  async sha256(): Promise<Sha256> {
    const hash = createHash('sha256');
    for await (const chunk of this.chunks()) hash.update(chunk);
    return hash.digest('hex') as Sha256;
  }

  /** Makes the file available to another process in a folder on the same disk. @returns its name there */
  shareIn(folder: string): string {
    const name = basename(this.#open.path);
    try {
      linkSync(this.#open.path, join(folder, name));
    } catch {
      // Some file systems have no hard links.
      copyFileSync(this.#open.path, join(folder, name));
    }
    return name;
  }

  /** Closes the file without removing it, for a process that takes it. @returns its name */
  release(): string {
    const name = basename(this.#open.path);
    if (!this.#isClosed) closeSync(this.#descriptor);
    this.#forget();
    return name;
  }

  /** Closes and removes the file. May be called again. */
  close(): void {
    if (this.#isClosed) return;
    this.#forget();
    remove(this.#open);
  }

  get #descriptor(): number {
    if (this.#isClosed) throw new Error('Internal error: the temporary file is closed');
    return this.#open.descriptor;
  }

  #forget(): void {
    this.#isClosed = true;
    forgotten.unregister(this);
  }
}

/** A path that other processes do not guess. */
function newPath(): string {
  return join(tmpdir(), ownedName(PREFIX));
}

function tooShort(): Error {
  return new Error('A temporary file is shorter than expected');
}

/** Best effort: errors are ignored. */
function remove({ path, descriptor }: OpenFile): void {
  try {
    closeSync(descriptor);
    rmSync(path, { force: true });
  } catch {
    return;
  }
}
