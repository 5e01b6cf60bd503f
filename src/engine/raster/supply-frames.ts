import { on } from 'node:events';
import type { Scene } from '../../template/scene.ts';
import type { RenderedStill } from '../render-result.ts';
import { errorFrom, SceneError } from '../scene-error.ts';
import type { FrameRange } from '../segments/segment.ts';
import type { TextFinding } from '../text/text-findings.ts';
import { type PixelFormat, pixelsOf } from '../writers/frame-writer.ts';
import { leaveThread, type RasterMessage, type RasterRequest, takeThread } from './drawing-thread.ts';
import { RING_SLOTS, ringFrame } from './frame-ring.ts';

export interface SuppliedFrames {
  readonly stills: readonly RenderedStill[];
  readonly findings: readonly TextFinding[];
}

/** One drawn frame in the forms that were requested. */
export type FramePixels = Readonly<Record<PixelFormat, Uint8Array>>;

/** Draws frames of a scene in a worker thread, ahead of the consumer. `close` must follow in every case. */
export interface FrameSupply {
  /**
   * Delivers the frames of the ranges in order; waits for `take` before the next one. Without ranges it delivers the findings alone.
   *
   * @param take gets the frame in each requested form; the pixels are valid until it resolves
   * @returns the stills of these frames, and the defects of the scene's texts
   * @throws SceneError when one cannot be drawn; what `take` throws; the signal's reason, promptly
   */
  deliver(take: (pixels: FramePixels, frame: number) => Promise<void>): Promise<SuppliedFrames>;
  close(): Promise<void>;
}

/**
 * Starts drawing: the thread loads the scene while the caller opens what takes its frames. A fixed number of frames lies
 * between the two, so that memory stays flat whatever the length.
 *
 * @param scene checked
 * @param ranges none of them empty, in ascending order
 * @param forms forms of the frames, each drawn once for all of them; `rgba` needs a transparent canvas and combines with no other
 */
export function supplyFrames(
  scene: Scene,
  ranges: readonly FrameRange[],
  signal?: AbortSignal,
  forms: readonly PixelFormat[] = [pixelsOf(scene.output)],
): FrameSupply {
  const worker = takeThread();
  const messages = on(worker, 'message', { signal, close: ['exit'] } as object) as AsyncIterable<[RasterMessage]>;
  const { width, height } = scene;
  const ask = (request: RasterRequest): void => worker.postMessage(request);
  const frames = framesOf(ranges);
  const askNext = (slot: number): void => {
    const { value: frame } = frames.next();
    if (frame !== undefined) ask({ kind: 'draw', frame, slot });
  };
  let isDone = false;
  ask({ kind: 'open', scene, forms });
  return {
    async deliver(take) {
      const stills: RenderedStill[] = [];
      let findings: readonly TextFinding[] = [];
      let buffers: readonly SharedArrayBuffer[] = [];
      const pixelsIn = (slot: number): FramePixels => {
        const views = forms.map((pixels, at) => [pixels, ringFrame(buffers[at]!, { width, height, pixels }, slot)]);
        return Object.fromEntries(views) as FramePixels;
      };
      for await (const [message] of messages) {
        switch (message.kind) {
          case 'open':
            ({ buffers, findings } = message);
            isDone = ranges.length === 0;
            if (isDone) return { stills, findings };
            for (let slot = 0; slot < RING_SLOTS; slot++) askNext(slot);
            break;
          case 'still':
            stills.push(message.still);
            break;
          case 'frame':
            await take(pixelsIn(message.slot), message.frame);
            signal?.throwIfAborted();
            askNext(message.slot);
            isDone = message.frame + 1 === ranges.at(-1)!.end;
            if (isDone) return { stills, findings };
            break;
          case 'failed':
            throw errorFrom(message.failure);
        }
      }
      throw new SceneError('render_crashed', 'The drawing thread ended before the last frame');
    },
    async close() {
      if (!isDone) await worker.terminate();
      else {
        ask({ kind: 'close' });
        leaveThread(worker);
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
