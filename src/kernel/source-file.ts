import { knownSha256, type Sha256 } from './digest.ts';

/** Bytes of a file that are kept with its reference: enough to recognize its type. */
export const HEAD_BYTES = 2048;

/**
 * A complete file on disk, by reference, for clips and sounds that are too large to keep in memory. It never changes while it is used.
 * Plain data: a copy of another thread has the same fields.
 */
export class SourceFile {
  /** Absolute. */
  readonly path: string;
  /** Size in bytes. */
  readonly length: number;
  readonly sha256: Sha256;
  /** The first `HEAD_BYTES` bytes; all of a smaller file. */
  readonly head: Uint8Array;

  constructor({ path, length, sha256, head }: Pick<SourceFile, 'path' | 'length' | 'sha256' | 'head'>) {
    this.path = path;
    this.length = length;
    this.sha256 = sha256;
    this.head = head;
  }
}

/** The bytes of a clip or sound, in memory or on disk. */
export type SourceBytes = Uint8Array | SourceFile;

/** Returns the start of a source, by which its type is recognized. */
export function headOf(bytes: SourceBytes): Uint8Array {
  return bytes instanceof Uint8Array ? bytes : bytes.head;
}

/** Returns the SHA-256 of a source. */
export function sourceSha256(bytes: SourceBytes): Sha256 {
  return bytes instanceof Uint8Array ? knownSha256(bytes) : bytes.sha256;
}
