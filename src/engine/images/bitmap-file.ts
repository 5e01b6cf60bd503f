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
 * write and, without alpha, to read. The rasteriser has a small cache of decoded pictures: an input whose pictures exceed it
 * decodes them in every frame.
 *
 * @see https://learn.microsoft.com/windows/win32/api/wingdi/ns-wingdi-bitmapv4header
 */
export function bitmapFile({ width, height, bgra, isOpaque }: Picture): Buffer {
  const header = bitmapHeader(width, height, isOpaque);
  const file = Buffer.allocUnsafe(header.length + bgra.length);
  file.set(header);
  file.set(bgra, header.length);
  return file;
}

/**
 * Encodes an opaque picture as a BMP.
 *
 * @param rgba row-major, width*height*4 bytes; modified
 */
export function opaqueBitmapFile(rgba: Buffer, width: number, height: number): Buffer {
  const header = bitmapHeader(width, height, true);
  const file = Buffer.allocUnsafe(header.length + rgba.length);
  // Reversed, a pixel is ABGR. From the second byte on, these are the BGRA of the file, with the alpha of the next pixel. A loop in
  // JavaScript takes many times as long, because code that has just started is not optimised.
  file.set(rgba.swap32(), header.length - 1);
  file.set(header);
  file[file.length - 1] = 255;
  return file;
}

/** Returns the header of 32-bit pixels. */
function bitmapHeader(width: number, height: number, isOpaque: boolean): Buffer {
  const bytes = FILE_HEADER_BYTES + (isOpaque ? INFO_HEADER_BYTES : V4_HEADER_BYTES);
  const pixelBytes = width * height * 4;
  const header = Buffer.alloc(bytes);
  header.write('BM', 'latin1');
  header.writeUInt32LE(bytes + pixelBytes, 2);
  header.writeUInt32LE(bytes, 10);
  header.writeUInt32LE(bytes - FILE_HEADER_BYTES, 14);
  header.writeInt32LE(width, 18);
  // Rows from top to bottom.
  header.writeInt32LE(-height, 22);
  header.writeUInt16LE(1, 26);
  header.writeUInt16LE(32, 28);
  header.writeUInt32LE(pixelBytes, 34);
  if (!isOpaque) {
    header.writeUInt32LE(BITFIELDS, 30);
    header.writeUInt32LE(0x00ff0000, 54);
    header.writeUInt32LE(0x0000ff00, 58);
    header.writeUInt32LE(0x000000ff, 62);
    header.writeUInt32LE(0xff000000, 66);
    header.write('BGRs', 70, 'latin1');
  }
  return header;
}
