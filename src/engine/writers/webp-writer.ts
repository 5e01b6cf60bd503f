import { createCanvas } from '@napi-rs/canvas';
import type { OutputQuality } from '../../wire/output.ts';
import { tickOf } from '../frame-rate.ts';
import { freeBuffers } from '../raster/free-buffers.ts';
import { SceneError } from '../scene-error.ts';
import { type Area, changedArea } from './changed-area.ts';
import type { FrameWriter, WriterOptions } from './frame-writer.ts';
/** Of lossy WebP, 0..100; alpha is kept without loss in all of them. */
export const WEBP_QUALITY: Readonly<Record<OutputQuality, number>> = { low: 50, medium: 75, high: 90 };

/** Pictures that are being encoded at once, in Node's own threads. */
const AT_WORK = 2;

interface EncodedFrame extends Pick<WebpFrame, 'area' | 'isBlended'> {
  readonly startMs: number;
  readonly file: Promise<Uint8Array>;
}

/** Opens a writer of animated WebP. Each frame stores the changed area; a repeated frame extends the previous one. */
export async function openWebpWriter({ format, frameCount, output }: WriterOptions): Promise<FrameWriter> {
  const { width, height, rate } = format;
  const frames: EncodedFrame[] = [];
  const shown = new Uint32Array(width * height);
  const quality = WEBP_QUALITY[output.quality];
  return {
    async write(rgba, frame) {
      const pixels = new Uint32Array(rgba.buffer, rgba.byteOffset, rgba.byteLength / 4);
      const changed =
        frame === 0 ? { left: 0, top: 0, right: width, bottom: height } : changedArea(shown, pixels, width);
      if (changed === null) return;
      const area = { ...changed, left: changed.left & ~1, top: changed.top & ~1 };
      const { part, isBlended } = cutChanged(pixels, frame === 0 ? null : shown, width, area);
      const file = encodePart(part, area, quality);
      // `finish` reports the error; this prevents an unhandled rejection until then.
      file.catch(() => undefined);
      frames.push({ area, isBlended, startMs: tickOf(frame, rate, 1000), file });
      shown.set(pixels);
      await frames.at(-AT_WORK)?.file.catch(failed);
      freeBuffers(frame);
    },
    async finish() {
      const endMs = tickOf(frameCount, rate, 1000);
      const encoded: WebpFrame[] = [];
      for (const [index, { area, isBlended, startMs, file }] of frames.entries()) {
        const durationMs = (frames[index + 1]?.startMs ?? endMs) - startMs;
        encoded.push({ area, isBlended, durationMs, file: await file.catch(failed) });
      }
      return webpAnimation(encoded, { width, height, comment: output.fingerprint });
    },
    close() {
      frames.length = 0;
    },
  };
}

function failed(cause: unknown): never {
  throw new SceneError('encode_failed', 'A frame could not be encoded as WebP', { cause });
}

/**
 * Copies the pixels of an area. If all changed pixels are opaque, unchanged ones are made transparent and blended over the
 * previous frame: encoding them again would alter them slightly and show an edge around the area.
 *
 * @param shown null where nothing is
 */
function cutChanged(
  pixels: Uint32Array,
  shown: Uint32Array | null,
  width: number,
  { left, top, right, bottom }: Area,
): { part: Uint32Array; isBlended: boolean } {
  const [columns, rows] = [right - left, bottom - top];
  const part = new Uint32Array(columns * rows);
  const same = new Uint8Array(columns * rows);
  let isBlended = shown !== null;
  for (let row = top, to = 0; row < bottom; row++) {
    for (let index = row * width + left; index < row * width + right; index++, to++) {
      part[to] = pixels[index]!;
      if (shown !== null && pixels[index] === shown[index]) same[to] = 1;
      else if (pixels[index]! < 0xff000000) isBlended = false;
    }
  }
  if (isBlended) leaveOut(part, same, columns);
  return { part, isBlended };
}

/** Side of the block that the codec transforms as one, in pixels. */
const BLOCK = 16;

/** Makes unchanged pixels transparent in blocks with few changes; in other blocks the holes would cost more than they save. */
function leaveOut(part: Uint32Array, same: Uint8Array, columns: number): void {
  const rows = part.length / columns;
  for (let top = 0; top < rows; top += BLOCK) {
    const bottom = Math.min(rows, top + BLOCK);
    for (let left = 0; left < columns; left += BLOCK) {
      const right = Math.min(columns, left + BLOCK);
      let kept = 0;
      for (let row = top; row < bottom; row++) {
        for (let at = row * columns + left; at < row * columns + right; at++) kept += same[at]!;
      }
      if (kept * 8 < (bottom - top) * (right - left) * 7) continue;
      for (let row = top; row < bottom; row++) {
        for (let at = row * columns + left; at < row * columns + right; at++) if (same[at] === 1) part[at] = 0;
      }
    }
  }
}

/** A WebP file of its own. @param part straight alpha */
function encodePart(part: Uint32Array, { left, top, right, bottom }: Area, quality: number): Promise<Uint8Array> {
  const canvas = createCanvas(right - left, bottom - top);
  const context = canvas.getContext('2d');
  const image = context.createImageData(canvas.width, canvas.height);
  image.data.set(new Uint8Array(part.buffer));
  context.putImageData(image, 0, 0);
  return canvas.encode('webp', quality);
}

/** A frame of an animated WebP. */
interface WebpFrame {
  /** Left and top even. */
  readonly area: Area;
  readonly durationMs: number;
  /** Whether it is blended over the previous frame; otherwise it replaces the area, including alpha. */
  readonly isBlended: boolean;
  /** A still WebP of the area's size. */
  readonly file: Uint8Array;
}

interface WebpAnimationOptions {
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
 * Joins still WebP files into an animation that repeats forever.
 *
 * @see WebP Container Specification: "Extended File Format", "Animation"
 */
function webpAnimation(frames: readonly WebpFrame[], options: WebpAnimationOptions): Uint8Array {
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

/** A lossy frame stores alpha in a separate chunk; a lossless one declares it in its header. */
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
