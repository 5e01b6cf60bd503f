import { closeSync, openSync, readSync } from 'node:fs';
import type { SourceBytes } from './source-file.ts';

/** Bytes that a jump and a continued read of a file fetch. */
const [JUMP_BYTES, STEP_BYTES] = [4_096, 65_536];

/** Bytes that replace those of the file. */
export interface Patch {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** A file whose bytes are in memory in a window. */
class Content {
  buffer: Buffer;
  /** Range of the file that the buffer contains. */
  start = 0;
  end: number;
  readonly #descriptor: number | null;
  readonly #size: number;
  readonly #patches: readonly Patch[];
  #isClosed = false;

  constructor(bytes: SourceBytes, patches: readonly Patch[]) {
    const isInMemory = bytes instanceof Uint8Array;
    this.#size = bytes.length;
    this.#patches = patches;
    this.#descriptor = isInMemory ? null : openSync(bytes.path, 'r');
    this.buffer = isInMemory ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) : Buffer.alloc(0);
    this.end = this.buffer.length;
    if (!isInMemory || patches.length === 0) return;
    this.buffer = Buffer.from(this.buffer);
    this.#patch(this.buffer, 0);
  }

  /** Moves the window to bytes of the file. The former buffer stays as it is, because packets may be parts of it. */
  load(from: number, size: number): void {
    const wanted = Math.max(size, from === this.end ? STEP_BYTES : JUMP_BYTES);
    this.buffer = this.read(from, Math.min(this.#size, from + wanted));
    this.start = from;
    this.end = from + this.buffer.length;
  }

  /** Reads a range into new memory. */
  read(from: number, to: number): Buffer {
    if (this.#descriptor === null || this.#isClosed) throw new Error('Internal error: a source is read after its end');
    const bytes = Buffer.allocUnsafeSlow(to - from);
    for (let at = 0; at < bytes.length; ) {
      const count = readSync(this.#descriptor, bytes, at, bytes.length - at, from + at);
      if (count === 0) throw new Error('The file was changed while it was read');
      at += count;
    }
    this.#patch(bytes, from);
    return bytes;
  }

  close(): void {
    if (this.#descriptor !== null && !this.#isClosed) closeSync(this.#descriptor);
    this.#isClosed = true;
  }

  #patch(bytes: Buffer, from: number): void {
    for (const patch of this.#patches) {
      for (const [index, value] of patch.bytes.entries()) {
        const at = patch.at + index - from;
        if (at >= 0 && at < bytes.length) bytes[at] = value;
      }
    }
  }
}

/**
 * Bytes of a source or of a range of it, with the reading methods of `Buffer`. Of a file, only a window is in memory. Reads are
 * synchronous, as those of a buffer. Reading beyond the end throws a RangeError. EDGE.
 */
export class ByteView {
  readonly length: number;
  readonly #content: Content;
  readonly #start: number;

  private constructor(content: Content, start: number, length: number) {
    this.#content = content;
    this.#start = start;
    this.length = length;
  }

  /** Opens a source. The caller must close it. @param patches applied to what is read */
  static open(bytes: SourceBytes, patches: readonly Patch[] = []): ByteView {
    return new ByteView(new Content(bytes, patches), 0, bytes.length);
  }

  /** Closes the source, also for all ranges of it. May be called again. */
  close(): void {
    this.#content.close();
  }

  /** Returns a range that shares the source. Ends beyond the end are moved to it. */
  subarray(start: number, end: number = this.length): ByteView {
    const from = Math.min(Math.max(0, start), this.length);
    return new ByteView(this.#content, this.#start + from, Math.max(0, Math.min(end, this.length) - from));
  }

  /** Returns the bytes of a range, as `subarray` limits it. They may be shared and must not be modified. */
  bytes(start = 0, end: number = this.length): Buffer {
    const from = Math.min(Math.max(0, start), this.length);
    const size = Math.max(0, Math.min(end, this.length) - from);
    if (size === 0) return Buffer.alloc(0);
    const content = this.#content;
    const at = this.#start + from;
    const isLoaded = at >= content.start && at + size <= content.end;
    if (!isLoaded && size >= JUMP_BYTES) return content.read(at, at + size);
    if (!isLoaded) content.load(at, size);
    return content.buffer.subarray(at - content.start, at - content.start + size);
  }

  /** Returns bytes around a range, and the position of the first of them. They are not overwritten. @throws RangeError beyond the end */
  around(start: number, end: number): { readonly bytes: Buffer; readonly offset: number } {
    this.#locate(start, end - start);
    const { buffer, start: offset } = this.#content;
    return { bytes: buffer, offset: offset - this.#start };
  }

  /** Returns a byte; undefined outside the range. */
  at(index: number): number | undefined {
    if (!(index >= 0 && index < this.length)) return undefined;
    const found = this.#locate(index, 1);
    return this.#content.buffer[found];
  }

  readUInt8(at = 0): number {
    const index = this.#locate(at, 1);
    return this.#content.buffer.readUInt8(index);
  }

  readUInt16BE(at = 0): number {
    const index = this.#locate(at, 2);
    return this.#content.buffer.readUInt16BE(index);
  }

  readUInt16LE(at = 0): number {
    const index = this.#locate(at, 2);
    return this.#content.buffer.readUInt16LE(index);
  }

  readUInt32BE(at = 0): number {
    const index = this.#locate(at, 4);
    return this.#content.buffer.readUInt32BE(index);
  }

  readUInt32LE(at = 0): number {
    const index = this.#locate(at, 4);
    return this.#content.buffer.readUInt32LE(index);
  }

  readUIntBE(at: number, size: number): number {
    const index = this.#locate(at, size);
    return this.#content.buffer.readUIntBE(index, size);
  }

  readBigUInt64BE(at = 0): bigint {
    const index = this.#locate(at, 8);
    return this.#content.buffer.readBigUInt64BE(index);
  }

  readBigUInt64LE(at = 0): bigint {
    const index = this.#locate(at, 8);
    return this.#content.buffer.readBigUInt64LE(index);
  }

  readBigInt64BE(at = 0): bigint {
    const index = this.#locate(at, 8);
    return this.#content.buffer.readBigInt64BE(index);
  }

  /** Returns a range as text. */
  toString(encoding: 'latin1' | 'hex', start = 0, end: number = this.length): string {
    const [from, to] = [Math.min(Math.max(0, start), this.length), Math.min(end, this.length)];
    if (to - from >= JUMP_BYTES) return this.bytes(from, to).toString(encoding);
    if (to <= from) return '';
    const index = this.#locate(from, to - from);
    return this.#content.buffer.toString(encoding, index, index + to - from);
  }

  /** Returns whether a text occurs. @param text in Latin-1 */
  includes(text: string): boolean {
    for (let at = 0; at < this.length; at += STEP_BYTES) {
      if (this.bytes(at, at + STEP_BYTES + text.length - 1).includes(text, 0, 'latin1')) return true;
    }
    return false;
  }

  /** Loads bytes, if they are not in the window. @returns their index in the buffer @throws RangeError beyond the end */
  #locate(at: number, size: number): number {
    if (!(at >= 0 && at + size <= this.length)) throw new RangeError(`a read at ${at} is beyond the end`);
    const content = this.#content;
    const from = this.#start + at;
    if (from < content.start || from + size > content.end) content.load(from, size);
    return from - content.start;
  }
}

/** Opens a source for a function, and closes it. */
export function viewed<Result>(bytes: SourceBytes, read: (view: ByteView) => Result): Result {
  const view = ByteView.open(bytes);
  try {
    return read(view);
  } finally {
    view.close();
  }
}
