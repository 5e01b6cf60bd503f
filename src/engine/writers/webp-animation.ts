import { SceneError } from '../scene-error.ts';
import type { Area } from './changed-area.ts';

/** A frame of an animated WebP. */
export interface WebpFrame {
  /** Left and top even. */
  readonly area: Area;
  readonly durationMs: number;
  /** Whether it lies over what is shown; else it takes its place, alpha too. */
  readonly isBlended: boolean;
  /** A still WebP of the area's size. */
  readonly file: Uint8Array;
}

export interface WebpAnimationOptions {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Kept as the description in XMP; null for none. */
  readonly comment: string | null;
}

const HAS_ANIMATION = 0x02;
const HAS_XMP = 0x04;
const HAS_ALPHA = 0x10;
const DO_NOT_BLEND = 0x02;

/**
 * Still WebP files as one that moves, for ever.
 *
 * @see WebP Container Specification: "Extended File Format", "Animation"
 */
export function webpAnimation(frames: readonly WebpFrame[], options: WebpAnimationOptions): Uint8Array {
  const images = frames.map(({ file }) => imageChunks(file));
  const hasAlpha = images.some((chunks) => chunks.some(isTransparent));
  const header = Buffer.alloc(10);
  header.writeUInt8(HAS_ANIMATION | (hasAlpha ? HAS_ALPHA : 0) | (options.comment === null ? 0 : HAS_XMP), 0);
  header.writeUIntLE(options.width - 1, 4, 3);
  header.writeUIntLE(options.height - 1, 7, 3);
  // The colour behind is transparent; loop count 0 is for ever.
  const chunks = [chunk('VP8X', header), chunk('ANIM', Buffer.alloc(6))];
  for (const [index, frame] of frames.entries()) {
    chunks.push(chunk('ANMF', Buffer.concat([frameHeader(frame), ...images[index]!])));
  }
  if (options.comment !== null) chunks.push(chunk('XMP ', Buffer.from(xmp(options.comment))));
  const body = Buffer.concat([Buffer.from('WEBP'), ...chunks]);
  return chunk('RIFF', body);
}

function frameHeader({ area, durationMs, isBlended }: WebpFrame): Buffer {
  const { left, top, right, bottom } = area;
  const header = Buffer.alloc(16);
  header.writeUIntLE(left / 2, 0, 3);
  header.writeUIntLE(top / 2, 3, 3);
  header.writeUIntLE(right - left - 1, 6, 3);
  header.writeUIntLE(bottom - top - 1, 9, 3);
  header.writeUIntLE(durationMs, 12, 3);
  header.writeUInt8(isBlended ? 0 : DO_NOT_BLEND, 15);
  return header;
}

/** The chunks of a still file that hold its pixels, each with its header and padding. */
function imageChunks(file: Uint8Array): Buffer[] {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const found: Buffer[] = [];
  for (let at = 12; at + 8 <= bytes.length; ) {
    const size = 8 + bytes.readUInt32LE(at + 4);
    const type = bytes.toString('latin1', at, at + 4);
    if (['ALPH', 'VP8 ', 'VP8L'].includes(type)) found.push(bytes.subarray(at, at + size + (size & 1)));
    at += size + (size & 1);
  }
  if (found.length === 0) throw new SceneError('encode_failed', 'A frame was not encoded as WebP');
  return found;
}

/** A lossy frame has alpha in a chunk of its own, a lossless one says so in its header. */
function isTransparent(image: Buffer): boolean {
  const type = image.toString('latin1', 0, 4);
  return type === 'ALPH' || (type === 'VP8L' && (image.readUInt8(12) & 0x10) !== 0);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length & 1)]);
}

/** @param comment of ASCII letters, digits and colons, or made so. @see Adobe XMP Specification, Part 1, 7.2 */
function xmp(comment: string): string {
  const text = comment.replaceAll(/[^\w:.-]/g, '_');
  return [
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">',
    '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:description><rdf:Alt>',
    `<rdf:li xml:lang="x-default">${text}</rdf:li></rdf:Alt></dc:description></rdf:Description></rdf:RDF></x:xmpmeta>`,
  ].join('');
}
