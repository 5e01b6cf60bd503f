import { on } from 'node:events';
import type { RenderInput } from '../../template/render-input.ts';
import { type PixelFormat, pixelsOf } from '../pixel-format.ts';
import { RING_SLOTS, ringFrame } from '../raster/frame-ring.ts';
import { errorFrom, RenderError } from '../render-error.ts';
import type { RenderedStill } from '../render-result.ts';
import type { FrameRange } from '../segments/segment.ts';
import type { TextFinding } from '../text/text-findings.ts';
import { type RasterMessage, type RasterRequest, releaseThread, takeThread } from './drawing-thread.ts';

export interface SuppliedFrames {
  readonly stills: readonly RenderedStill[];
  readonly findings: readonly TextFinding[];
}

/** A drawn frame in each requested pixel format. */
export type FramePixels = Readonly<Record<PixelFormat, Uint8Array>>;

/** Draws frames of an input in a worker thread, ahead of the consumer. The caller must close it, even after an error. */
export interface FrameSupply {
  /**
   * Passes the frames of the ranges to `take` in order. Without ranges, returns only the findings.
   *
   * @param take receives a frame in each requested pixel format; the pixels are valid until it resolves, and the next frame
   *   follows after that
   * @returns the stills of these frames, and the defects of the input's texts
   * @throws RenderError if a frame cannot be drawn; errors of `take`; the signal's reason, promptly
   */
  deliver(take: (pixels: FramePixels, frame: number) => Promise<void>): Promise<SuppliedFrames>;
  close(): Promise<void>;
}

/**
 * Starts drawing: the thread opens the input while the caller opens its encoder. A fixed number of frames is buffered between
 * them, so that memory use does not depend on the length.
 *
 * @param renderInput checked
 * @param ranges not empty, in ascending order
 * @param pixelFormats each frame is drawn once for all of them; `rgba` needs a transparent canvas, so it must be the only format
 */
export function supplyFrames(
  renderInput: RenderInput,
  ranges: readonly FrameRange[],
  signal?: AbortSignal,
  pixelFormats: readonly PixelFormat[] = [pixelsOf(renderInput.output)],
): FrameSupply {
  const worker = takeThread();
  const messages = on(worker, 'message', { signal, close: ['exit'] } as object) as AsyncIterable<[RasterMessage]>;
  const { width, height } = renderInput;
  const send = (request: RasterRequest): void => worker.postMessage(request);
  const frames = framesOf(ranges);
  const requestNext = (slot: number): void => {
    const { value: frame } = frames.next();
    if (frame !== undefined) send({ kind: 'draw', frame, slot });
  };
  let isDone = false;
  send({ kind: 'open', renderInput, pixelFormats });
  return {
    async deliver(take) {
      const stills: RenderedStill[] = [];
      let findings: readonly TextFinding[] = [];
      let buffers: readonly SharedArrayBuffer[] = [];
      const pixelsIn = (slot: number): FramePixels => {
        const views = pixelFormats.map((pixels, at) => {
          return [pixels, ringFrame(buffers[at]!, { width, height, pixels }, slot)];
        });
        return Object.fromEntries(views) as FramePixels;
      };
      for await (const [message] of messages) {
        switch (message.kind) {
          case 'open':
            ({ buffers, findings } = message);
            isDone = ranges.length === 0;
            if (isDone) return { stills, findings };
            for (let slot = 0; slot < RING_SLOTS; slot++) requestNext(slot);
            break;
          case 'still':
            stills.push(message.still);
            break;
          case 'frame':
            await take(pixelsIn(message.slot), message.frame);
            signal?.throwIfAborted();
            requestNext(message.slot);
            isDone = message.frame + 1 === ranges.at(-1)!.end;
            if (isDone) return { stills, findings };
            break;
          case 'failed':
            throw errorFrom(message.failure);
        }
      }
      throw new RenderError('render_crashed', 'The drawing thread ended before the last frame');
    },
    async close() {
      if (!isDone) await worker.terminate();
      else {
        send({ kind: 'close' });
        releaseThread(worker);
      }
      isDone = false;
    },
  };
}

function* framesOf(ranges: readonly FrameRange[]): Generator<number, undefined> {
  for (const { first, end } of ranges) {
    for (let frame = first; frame < end; frame++) yield frame;
  }
}
