import { crc32 } from 'node:zlib';
import type { ImageStructure } from './image-structure.ts';

/** Of a file of the largest size, when they are small; hostile ones have millions. */
const MOST_CHUNKS = 100_000;

/** @see https://www.w3.org/TR/png-3/ sections 5.3 (chunk layout) and 11.2.1 (IHDR) */
export function readPng(bytes: Buffer): ImageStructure | undefined {
  if (bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), complete: hasWholeChunks(bytes) };
}

/** Every critical chunk is there with the right checksum, down to IEND. */
function hasWholeChunks(bytes: Buffer): boolean {
  let at = 8;
  for (let chunks = 0; at + 12 <= bytes.length && chunks < MOST_CHUNKS; chunks++) {
    const length = bytes.readUInt32BE(at);
    const end = at + 12 + length;
    if (end > bytes.length) return false;
    const type = bytes.toString('latin1', at + 4, at + 8);
    const isCritical = /^[A-Z]/.test(type);
    if (isCritical && crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return false;
    if (type === 'IEND') return true;
    at = end;
  }
  return false;
}
