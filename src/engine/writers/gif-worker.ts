import { parentPort, workerData } from 'node:worker_threads';
import { type Failure, failureFrom } from '../scene-error.ts';
import { GifFileEncoder, type GifOptions } from './gif-encoder.ts';

// Entry of the worker thread that encodes one GIF. Ends when it is terminated.

const { options, buffer } = workerData as GifWork;
const frameBytes = options.width * options.height * 4;
const encoder = new GifFileEncoder(options);

parentPort!.on('message', (request: GifRequest) => {
  try {
    if (request.kind === 'finish') return post({ kind: 'finished', bytes: encoder.finish() });
    encoder.add(new Uint8Array(buffer, request.slot * frameBytes, frameBytes), request.frame);
    post({ kind: 'taken', slot: request.slot });
  } catch (error) {
    post({ kind: 'failed', failure: failureFrom(error) });
  }
});

function post(message: GifMessage): void {
  parentPort!.postMessage(message);
}

/** `workerData` of the thread that encodes a GIF. */
export interface GifWork {
  readonly options: GifOptions;
  /** Frames, RGBA, one after the other. */
  readonly buffer: SharedArrayBuffer;
}

/** To the thread: the frame in this slot, or that there are no more. */
export type GifRequest =
  | { readonly kind: 'frame'; readonly frame: number; readonly slot: number }
  | { readonly kind: 'finish' };

/** From the thread. */
export type GifMessage =
  /** The slot is free. */
  | { readonly kind: 'taken'; readonly slot: number }
  | { readonly kind: 'finished'; readonly bytes: Uint8Array }
  | { readonly kind: 'failed'; readonly failure: Failure };
