import type { Scene } from '../../template/scene.ts';
import { checkScene } from '../check-scene.ts';
import { openRasterizer } from '../raster/rasterizer.ts';

/**
 * One frame of a scene as an image file: the picture that the video shows, before it was encoded. Draws on the calling
 * thread.
 *
 * @param frame index in 0..frameCount-1
 * @param format JPEG at quality 90, or PNG without loss
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
