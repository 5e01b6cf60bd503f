import type { ImageHeader } from '../../engine/images/image-header.ts';

/**
 * The pixels that a decoder writes when it is made to decode everything in a file: every frame of an animation, every
 * scan of a progressive JPEG. A small file can name very many of them.
 *
 * Looks at the structure alone, and stops where that makes no sense. AVIF counts as its largest picture.
 *
 * @param header of the same file
 */
export function decodingWork(bytes: Uint8Array, header: ImageHeader): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const picture = header.width * header.height;
  try {
    switch (header.type) {
      case 'gif':
        return Math.max(picture, gifFrames(buffer));
      case 'webp':
        return Math.max(picture, webpFrames(buffer));
      case 'png':
        return picture + pngFrames(buffer);
      case 'jpeg':
        return picture * Math.max(1, jpegScans(buffer));
      case 'avif':
        return picture;
    }
  } catch (error) {
    // A read beyond the end: there is no more.
    if (error instanceof RangeError) return picture;
    throw error;
  }
}

/** @see https://www.w3.org/Graphics/GIF/spec-gif89a.txt sections 15 and 20 */
function gifFrames(bytes: Buffer): number {
  const table = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  let pixels = 0;
  let at = 13 + table(bytes.readUInt8(10));
  while (at < bytes.length && (bytes[at] === 0x21 || bytes[at] === 0x2c)) {
    if (bytes[at] === 0x2c && at + 10 <= bytes.length) {
      pixels += bytes.readUInt16LE(at + 5) * bytes.readUInt16LE(at + 7);
      at += 11 + table(bytes.readUInt8(at + 9));
    } else {
      at += 2;
    }
    // Sub-blocks, up to an empty one.
    for (let length = bytes[at] ?? 0; length > 0; length = bytes[at] ?? 0) at += 1 + length;
    at += 1;
  }
  return pixels;
}

/** @see RFC 9649, section 2.7.1.1 (ANMF) */
function webpFrames(bytes: Buffer): number {
  const ANMF = 0x464d4e41;
  let pixels = 0;
  for (let at = 12; at + 24 <= bytes.length; ) {
    if (bytes.readUInt32LE(at) === ANMF)
      pixels += (1 + bytes.readUIntLE(at + 14, 3)) * (1 + bytes.readUIntLE(at + 17, 3));
    const length = bytes.readUInt32LE(at + 4);
    at += 8 + length + (length & 1);
  }
  return pixels;
}

/** @see https://www.w3.org/TR/png-3/ section 11.3.6.1 (fcTL) */
function pngFrames(bytes: Buffer): number {
  const FCTL = 0x6663544c;
  let pixels = 0;
  for (let at = 8; at + 20 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    if (bytes.readUInt32BE(at + 4) === FCTL) pixels += bytes.readUInt32BE(at + 12) * bytes.readUInt32BE(at + 16);
  }
  return pixels;
}

/** @see ITU-T T.81, B.1.1 (markers; a zero after 0xff is data, RST0 to RST7 belong to a scan) */
function jpegScans(bytes: Buffer): number {
  let scans = 0;
  let at = 2;
  while (at + 1 < bytes.length) {
    const marker = bytes[at + 1]!;
    if (bytes[at] !== 0xff || marker === 0 || marker === 0xff || (marker >= 0xd0 && marker <= 0xd8) || marker === 1) {
      at += 1;
      continue;
    }
    if (marker === 0xd9) return scans;
    if (marker === 0xda) scans += 1;
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return scans;
}
