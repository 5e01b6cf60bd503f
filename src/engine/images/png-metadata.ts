import { inflateSync } from 'node:zlib';

/** Limit for the metadata of a PNG after decompression. Colour profiles and edit histories have up to a few megabytes. */
export const MAX_METADATA_BYTES = 16_000_000;
/** Largest ratio of Deflate. */
const MAX_RATIO = 1032;
/** Above the count in any real file; files with more are rejected as damaged. */
const MAX_CHUNKS = 100_000;

/**
 * Returns whether the compressed metadata of a PNG (profiles and texts) exceed `MAX_METADATA_BYTES`. Decoders unpack all of them
 * before they draw, at 150 MB a second; a file of 4 MB can contain 4 GB.
 *
 * @see https://www.w3.org/TR/png-3/ sections 11.3.2.3 (iCCP), 11.3.3.3 (zTXt), 11.3.3.4 (iTXt)
 */
export function hasExcessiveMetadata(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let left = MAX_METADATA_BYTES;
  for (let at = 8, chunks = 0; at + 12 <= file.length && chunks < MAX_CHUNKS; chunks++) {
    const length = file.readUInt32BE(at);
    const data = compressedIn(file.toString('latin1', at + 4, at + 8), file.subarray(at + 8, at + 8 + length));
    if (data !== undefined) left -= unpackedSize(data, left);
    if (left < 0) return true;
    at += 12 + length;
  }
  return false;
}

/** Returns the compressed part of a chunk; undefined if it has none. */
function compressedIn(type: string, body: Buffer): Buffer | undefined {
  if (type !== 'iCCP' && type !== 'zTXt' && type !== 'iTXt') return undefined;
  const keyword = body.indexOf(0);
  if (keyword === -1) return undefined;
  if (type !== 'iTXt') return body.subarray(keyword + 2);
  if (body[keyword + 1] !== 1) return undefined;
  // The language and the translated keyword follow.
  const language = body.indexOf(0, keyword + 3);
  const translated = language === -1 ? -1 : body.indexOf(0, language + 1);
  return translated === -1 ? undefined : body.subarray(translated + 1);
}

/** Returns the size after decompression, or more than `limit`. A damaged chunk counts as large as it could be. */
function unpackedSize(data: Buffer, limit: number): number {
  if (limit < 1) return data.length;
  try {
    return inflateSync(data, { maxOutputLength: limit }).length;
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    return isTooLarge ? limit + 1 : data.length * MAX_RATIO;
  }
}
