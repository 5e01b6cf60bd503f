import { parentPort, workerData } from 'node:worker_threads';
import { failureFrom } from '../failure.ts';
import { GifFileEncoder } from './gif-encoder.ts';
import type { GifMessage, GifRequest, GifWork } from './gif-protocol.ts';

// Entry of the worker thread that encodes one GIF; see gif-protocol.ts. Ends when it is terminated.

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
