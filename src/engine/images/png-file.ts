import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const HEADER_END = SIGNATURE.length + 25;

/** Exceeds what zlib adds to a stored picture of up to 800 MB: five bytes for each block of 65,535, and six. */
const SPARE_BYTES = 65_536;

/** RGB or RGBA. */
export type PngChannels = 3 | 4;

interface PngContents {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly channels: PngChannels;
  /** Deflated scanlines, each preceded by its filter byte. */
  readonly data: Uint8Array;
  /** Value of the `Comment` text chunk, in Latin-1; null for none. */
  readonly comment: string | null;
}

/** Builds a PNG file with 8 bits per channel. @see https://www.w3.org/TR/png-3/ sections 5.3 and 11 */
export function pngFile({ width, height, channels, data, comment }: PngContents): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(8, 8);
  header.writeUInt8(channels === 3 ? 2 : 6, 9);
  return Buffer.concat([
    SIGNATURE,
    ...pngChunk('IHDR', header),
    ...(comment === null ? [] : commentChunk(comment)),
    ...pngChunk('IDAT', data),
    ...pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Adds a comment (Latin-1) to a PNG. @param png complete file from this program or the rasteriser */
export function withPngComment(png: Uint8Array, comment: string | null): Uint8Array {
  if (comment === null) return png;
  return Buffer.concat([png.subarray(0, HEADER_END), ...commentChunk(comment), png.subarray(HEADER_END)]);
}

/** Returns 3 when every pixel is opaque. @param rgba straight alpha */
export function channelsOf(rgba: Uint8Array | Uint8ClampedArray): PngChannels {
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at] !== 255) return 4;
  return 3;
}

function commentChunk(comment: string): Uint8Array[] {
  return pngChunk('tEXt', Buffer.from(`Comment\0${comment}`, 'latin1'));
}

/** Returns the consecutive parts of a chunk, so that a large picture is copied only into the file. */
function pngChunk(type: string, data: Uint8Array): Uint8Array[] {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length, 0);
  head.write(type, 4, 'latin1');
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(data, crc32(head.subarray(4))));
  return [head, data, checksum];
}

/**
 * Encodes an uncompressed, unfiltered PNG, which is the fastest lossless format with alpha for the rasteriser to
 * decode. This matters because the rasteriser has a small cache of decoded images: an input whose images exceed it
 * decodes them in every frame. Opaque images are written without alpha.
 *
 * @param rgba row-major, width*height*4 bytes, straight alpha
 * @see https://www.w3.org/TR/png-3/ section 7.2
 */
export function encodeStoredPng(rgba: Uint8Array | Uint8ClampedArray, width: number, height: number): Buffer {
  const channels = channelsOf(rgba);
  const lines = scanlines(rgba, width, height, channels);
  // zlib copies the whole picture again if it does not fit into a single chunk.
  const data = deflateSync(lines, { level: 0, chunkSize: lines.length + SPARE_BYTES });
  return pngFile({ width, height, channels, data, comment: null });
}

/** Returns the rows, each preceded by filter byte 0 (no filter). */
function scanlines(rgba: Uint8Array | Uint8ClampedArray, width: number, height: number, channels: PngChannels): Buffer {
  const rowBytes = width * channels + 1;
  const lines = Buffer.alloc(rowBytes * height);
  for (let row = 0; row < height; row++) {
    const from = row * width * 4;
    let to = row * rowBytes + 1;
    if (channels === 4) {
      lines.set(rgba.subarray(from, from + width * 4), to);
      continue;
    }
    for (let at = from; at < from + width * 4; at += 4) {
      lines[to++] = rgba[at]!;
      lines[to++] = rgba[at + 1]!;
      lines[to++] = rgba[at + 2]!;
    }
  }
  return lines;
}
