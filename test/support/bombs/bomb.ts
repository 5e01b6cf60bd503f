/** A file that is made to cost whoever reads it far more than it cost to make. */
export interface Bomb {
  /** What of its format it abuses. */
  readonly name: string;
  /** How it reaches a reader: as an upload or a `remote_url`, as a template package, or as the body of a request. */
  readonly kind: 'source' | 'package' | 'body';
  /** The largest file that its way in takes. */
  readonly limitBytes: number;
  /** The bomb in as many bytes; in fewer where its format has no room for more. */
  make(sizeBytes: number): Uint8Array;
}

export const SOURCE_BYTES = 200_000_000;
export const IMAGE_BYTES = 50_000_000;
export const PACKAGE_BYTES = 50 << 20;
export const BODY_BYTES = 1 << 20;

/** A pattern as often as it fits into so many bytes. */
export function repeated(pattern: Uint8Array, sizeBytes: number): Buffer {
  const times = Math.max(0, Math.floor(sizeBytes / pattern.length));
  return Buffer.alloc(times * pattern.length, pattern);
}

/** The file with zeros behind it, up to a size. */
export function padded(file: Uint8Array, sizeBytes: number): Buffer {
  return Buffer.concat([file, Buffer.alloc(Math.max(0, sizeBytes - file.length))]);
}

/** 32 bits, big-endian. */
export function u32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, index * 4);
  return bytes;
}
