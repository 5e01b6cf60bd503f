import { deflateSync } from 'node:zlib';
import { channelsOf, type PngChannels, pngFile } from './png-container.ts';

/**
 * A PNG without compression or filters: as large as its pixels, and quicker to write and to read than any other lossless
 * file with alpha that the rasteriser takes. That counts because the rasteriser's cache of decoded images is small: a
 * scene that shows more pixels of images than fit decodes them anew in every frame. Opaque pixels are written without alpha.
 *
 * @param rgba row-major, width*height*4 bytes, straight alpha
 * @see https://www.w3.org/TR/png-3/ section 7.2
 */
export function encodeStoredPng(rgba: Uint8Array | Uint8ClampedArray, width: number, height: number): Buffer {
  const channels = channelsOf(rgba);
  const data = deflateSync(scanlines(rgba, width, height, channels), { level: 0 });
  return pngFile({ width, height, channels, data, comment: null });
}

/** Each row after the byte that says "no filter". */
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
