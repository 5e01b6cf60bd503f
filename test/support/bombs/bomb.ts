/** A file that is cheap to make and expensive to read. */
export interface Bomb {
  /** Feature of the format that it abuses. */
  readonly name: string;
  /** How it reaches a reader: as an uploaded or `remote_url` source, as a template package, or as a request body. */
  readonly kind: 'source' | 'package' | 'body';
  /** Size limit in bytes of that route. */
  readonly limitBytes: number;
  /** Makes the bomb in the given number of bytes, or fewer if its format cannot fill them. */
  make(sizeBytes: number): Uint8Array;
}

export const SOURCE_BYTES = 200_000_000;
export const IMAGE_BYTES = 50_000_000;
export const PACKAGE_BYTES = 50 << 20;
export const BODY_BYTES = 1 << 20;

/** Repeats a pattern as often as it fits into the given size. */
export function repeated(pattern: Uint8Array, sizeBytes: number): Buffer {
  const times = Math.max(0, Math.floor(sizeBytes / pattern.length));
  return Buffer.alloc(times * pattern.length, pattern);
}

/** Pads the file with zeros up to a size. */
export function padded(file: Uint8Array, sizeBytes: number): Buffer {
  return Buffer.concat([file, Buffer.alloc(Math.max(0, sizeBytes - file.length))]);
}

/** Encodes values of 32 bits each, big-endian. */
export function u32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, index * 4);
  return bytes;
}
