import { parentPort, workerData } from 'node:worker_threads';
import { type Failure, failureFrom } from '../render-error.ts';
import { GifFileEncoder, type GifOptions } from './gif-encoder.ts';

// Entry point of the worker thread that encodes a GIF. Runs until terminated.

const { options, buffer } = workerData as GifWork;
const frameBytes = options.width * options.height * 4;
const encoder = new GifFileEncoder(options);

parentPort!.on('message', (request: GifRequest) => {
  try {
    if (request.kind === 'finish') {
      encoder.finish();
      return post({ kind: 'finished', bytes: encoder.take() });
    }
    encoder.add(new Uint8Array(buffer, request.slot * frameBytes, frameBytes), request.frame);
    post({ kind: 'slot-free', slot: request.slot, bytes: encoder.take() });
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
  /** Consecutive RGBA frames, a frame for each slot. */
  readonly buffer: SharedArrayBuffer;
}

/** Message to the thread: the frame in a slot, or the end of the frames. */
export type GifRequest =
  | { readonly kind: 'frame'; readonly frame: number; readonly slot: number }
  | { readonly kind: 'finish' };

/** Message from the thread, with the next bytes of the file. */
export type GifMessage =
  | { readonly kind: 'slot-free'; readonly slot: number; readonly bytes: Uint8Array }
  | { readonly kind: 'finished'; readonly bytes: Uint8Array }
  | { readonly kind: 'failed'; readonly failure: Failure };
