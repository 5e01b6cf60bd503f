import { createCanvas } from '@napi-rs/canvas';
import type { OutputQuality } from '../../wire/output.ts';
import type { FrameWriter, WriterOptions } from '../frame-writer.ts';
import { freeBuffers } from '../raster/free-buffers.ts';
import { SceneError } from '../scene-error.ts';
import { type Area, changedArea } from './changed-area.ts';
import { tickOf } from './frame-delays.ts';
import { type WebpFrame, webpAnimation } from './webp-animation.ts';

/** Of lossy WebP, 0..100; alpha is kept without loss in all of them. */
export const WEBP_QUALITY: Readonly<Record<OutputQuality, number>> = { low: 50, medium: 75, high: 90 };

/** Pictures that are being encoded at once, in Node's own threads. */
const AT_WORK = 2;

interface EncodedFrame extends Pick<WebpFrame, 'area' | 'isBlended'> {
  readonly startMs: number;
  readonly file: Promise<Uint8Array>;
}

/** An animated WebP: each frame has what changed, what repeats is shown for longer. */
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
      // Whoever waits for it hears of it; until then it is nobody's.
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
 * The pixels of an area. Where all that changes is opaque afterwards, what does not change is left out, to lie over what is
 * shown: encoded again it would come out a little different, with an edge around the area.
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

/** What a codec transforms together. */
const BLOCK = 16;

/** Makes what does not change transparent in each block that hardly does: more holes would cost more than they save. */
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
