import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { builtFile } from '../built-file.ts';
import { errorFrom } from '../failure.ts';
import { SceneError } from '../scene-error.ts';
import type { RasterMessage, RasterRequest } from './raster-protocol.ts';

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
