import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Scene } from '../../template/scene.ts';
import { builtFile } from '../built-file.ts';
import type { RenderedStill } from '../render-result.ts';
import { errorFrom, type Failure, SceneError } from '../scene-error.ts';
import type { ComparedStill, StillComparison, StillImage } from '../stills/still-protocol.ts';
import type { TextFinding } from '../text/text-findings.ts';

/**
 * A thread without a scene, for the next one: it has its code and native libraries loaded, fonts open and pictures fitted, and a
 * thread that ends does not give back all of its memory.
 */
let spare: Worker | undefined;

/** A thread that draws: one that has drawn before, where there is one. EDGE. */
export function takeThread(): Worker {
  if (spare !== undefined) {
    const worker = spare;
    spare = undefined;
    worker.ref();
    return worker;
  }
  const worker = new Worker(builtFile(import.meta.url, 'engine/raster/raster-worker.js'));
  // While messages are awaited their iterator rejects with it; afterwards nothing may throw it at the process.
  worker.on('error', () => undefined);
  worker.once('exit', () => {
    if (spare === worker) spare = undefined;
  });
  return worker;
}

/** @param worker that has answered everything it was asked */
export function leaveThread(worker: Worker): void {
  if (spare !== undefined) {
    void worker.terminate();
    return;
  }
  worker.unref();
  spare = worker;
}

export interface Answering<Result> {
  /** Null for a message that is not the last one. */
  resultOf(message: RasterMessage): Result | null;
  /** Called after each still. */
  onStill(): void;
}

/**
 * Asks a thread that draws for something that it answers with one result.
 *
 * @throws what the thread fails with; SceneError render_crashed when it ends without a word
 */
export async function askThread<Result>(
  request: RasterRequest,
  { resultOf, onStill }: Answering<Result>,
): Promise<Result> {
  const worker = takeThread();
  const messages = on(worker, 'message', { close: ['exit'] } as object) as AsyncIterable<[RasterMessage]>;
  let isDone = false;
  try {
    worker.postMessage(request);
    for await (const [message] of messages) {
      if (message.kind === 'failed') throw errorFrom(message.failure);
      if (message.kind === 'still-drawn') onStill();
      const result = resultOf(message);
      if (result === null) continue;
      isDone = true;
      return result;
    }
  } finally {
    if (isDone) leaveThread(worker);
    else await worker.terminate();
  }
  throw new SceneError('render_crashed', 'The thread that draws the stills ended before the last one');
}

/** To the raster worker. Answered in the order asked. */
export type RasterRequest =
  /** Make ready to draw this scene; answered with `open`. */
  | { readonly kind: 'open'; readonly scene: Scene }
  /** Draw this frame into this slot; answered with `frame`. */
  | { readonly kind: 'draw'; readonly frame: number; readonly slot: number }
  /** Draw the stills of this scene; answered with `still-drawn` for each, then `stills`. */
  | { readonly kind: 'stills'; readonly scene: Scene }
  /** Draw and compare stills; answered with `still-drawn` for each of both sides, then `compared`. */
  | { readonly kind: 'compare'; readonly comparison: StillComparison }
  /** Forget the scene. Not answered. */
  | { readonly kind: 'close' };

/** From the raster worker. */
export type RasterMessage =
  /** Ready to draw into this ring. */
  | { readonly kind: 'open'; readonly buffer: SharedArrayBuffer; readonly findings: readonly TextFinding[] }
  | { readonly kind: 'frame'; readonly frame: number; readonly slot: number }
  /** Comes before its frame. */
  | { readonly kind: 'still'; readonly still: RenderedStill }
  | { readonly kind: 'still-drawn' }
  | { readonly kind: 'stills'; readonly stills: readonly StillImage[] }
  | { readonly kind: 'compared'; readonly stills: readonly ComparedStill[] }
  | { readonly kind: 'failed'; readonly failure: Failure };
