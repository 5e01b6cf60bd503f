import { parentPort, workerData } from 'node:worker_threads';
import type { Scene } from '../../template/scene.ts';
import { type Failure, failureFrom } from '../scene-error.ts';
import type { LintFinding } from './lint-finding.ts';
import { lintScene } from './lint-scene.ts';

// Worker thread that lints the scene in its `workerData`.

/** The worker's only message. */
export type LintMessage =
  | { readonly kind: 'linted'; readonly findings: readonly LintFinding[] }
  | { readonly kind: 'failed'; readonly failure: Failure };

const post = (message: LintMessage): void => parentPort!.postMessage(message);
try {
  post({ kind: 'linted', findings: await lintScene(workerData as Scene) });
} catch (error) {
  post({ kind: 'failed', failure: failureFrom(error) });
}
