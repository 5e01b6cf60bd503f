import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Scene } from '../../template/scene.ts';
import { builtFile } from '../built-file.ts';
import { checkScene } from '../check-scene.ts';
import { errorFrom } from '../failure.ts';
import { SceneError } from '../scene-error.ts';
import { mediaFindings } from '../scene-finding.ts';
import type { StillImage, StillMessage } from './still-protocol.ts';

/**
 * The stills of a scene without its video: the pictures that the video shows, before they are encoded. A worker thread
 * draws them, so that this one hears of the outside whatever native code does. EDGE.
 *
 * @param onProgress called after each still
 * @returns in the scene's order
 * @throws SceneError as `renderScene`
 */
export async function renderStills(
  scene: Scene,
  onProgress?: (stillsDone: number, stillCount: number) => void,
): Promise<readonly StillImage[]> {
  checkScene(scene);
  await mediaFindings(scene);
  const stills: StillImage[] = [];
  const stillCount = scene.stills.length;
  if (stillCount === 0) return stills;
  const worker = new Worker(builtFile(import.meta.url, 'engine/stills/still-worker.js'), { workerData: scene });
  const messages = on(worker, 'message', { close: ['exit'] } as object) as AsyncIterable<[StillMessage]>;
  // While stills are awaited `messages` rejects with it; afterwards nothing may throw it at the process.
  worker.on('error', () => undefined);
  try {
    for await (const [message] of messages) {
      if (message.kind === 'failed') throw errorFrom(message.failure);
      stills.push(message.still);
      onProgress?.(stills.length, stillCount);
      if (stills.length === stillCount) return stills;
    }
  } finally {
    await worker.terminate();
  }
  throw new SceneError('render_crashed', 'The thread that draws the stills ended before the last one');
}
