import type { Scene } from '../../template/scene.ts';
import { checkScene } from '../check-scene.ts';
import { askThread } from '../raster/drawing-thread.ts';
import { mediaFindings } from '../scene-finding.ts';
import type { StillImage } from './still-protocol.ts';

/**
 * The stills of a scene without its video: the pictures that the video shows, before they are encoded. A worker thread
 * draws them, so that this one hears of the outside whatever native code does.
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
  const stillCount = scene.stills.length;
  if (stillCount === 0) return [];
  let done = 0;
  return askThread(
    { kind: 'stills', scene },
    {
      resultOf: (message) => (message.kind === 'stills' ? message.stills : null),
      onStill: () => onProgress?.(++done, stillCount),
    },
  );
}
