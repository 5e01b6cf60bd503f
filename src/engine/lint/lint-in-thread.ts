import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Scene } from '../../template/scene.ts';
import { builtFile } from '../built-file.ts';
import { errorFrom, SceneError } from '../scene-error.ts';
import type { LintFinding } from './lint-finding.ts';
import type { LintMessage } from './lint-worker.ts';

/**
 * Runs `lintScene` in a worker thread so that native code does not block this thread's events. EDGE.
 *
 * @throws SceneError as `lintScene`; render_crashed when the thread ends without a result
 */
export async function lintInThread(scene: Scene): Promise<readonly LintFinding[]> {
  const worker = new Worker(builtFile(import.meta.url, 'engine/lint/lint-worker.js'), { workerData: scene });
  const ended = new AbortController();
  worker.once('exit', () => ended.abort(new SceneError('render_crashed', 'The thread that lints ended too early')));
  try {
    const [message] = (await once(worker, 'message', { signal: ended.signal })) as [LintMessage];
    if (message.kind === 'failed') throw errorFrom(message.failure);
    return message.findings;
  } catch (error) {
    throw ended.signal.aborted ? ended.signal.reason : error;
  } finally {
    await worker.terminate();
  }
}
