import { Worker } from 'node:worker_threads';
import { builtFile } from '../../engine/built-file.ts';
import { errorFrom } from '../../engine/failure.ts';
import { SceneError } from '../../engine/scene-error.ts';
import type { SourceKind } from '../ports.ts';
import type { SourceDescription } from './describe-source.ts';
import type { SourceAnswer, SourceQuestion } from './source-worker.ts';

/** Of reading structure: an hour of MP3 takes a second. */
const LONGEST_MS = 20_000;
const HEAP_MEGABYTES = 512;

/**
 * `describeSource` in a worker thread, so that this one goes on meanwhile, and a file that is made to take long, or much
 * memory, is given up. EDGE.
 *
 * @throws SceneError as `describeSource`; asset_too_large for a file that takes too much
 */
export function describeInThread(bytes: Uint8Array, kind: SourceKind): Promise<SourceDescription> {
  const worker = new Worker(builtFile(import.meta.url, 'session/sources/source-worker.js'), {
    workerData: { bytes, kind } satisfies SourceQuestion,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
  });
  return new Promise<SourceDescription>((resolve, reject) => {
    const giveUp = (what: string): void =>
      reject(new SceneError('asset_too_large', `The file takes too ${what} to read; convert it`));
    const timer = setTimeout(() => {
      giveUp('long');
      void worker.terminate();
    }, LONGEST_MS);
    worker.on('message', (answer: SourceAnswer) =>
      answer.kind === 'described' ? resolve(answer.description) : reject(errorFrom(answer.failure)),
    );
    worker.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? giveUp('much memory') : reject(error),
    );
    worker.on('exit', () => {
      clearTimeout(timer);
      reject(new Error('Internal error: the thread that looks at a file ended without an answer'));
    });
  });
}
