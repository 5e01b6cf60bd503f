import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** Higher levels take several times as long for a few per cent. */
const LEVEL = 3;
const FILTER_SUB = 1;
const deflated = promisify(deflate);

export interface PngOptions {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Kept as its comment, in Latin-1; null for none. */
  readonly comment: string | null;
}

/**
 * A picture as PNG, without loss: RGB where every pixel is opaque, RGBA elsewhere. Compresses in Node's own threads.
 *
 * @param rgba row-major, straight alpha, width*height*4 bytes; free again when this has returned
 * @see PNG, third edition, sections 9.2 and 11
 */
export function encodePng(rgba: Uint8Array, { width, height, comment }: PngOptions): Promise<Uint8Array> {
  const channels = isOpaque(rgba) ? 3 : 4;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(8, 8);
  header.writeUInt8(channels === 3 ? 2 : 6, 9);
  const lines = filteredLines(rgba, width, height, channels);
  return deflated(lines, { level: LEVEL }).then((data) =>
    Buffer.concat([
      SIGNATURE,
      pngChunk('IHDR', header),
      ...(comment === null ? [] : [commentChunk(comment)]),
      pngChunk('IDAT', data),
      pngChunk('IEND', Buffer.alloc(0)),
    ]),
  );
}

/** The same file with a comment. @param png a whole file, as this program's encoders write it */
export function withPngComment(png: Uint8Array, comment: string | null): Uint8Array {
  if (comment === null) return png;
  const headerEnd = SIGNATURE.length + 25;
  return Buffer.concat([png.subarray(0, headerEnd), commentChunk(comment), png.subarray(headerEnd)]);
}

function isOpaque(rgba: Uint8Array): boolean {
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at] !== 255) return false;
  return true;
}

/** Each byte less the one of the pixel to its left, each row after the byte that says so. */
function filteredLines(rgba: Uint8Array, width: number, height: number, channels: 3 | 4): Buffer {
  const lines = Buffer.allocUnsafe((width * channels + 1) * height);
  let to = 0;
  let from = 0;
  for (let row = 0; row < height; row++) {
    lines[to++] = FILTER_SUB;
    let [red, green, blue, alpha] = [0, 0, 0, 0];
    for (let x = 0; x < width; x++, from += 4) {
      lines[to++] = rgba[from]! - red;
      lines[to++] = rgba[from + 1]! - green;
      lines[to++] = rgba[from + 2]! - blue;
      if (channels === 4) lines[to++] = rgba[from + 3]! - alpha;
      red = rgba[from]!;
      green = rgba[from + 1]!;
      blue = rgba[from + 2]!;
      alpha = rgba[from + 3]!;
    }
  }
  return lines;
}

function commentChunk(comment: string): Buffer {
  return pngChunk('tEXt', Buffer.from(`Comment\0${comment}`, 'latin1'));
}

function pngChunk(type: string, data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  bytes.set(data, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}
