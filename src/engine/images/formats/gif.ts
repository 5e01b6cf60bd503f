import type { ImageStructure } from './image-structure.ts';

const EXTENSION = 0x21;
const IMAGE = 0x2c;

/**
 * The screen or the first frame, whichever is larger: only the first frame is ever drawn.
 *
 * @see https://www.w3.org/Graphics/GIF/spec-gif89a.txt sections 18 (screen), 20 (image) and 15 (data sub-blocks)
 */
export function readGif(bytes: Buffer): ImageStructure | undefined {
  const screen = { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  let at = 13 + colourTableBytes(bytes.readUInt8(10));
  while (at < bytes.length) {
    const block = bytes.readUInt8(at);
    if (block === EXTENSION) {
      at = skipSubBlocks(bytes, at + 2);
    } else if (block === IMAGE) {
      const width = Math.max(screen.width, bytes.readUInt16LE(at + 1) + bytes.readUInt16LE(at + 5));
      const height = Math.max(screen.height, bytes.readUInt16LE(at + 3) + bytes.readUInt16LE(at + 7));
      const data = at + 10 + colourTableBytes(bytes.readUInt8(at + 9)) + 1;
      return { width, height, complete: skipSubBlocks(bytes, data) <= bytes.length };
    } else {
      return undefined;
    }
  }
  return { ...screen, complete: false };
}

function colourTableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** The offset behind a chain of sub-blocks and its terminator; beyond the end when the chain is cut off. */
function skipSubBlocks(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length) {
    const length = bytes[at]!;
    at += 1 + length;
    if (length === 0) return at;
  }
  return bytes.length + 1;
}
