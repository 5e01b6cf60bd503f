import type { Scene } from '../../template/scene.ts';
import { freeBuffers } from '../raster/free-buffers.ts';
import { openRasterizer } from '../raster/rasterizer.ts';
import type { StillImage } from './still-protocol.ts';

/**
 * Draws the stills of a checked scene on the calling thread.
 *
 * @param onStill called after each
 * @returns in the scene's order
 * @throws SceneError as `openRasterizer`
 */
export async function drawStills(scene: Scene, onStill: () => void): Promise<StillImage[]> {
  const rasterizer = await openRasterizer(scene);
  const stills: StillImage[] = [];
  try {
    for (const [index, { name, frame }] of scene.stills.entries()) {
      await rasterizer.prepare(frame);
      rasterizer.draw(frame);
      stills.push({ name, bytes: await rasterizer.encodePng() });
      onStill();
      freeBuffers(index);
    }
  } finally {
    rasterizer.close();
  }
  return stills;
}
