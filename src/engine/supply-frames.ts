import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Scene } from '../template/scene.ts';
import { builtFile } from './built-file.ts';
import { errorFrom } from './failure.ts';
import { RING_SLOTS, ringFrame } from './frame-ring.ts';
import { pixelsOf } from './frame-writer.ts';
import type { DrawRequest, RasterMessage, RenderedStill } from './raster-protocol.ts';
import { SceneError } from './scene-error.ts';
import type { FrameRange } from './segments.ts';

/** Draws frames of a scene in a worker thread, ahead of whoever takes them. `close` must follow, whatever happened. */
export interface FrameSupply {
  /**
   * Hands over the frames of the range in order, the next one when `take` has resolved.
   *
   * @param take gets pixels that are valid until it resolves, in the form that the scene's format asks for
   * @returns the stills of these frames
   * @throws SceneError when one cannot be drawn; what `take` throws; the signal's reason, promptly
   */
  deliver(take: (pixels: Uint8Array, frame: number) => Promise<void>): Promise<readonly RenderedStill[]>;
  close(): Promise<void>;
}

/**
 * Starts drawing: the thread loads the scene while the caller opens what takes its frames. A fixed number of frames lies
 * between the two, so that memory stays flat whatever the length. EDGE.
 *
 * @param scene checked
 */
export function supplyFrames(scene: Scene, range: FrameRange, signal?: AbortSignal): FrameSupply {
  const worker = new Worker(builtFile(import.meta.url, 'engine/raster-worker.js'), { workerData: scene });
  const messages = on(worker, 'message', { signal, close: ['exit'] } as object) as AsyncIterable<[RasterMessage]>;
  // While frames are awaited `messages` rejects with it; afterwards nothing may throw it at the process.
  worker.on('error', () => undefined);
  const ringFormat = { width: scene.width, height: scene.height, pixels: pixelsOf(scene.output.format) };
  let next = range.first;
  const ask = (slot: number): void => {
    if (next < range.end) worker.postMessage({ frame: next++, slot } satisfies DrawRequest);
  };
  return {
    async deliver(take) {
      const stills: RenderedStill[] = [];
      let buffer: SharedArrayBuffer | undefined;
      for await (const [message] of messages) {
        switch (message.kind) {
          case 'open':
            buffer = message.buffer;
            for (let slot = 0; slot < RING_SLOTS; slot++) ask(slot);
            break;
          case 'still':
            stills.push(message.still);
            break;
          case 'frame':
            await take(ringFrame(buffer!, ringFormat, message.slot), message.frame);
            signal?.throwIfAborted();
            ask(message.slot);
            if (message.frame + 1 === range.end) return stills;
            break;
          case 'failed':
            throw errorFrom(message.failure);
        }
      }
      throw new SceneError('render_crashed', 'The thread that draws the frames ended before the last one');
    },
    async close() {
      await worker.terminate();
    },
  };
}
