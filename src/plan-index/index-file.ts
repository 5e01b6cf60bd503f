import { hash } from 'node:crypto';
import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { unfinishedPath } from '../replace-file.ts';
import { decodeParts, encodeParts } from './byte-parts.ts';
import { decodeHead, decodeTail, encodeHead, type Head, TAIL_BYTES, type Tail } from './index-format.ts';
import type { RecordPlace } from './remembered-definition.ts';

const COPY_BYTES = 1 << 22;

/** An index that is open, and has to be closed. EDGE. */
export class IndexFile {
  readonly head: Head;
  readonly #file: number;
  readonly #tail: Tail;

  private constructor(file: number, tail: Tail, head: Head) {
    this.#file = file;
    this.#tail = tail;
    this.head = head;
  }

  /** @returns null when there is none, when it is torn or corrupt, or when it is not of this key */
  static open(path: string, key: string): IndexFile | null {
    let file: number;
    try {
      file = openSync(path, 'r');
    } catch {
      return null;
    }
    const opened = openFile(file, key);
    if (opened === null) closeSync(file);
    return opened === null ? null : new IndexFile(file, opened.tail, opened.head);
  }

  /**
   * @param count of parts
   * @returns null when it is not as it was written
   */
  body(count: number): Buffer[] | null {
    const { bodyOffset, bodyLength, bodySha256 } = this.#tail;
    const bytes = readAt(this.#file, bodyOffset, bodyLength);
    if (bytes === null || !hash('sha256', bytes, 'buffer').equals(bodySha256)) return null;
    return decodeParts(bytes, count);
  }

  /** @returns null when it is not as it was written */
  record([offset, length, sum]: RecordPlace): string | null {
    if (offset + length > this.#tail.bodyOffset) return null;
    const bytes = readAt(this.#file, offset, length);
    return bytes === null || sumOf(bytes) !== sum ? null : bytes.toString();
  }

  /** Bytes of records, those included that nobody names any more. */
  get recordBytes(): number {
    return this.#tail.bodyOffset;
  }

  /** Writes all records into another file. */
  copyRecords(file: number): void {
    for (let at = 0; at < this.recordBytes; at += COPY_BYTES) {
      const bytes = readAt(this.#file, at, Math.min(COPY_BYTES, this.recordBytes - at));
      if (bytes === null) throw new Error('the index was cut short');
      writeAll(file, bytes, at);
    }
  }

  close(): void {
    closeSync(this.#file);
  }
}

function openFile(file: number, key: string): { tail: Tail; head: Head } | null {
  try {
    const { size } = fstatSync(file);
    const tail = size < TAIL_BYTES ? null : readAt(file, size - TAIL_BYTES, TAIL_BYTES);
    const decoded = tail === null ? null : decodeTail(tail, size);
    if (decoded === null) return null;
    const length = decoded.headLength + TAIL_BYTES;
    const bytes = readAt(file, size - length, length);
    const head = bytes === null ? null : decodeHead(bytes);
    return head === null || head.meta.key !== key ? null : { tail: decoded, head };
  } catch {
    // Whatever is there, it is no index.
    return null;
  }
}

function readAt(file: number, offset: number, length: number): Buffer | null {
  const bytes = Buffer.allocUnsafeSlow(length);
  let at = 0;
  while (at < length) {
    const read = readSync(file, bytes, at, length - at, offset + at);
    if (read === 0) return null;
    at += read;
  }
  return bytes;
}

/** What shows that a record is as it was written: 48 bits of its SHA-256. */
export function sumOf(record: Uint8Array): number {
  return hash('sha256', record, 'buffer').readUIntBE(0, 6);
}

/**
 * Writes an index whole or not at all. EDGE. It may be lost by a crash, and is not missed then.
 *
 * @param base what the records of the new one begin with; null: nothing
 * @param body its parts
 */
export function writeIndex(
  path: string,
  base: IndexFile | null,
  records: readonly Uint8Array[],
  body: readonly Uint8Array[],
  head: Head,
): void {
  const unfinished = unfinishedPath(dirname(path));
  try {
    mkdirSync(dirname(path), { recursive: true });
    const start = base?.recordBytes ?? 0;
    const file = openSync(unfinished, 'wx');
    try {
      base?.copyRecords(file);
      const added = Buffer.concat(records);
      const whole = Buffer.concat(encodeParts(body));
      writeAll(file, Buffer.concat([added, whole, encodeHead(head, whole, start + added.length)]), start);
    } finally {
      closeSync(file);
    }
    renameSync(unfinished, path);
  } catch {
    // A full disk, a folder that may not be written to: the next plan takes longer.
    rmSync(unfinished, { force: true });
  }
}

function writeAll(file: number, bytes: Buffer, offset: number): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, offset + at);
}
