/** Numbers are read where they stand: each part begins at a multiple of so many bytes. */
const ALIGNMENT = 8;

/**
 * Parts one after the other: their lengths as float64, then they themselves, each filled up to a multiple of 8 bytes.
 * Numbers in them are in the order of this machine.
 */
export function encodeParts(parts: readonly Uint8Array[]): Uint8Array[] {
  const chunks = [bytesOf(new Float64Array(parts.map(({ length }) => length)))];
  for (const part of parts) chunks.push(part, new Uint8Array(padding(part.length)));
  return chunks;
}

/**
 * The parts in bytes that `encodeParts` made.
 *
 * @param bytes their memory begins at a multiple of 8, and is shared with the parts; more may follow
 */
export function decodeParts(bytes: Buffer, count: number): Buffer[] {
  const lengths = new Float64Array(bytes.buffer, bytes.byteOffset, count);
  let at = lengths.byteLength;
  return Array.from(lengths, (length) => {
    const start = at;
    at += length + padding(length);
    return bytes.subarray(start, start + length);
  });
}

/** The bytes of numbers, in the same memory. */
export function bytesOf({ buffer, byteOffset, byteLength }: Float64Array | Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** The numbers in a part, in the same memory. */
export function float64s({ buffer, byteOffset, byteLength }: Buffer): Float64Array {
  return new Float64Array(buffer, byteOffset, byteLength / Float64Array.BYTES_PER_ELEMENT);
}

/** The numbers in a part, in the same memory. */
export function uint32s({ buffer, byteOffset, byteLength }: Buffer): Uint32Array {
  return new Uint32Array(buffer, byteOffset, byteLength / Uint32Array.BYTES_PER_ELEMENT);
}

function padding(length: number): number {
  return (ALIGNMENT - (length % ALIGNMENT)) % ALIGNMENT;
}
