import type { ImageStructure } from './image-structure.ts';

const SOS = 0xda;
/** Bytes between segments that belong to none. */
const MOST_STRAY = 65_536;
const EOI = Buffer.from([0xff, 0xd9]);

/** @see ITU-T T.81, annex B (markers, B.2.2 frame header) */
export function readJpeg(bytes: Buffer): ImageStructure | undefined {
  let size: { width: number; height: number } | undefined;
  let at = 2;
  let stray = 0;
  while (at < bytes.length) {
    const marker = bytes.readUInt8(at + 1);
    // Fill bytes, and what careless writers leave between two segments.
    if (bytes[at] !== 0xff || marker === 0xff || marker === 0) {
      at += 1;
      stray += 1;
      if (stray > MOST_STRAY) return undefined;
      continue;
    }
    if (marker === SOS) {
      // Only after the first scan: a preview in the metadata has an end marker of its own.
      return size && { ...size, complete: bytes.lastIndexOf(EOI) > at };
    }
    if (isFrameHeader(marker)) size = { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += isStandalone(marker) ? 2 : 2 + bytes.readUInt16BE(at + 2);
  }
  return size && { ...size, complete: false };
}

/** SOF0 to SOF15, without DHT, JPG and DAC, which lie among them. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function isStandalone(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}
