import type { Scene, Still } from '../../template/scene.ts';
import { freeBuffers } from '../free-buffers.ts';
import { openRasterizer, type Rasterizer } from '../raster/rasterizer.ts';

/** A still of a scene, rendered without its video. */
export interface StillImage {
  readonly name: string;
  /** Lossless PNG. */
  readonly bytes: Uint8Array;
}

/**
 * Draws the stills of a checked scene on the calling thread.
 *
 * @param onStill called after each still
 * @returns in the scene's order
 * @throws SceneError as `openRasterizer`
 */
export async function drawStills(scene: Scene, onStill: () => void): Promise<StillImage[]> {
  const stills: StillImage[] = [];
  await forEachStill(scene, async ({ name }, _data, rasterizer) => {
    stills.push({ name, bytes: await rasterizer.encodePng() });
    onStill();
  });
  return stills;
}

/**
 * Draws each still of a checked scene on the calling thread.
 *
 * @param take receives the pixels (RGBA, straight alpha), and may encode the picture before it returns
 * @throws SceneError as `openRasterizer`
 */
export async function forEachStill(
  scene: Scene,
  take: (still: Still, data: Uint8Array, rasterizer: Rasterizer) => Promise<void>,
): Promise<void> {
  const rasterizer = await openRasterizer(scene);
  try {
    for (const still of scene.stills) {
      await rasterizer.prepare(still.frame);
      await take(still, rasterizer.draw(still.frame), rasterizer);
      // The memory of the last few stills is released with their scene.
      freeBuffers();
    }
  } finally {
    rasterizer.close();
  }
}
