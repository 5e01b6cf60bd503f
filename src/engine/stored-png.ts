import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/**
 * A PNG without compression or filters: as large as its pixels, and quicker to write and to read than any other lossless
 * file with alpha that the rasteriser takes. That counts because the rasteriser's cache of decoded images is small: a
 * scene that shows more pixels of images than fit decodes them anew in every frame. Opaque pixels are written without alpha.
 *
 * @param rgba row-major, width*height*4 bytes, straight alpha
 * @see https://www.w3.org/TR/png-3/ sections 5.3, 7.2 and 11.2.1
 */
export function encodeStoredPng(rgba: Uint8Array | Uint8ClampedArray, width: number, height: number): Buffer {
  const channels = isOpaque(rgba) ? 3 : 4;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(8, 8);
  header.writeUInt8(channels === 3 ? 2 : 6, 9);
  const data = deflateSync(scanlines(rgba, width, height, channels), { level: 0 });
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

function isOpaque(rgba: Uint8Array | Uint8ClampedArray): boolean {
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at] !== 255) return false;
  return true;
}

/** Each row after the byte that says "no filter". */
function scanlines(rgba: Uint8Array | Uint8ClampedArray, width: number, height: number, channels: 3 | 4): Buffer {
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

function chunk(type: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  bytes.set(data, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}
