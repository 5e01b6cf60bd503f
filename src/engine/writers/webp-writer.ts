import { createCanvas } from '@napi-rs/canvas';
import type { OutputQuality } from '../../service/wire.ts';
import type { FrameWriter, WriterOptions } from '../frame-writer.ts';
import { SceneError } from '../scene-error.ts';
import { type Area, changedArea } from './changed-area.ts';
import { tickOf } from './frame-delays.ts';
import { type WebpFrame, webpAnimation } from './webp-animation.ts';

/** Of lossy WebP, 0..100; alpha is kept without loss in all of them. */
export const WEBP_QUALITY: Readonly<Record<OutputQuality, number>> = { low: 50, medium: 75, high: 90 };

/** Pictures that are being encoded at once, in Node's own threads. */
const AT_WORK = 2;

/** An animated WebP: each frame has what changed, what repeats is shown for longer. */
export async function openWebpWriter({ format, frameCount, output }: WriterOptions): Promise<FrameWriter> {
  const { width, height, rate } = format;
  const frames: { area: Area; startMs: number; file: Promise<Uint8Array> }[] = [];
  const shown = new Uint32Array(width * height);
  const quality = WEBP_QUALITY[output.quality];
  return {
    async write(pixels, frame) {
      const next = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.byteLength / 4);
      const changed = frame === 0 ? { left: 0, top: 0, right: width, bottom: height } : changedArea(shown, next, width);
      if (changed === null) return;
      shown.set(next);
      const area = { ...changed, left: changed.left & ~1, top: changed.top & ~1 };
      const file = encodeArea(pixels, width, area, quality);
      // Whoever waits for it hears of it; until then it is nobody's.
      file.catch(() => undefined);
      frames.push({ area, startMs: tickOf(frame, rate, 1000), file });
      await frames.at(-AT_WORK)?.file.catch(failed);
    },
    async finish() {
      const endMs = tickOf(frameCount, rate, 1000);
      const encoded: WebpFrame[] = [];
      for (const [index, { area, startMs, file }] of frames.entries()) {
        const durationMs = (frames[index + 1]?.startMs ?? endMs) - startMs;
        encoded.push({ area, durationMs, file: await file.catch(failed) });
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

/** A part of a picture as a WebP file of its own. @param rgba straight alpha; free again when this returns */
function encodeArea(
  rgba: Uint8Array,
  width: number,
  { left, top, right, bottom }: Area,
  quality: number,
): Promise<Uint8Array> {
  const canvas = createCanvas(right - left, bottom - top);
  const context = canvas.getContext('2d');
  const image = context.createImageData(canvas.width, canvas.height);
  for (let row = top; row < bottom; row++) {
    image.data.set(rgba.subarray((row * width + left) * 4, (row * width + right) * 4), (row - top) * canvas.width * 4);
  }
  context.putImageData(image, 0, 0);
  return canvas.encode('webp', quality);
}
