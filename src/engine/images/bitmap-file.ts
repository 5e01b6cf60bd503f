/** A picture of an image or a clip, upright, with square pixels. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  /** BGRA, row-major, straight alpha, width*height*4 bytes; must not be modified. */
  readonly bgra: Uint8ClampedArray;
  readonly isOpaque: boolean;
}

const FILE_HEADER_BYTES = 14;
const INFO_HEADER_BYTES = 40;
const V4_HEADER_BYTES = 108;
const BITFIELDS = 3;

/**
 * Encodes a picture as a BMP. The file is as large as its pixels, but of all formats that the rasteriser supports the fastest to
 * write and to read. The rasteriser has a small cache of decoded pictures: an input whose pictures exceed it decodes them in every
 * frame.
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
