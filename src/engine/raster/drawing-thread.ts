import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Scene } from '../../template/scene.ts';
import { builtFile } from '../built-file.ts';
import type { RenderedStill } from '../render-result.ts';
import { errorFrom, type Failure, SceneError } from '../scene-error.ts';
import type { ComparedStill, StillComparison, StillImage } from '../stills/still-protocol.ts';
import type { TextFinding } from '../text/text-findings.ts';

/**
 * An idle thread, kept for the next scene: code, native libraries, fonts and fitted pictures stay loaded, and a thread that
 * ends does not return all of its memory.
 */
let spare: Worker | undefined;

/** Returns a drawing thread: the idle one, or a new one. */
export function takeThread(): Worker {
  if (spare !== undefined) {
    const worker = spare;
    spare = undefined;
    worker.ref();
    return worker;
  }
  const worker = new Worker(builtFile(import.meta.url, 'engine/raster/raster-worker.js'));
  // An iterator over messages rejects with the error; without one, the listener prevents an uncaught exception.
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
 * Sends a request to a drawing thread and resolves to its result.
 *
 * @throws the thread's error; SceneError render_crashed when it ends without an answer
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
