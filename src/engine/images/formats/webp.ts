import type { ImageStructure } from './image-structure.ts';

/** @see RFC 9649, sections 2.4 to 2.7 (container) and 3.4 (VP8L); RFC 6386, section 9.1 (VP8) */
export function readWebp(bytes: Buffer): ImageStructure | undefined {
  const size = readSize(bytes);
  return size && { ...size, complete: bytes.length >= 8 + bytes.readUInt32LE(4) };
}

function readSize(bytes: Buffer): { width: number; height: number } | undefined {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
    }
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}
