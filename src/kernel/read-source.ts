import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { fileSha256, type Sha256 } from './digest.ts';
import { HEAD_BYTES, headOf, type SourceBytes, SourceFile } from './source-file.ts';

/** Bytes that are read at once. */
const STEP_BYTES = 2 ** 20;

/** Hashes the bytes of a file as they come, and keeps those that its reference needs. */
export class SourceDigest {
  readonly #hash = createHash('sha256');
  readonly #head = Buffer.alloc(HEAD_BYTES);
  #length = 0;

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  add(chunk: Uint8Array): void {
    this.#hash.update(chunk);
    if (this.#length < HEAD_BYTES) this.#head.set(chunk.subarray(0, HEAD_BYTES - this.#length), this.#length);
    this.#length += chunk.length;
  }

  /** Returns the fields of the reference. No byte can be added afterwards. */
  finish(): Pick<SourceFile, 'length' | 'sha256' | 'head'> {
    const sha256 = this.#hash.digest('hex') as Sha256;
    return { length: this.#length, sha256, head: this.#head.subarray(0, Math.min(HEAD_BYTES, this.#length)) };
  }
}

/** Clips and sounds up to this size are read into memory. */
const MAX_IN_MEMORY_BYTES = 2 ** 20;

/** Reads a file: a large one as a reference to it, which hashes it. EDGE. @param path absolute @throws Error as the file system */
export async function readSource(path: string): Promise<SourceBytes> {
  return (await stat(path)).size > MAX_IN_MEMORY_BYTES ? hashSourceFile(path) : readFile(path);
}

/** Returns all bytes of a source; null for a file that has changed. EDGE. */
export async function contentOf(source: SourceBytes): Promise<Uint8Array | null> {
  if (source instanceof Uint8Array) return source;
  const bytes = await readFile(source.path);
  return (await fileSha256(bytes)) === source.sha256 ? bytes : null;
}

/** Streams a range of a source. EDGE. @param end after the last byte */
export function streamContent(source: SourceBytes, start: number, end: number): Readable {
  if (source instanceof Uint8Array || end <= start) return Readable.from([headOf(source).subarray(start, end)]);
  return createReadStream(source.path, { start, end: end - 1 });
}

/**
 * Streams a file. Its last bytes come after its content was verified, so that nothing takes a file that has changed for a complete one.
 * EDGE.
 *
 * @param changed creates the error of a file that has changed or is missing
 */
export function streamVerified(source: SourceFile, changed: () => Error): Readable {
  return Readable.from(verifiedChunks(source, changed), { objectMode: false });
}

async function* verifiedChunks({ path, length, sha256 }: SourceFile, changed: () => Error): AsyncGenerator<Uint8Array> {
  const digest = new SourceDigest();
  let held: Uint8Array = new Uint8Array(0);
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      digest.add(chunk);
      if (digest.length > length) throw changed();
      yield held;
      held = chunk;
    }
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? changed() : error;
  }
  if (digest.finish().sha256 !== sha256) throw changed();
  yield held;
}

/** Reads a file once and returns its reference. EDGE. @param path absolute @throws Error as the file system */
export async function hashSourceFile(path: string): Promise<SourceFile> {
  const file = await open(path, 'r');
  try {
    const digest = new SourceDigest();
    const buffer = Buffer.allocUnsafeSlow(STEP_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, digest.length);
      if (bytesRead === 0) return new SourceFile({ path, ...digest.finish() });
      digest.add(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}
