import { crc32, deflateSync } from 'node:zlib';

/** A PNG chunk. @see https://www.w3.org/TR/png-3/ section 5.3 */
function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length);
  frame.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
}

/** A PNG of one colour: a few bytes for any size. */
export function flatPng(width: number, height: number, extra: readonly Buffer[] = []): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  // One bit a pixel, grey.
  header.writeUInt8(1, 8);
  const pixels = deflateSync(Buffer.alloc(Math.min(height * (1 + Math.ceil(width / 8)), 100_000_000)));
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  const chunks = [chunk('IHDR', header), ...extra, chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...chunks]);
}

/** An animated PNG with this many frames of this size. */
export function animatedPng(width: number, height: number, frames: number): Buffer {
  const control = Buffer.alloc(26);
  control.writeUInt32BE(width, 4);
  control.writeUInt32BE(height, 8);
  return flatPng(
    width,
    height,
    Array.from({ length: frames }, () => chunk('fcTL', control)),
  );
}

/** A GIF with this many frames of this size, each a few bytes. @see https://www.w3.org/Graphics/GIF/spec-gif89a.txt */
export function animatedGif(width: number, height: number, frames: number): Buffer {
  const screen = Buffer.from('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1');
  screen.writeUInt16LE(width, 6);
  screen.writeUInt16LE(height, 8);
  const control = Buffer.from([0x21, 0xf9, 4, 0, 1, 0, 0, 0]);
  const image = Buffer.from([0x2c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 0x44, 1, 0]);
  image.writeUInt16LE(width, 5);
  image.writeUInt16LE(height, 7);
  const all = Array.from({ length: frames }, () => [control, image]).flat();
  return Buffer.concat([screen, ...all, Buffer.from([0x3b])]);
}

/** A WebP with this many frames. @see RFC 9649, section 2.7 */
export function animatedWebp(width: number, height: number, frames: number): Buffer {
  const riff = (type: string, data: Buffer): Buffer => {
    const head = Buffer.from(`${type}\0\0\0\0`, 'latin1');
    head.writeUInt32LE(data.length, 4);
    return Buffer.concat([head, data, Buffer.alloc(data.length & 1)]);
  };
  const canvas = Buffer.alloc(10);
  canvas.writeUInt8(2);
  canvas.writeUIntLE(width - 1, 4, 3);
  canvas.writeUIntLE(height - 1, 7, 3);
  const frame = Buffer.alloc(16);
  frame.writeUIntLE(width - 1, 6, 3);
  frame.writeUIntLE(height - 1, 9, 3);
  const all = Array.from({ length: frames }, () => riff('ANMF', frame));
  return riff('RIFF', Buffer.concat([Buffer.from('WEBP'), riff('VP8X', canvas), ...all]));
}

/** Repeats the first scan of a JPEG this many times. */
export function manyScans(jpeg: Buffer, scans: number): Buffer {
  const start = jpeg.lastIndexOf(Buffer.from([0xff, 0xda]));
  const end = jpeg.lastIndexOf(Buffer.from([0xff, 0xd9]));
  const scan = jpeg.subarray(start, end);
  return Buffer.concat([jpeg.subarray(0, start), ...Array.from({ length: scans }, () => scan), jpeg.subarray(end)]);
}
