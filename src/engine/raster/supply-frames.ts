import { on } from 'node:events';
import type { Scene } from '../../template/scene.ts';
import type { RenderedStill } from '../render-result.ts';
import { errorFrom, SceneError } from '../scene-error.ts';
import type { FrameRange } from '../segments/segment.ts';
import type { TextFinding } from '../text/text-findings.ts';
import { pixelsOf } from '../writers/frame-writer.ts';
import { leaveThread, type RasterMessage, type RasterRequest, takeThread } from './drawing-thread.ts';
import { RING_SLOTS, ringFrame } from './frame-ring.ts';

export interface SuppliedFrames {
  readonly stills: readonly RenderedStill[];
  readonly findings: readonly TextFinding[];
}

/** Draws frames of a scene in a worker thread, ahead of the consumer. `close` must follow in every case. */
export interface FrameSupply {
  /**
   * Delivers the frames of the range in order; waits for `take` before the next one.
   *
   * @param take gets pixels that are valid until it resolves, in the form that the scene's format asks for
   * @returns the stills of these frames, and the defects of the scene's texts
   * @throws SceneError when one cannot be drawn; what `take` throws; the signal's reason, promptly
   */
  deliver(take: (pixels: Uint8Array, frame: number) => Promise<void>): Promise<SuppliedFrames>;
  close(): Promise<void>;
}

/**
 * Starts drawing: the thread loads the scene while the caller opens what takes its frames. A fixed number of frames lies
 * between the two, so that memory stays flat whatever the length.
 *
 * @param scene checked
 */
export function supplyFrames(scene: Scene, range: FrameRange, signal?: AbortSignal): FrameSupply {
  const worker = takeThread();
  const messages = on(worker, 'message', { signal, close: ['exit'] } as object) as AsyncIterable<[RasterMessage]>;
  const ringFormat = { width: scene.width, height: scene.height, pixels: pixelsOf(scene.output) };
  const ask = (request: RasterRequest): void => worker.postMessage(request);
  let next = range.first;
  const askNext = (slot: number): void => {
    if (next < range.end) ask({ kind: 'draw', frame: next++, slot });
  };
  let isDone = false;
  ask({ kind: 'open', scene });
  return {
    async deliver(take) {
      const stills: RenderedStill[] = [];
      let findings: readonly TextFinding[] = [];
      let buffer: SharedArrayBuffer | undefined;
      for await (const [message] of messages) {
        switch (message.kind) {
          case 'open':
            ({ buffer, findings } = message);
            for (let slot = 0; slot < RING_SLOTS; slot++) askNext(slot);
            break;
          case 'still':
            stills.push(message.still);
            break;
          case 'frame':
            await take(ringFrame(buffer!, ringFormat, message.slot), message.frame);
            signal?.throwIfAborted();
            askNext(message.slot);
            isDone = message.frame + 1 === range.end;
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
