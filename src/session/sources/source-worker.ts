import { parentPort, workerData } from 'node:worker_threads';
import { type Failure, failureFrom } from '../../engine/failure.ts';
import type { SourceKind } from '../ports.ts';
import { describeSource, type SourceDescription } from './describe-source.ts';

// Entry of the worker thread that looks at one file; see describe-in-thread.ts.

export interface SourceQuestion {
  readonly bytes: Uint8Array;
  readonly kind: SourceKind;
}

export type SourceAnswer =
  | { readonly kind: 'described'; readonly description: SourceDescription }
  | { readonly kind: 'failed'; readonly failure: Failure };

const { bytes, kind } = workerData as SourceQuestion;
const answer = await describeSource(bytes, kind).then(
  (description): SourceAnswer => ({ kind: 'described', description }),
  (error: unknown): SourceAnswer => ({ kind: 'failed', failure: failureFrom(error) }),
);
parentPort!.postMessage(answer);
