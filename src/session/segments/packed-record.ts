import { sha256 } from '../../digest.ts';

const MAGIC = 'RFS1';
const DIGEST_CHARACTERS = 64;
const HEADER_BYTES = MAGIC.length + DIGEST_CHARACTERS + 4;
/** The one key of an object that stands for bytes: their length. They follow the text, in the order of such objects. */
const BYTES = '$bytes';

/**
 * Writes a tree of plain values and byte arrays as one array of bytes with a digest: unlike V8's own form it is safe to read
 * from a place that other programs write to.
 *
 * Format: `RFS1`, SHA-256 of the rest in hexadecimal, length of the JSON text (4 bytes, big endian), the text, the bytes.
 */
export function packRecord(value: unknown): Uint8Array {
  const parts: Uint8Array[] = [];
  const plain = (part: unknown): unknown => {
    if (part instanceof Uint8Array) {
      parts.push(part);
      return { [BYTES]: part.length };
    }
    if (Array.isArray(part)) return part.map(plain);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, child]) => [key, plain(child)]));
  };
  const text = Buffer.from(JSON.stringify(plain(value)));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  const body = Buffer.concat([length, text, ...parts]);
  return Buffer.concat([Buffer.from(MAGIC + sha256(body)), body]);
}

/** @returns null for bytes that `packRecord` did not write, or that were changed or cut since */
export function unpackRecord<T>(bytes: Uint8Array): T | null {
  if (!isIntact(bytes)) return null;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = HEADER_BYTES + buffer.readUInt32BE(HEADER_BYTES - 4);
  return JSON.parse(buffer.toString('utf8', HEADER_BYTES, at), (_key, value) => {
    const length = typeof value === 'object' && value !== null ? value[BYTES] : undefined;
    if (typeof length !== 'number') return value;
    at += length;
    return new Uint8Array(buffer.buffer, buffer.byteOffset + at - length, length);
  }) as T;
}

/** Whether bytes are what `packRecord` wrote. */
export function isIntact(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, MAGIC.length + DIGEST_CHARACTERS)).toString('latin1');
  return bytes.length >= HEADER_BYTES && head === MAGIC + sha256(bytes.subarray(head.length));
}
