import type { Scene } from '../../template/scene.ts';
import { checkScene } from '../check-scene.ts';
import { freeBuffers } from '../raster/free-buffers.ts';
import { openRasterizer } from '../raster/rasterizer.ts';
import type { StillImage } from './still-protocol.ts';

/**
 * Draws the stills of a checked scene on the calling thread.
 *
 * @param onStill called after each still
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

/**
 * Draws one frame of a scene as an image file, as the video shows it before encoding. Draws on the calling thread.
 *
 * @param frame index in 0..frameCount-1
 * @param format JPEG at quality 90, or lossless PNG
 * @throws SceneError as `renderScene`
 */
export async function renderStill(scene: Scene, frame: number, format: 'jpeg' | 'png' = 'jpeg'): Promise<Uint8Array> {
  if (!(Number.isInteger(frame) && frame >= 0 && frame < scene.frameCount)) {
    throw new RangeError(`frame ${frame} is not in 0..${scene.frameCount - 1}`);
  }
  checkScene(scene);
  const rasterizer = await openRasterizer(scene);
  try {
    await rasterizer.prepare(frame);
    rasterizer.draw(frame);
    return await (format === 'jpeg' ? rasterizer.encodeJpeg() : rasterizer.encodePng());
  } finally {
    rasterizer.close();
  }
}
