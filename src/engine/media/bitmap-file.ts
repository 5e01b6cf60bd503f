import type { Picture } from './picture.ts';

const FILE_HEADER_BYTES = 14;
const INFO_HEADER_BYTES = 40;
const V4_HEADER_BYTES = 108;
const BITFIELDS = 3;

/**
 * A picture as a BMP: as large as its pixels, and of all files that the rasteriser takes the quickest to write and to read.
 *
 * @see https://learn.microsoft.com/windows/win32/api/wingdi/ns-wingdi-bitmapv4header
 */
export function bitmapFile({ width, height, bgra, isOpaque }: Picture): Buffer {
  const headerBytes = FILE_HEADER_BYTES + (isOpaque ? INFO_HEADER_BYTES : V4_HEADER_BYTES);
  const file = Buffer.allocUnsafe(headerBytes + bgra.length).fill(0, 0, headerBytes);
  file.write('BM', 'latin1');
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(headerBytes, 10);
  file.writeUInt32LE(headerBytes - FILE_HEADER_BYTES, 14);
  file.writeInt32LE(width, 18);
  // Rows from top to bottom.
  file.writeInt32LE(-height, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(32, 28);
  file.writeUInt32LE(bgra.length, 34);
  if (!isOpaque) {
    file.writeUInt32LE(BITFIELDS, 30);
    file.writeUInt32LE(0x00ff0000, 54);
    file.writeUInt32LE(0x0000ff00, 58);
    file.writeUInt32LE(0x000000ff, 62);
    file.writeUInt32LE(0xff000000, 66);
    file.write('BGRs', 70, 'latin1');
  }
  file.set(bgra, headerBytes);
  return file;
}
