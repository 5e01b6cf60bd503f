import { setImmediate } from 'node:timers/promises';
import { openRasterizer } from '../../src/engine/raster/rasterizer.ts';
import { upgradeDocument } from '../../src/template/init/normalize-document.ts';
import type { LottieDocument, Scene, SceneFont } from '../../src/template/scene.ts';
import type { Picture } from './picture-difference.ts';

/** Draws frames of an animation with the engine at the given size, counted from its first frame. */
export async function drawFrames(
  animation: LottieDocument,
  frames: readonly number[],
  { width, height, fonts = [] }: { width: number; height: number; fonts?: readonly SceneFont[] },
): Promise<Picture[]> {
  const today = structuredClone(animation);
  upgradeDocument(today);
  const scene: Scene = {
    ...{ output: { format: 'mp4', quality: 'high', fingerprint: null }, width, height, fps: animation.fr },
    ...{ frameCount: Math.max(1, Math.round(animation.op - animation.ip)), animation: today },
    ...{ fonts, images: [], clips: [], sounds: [], stills: [] },
  };
  const rasterizer = await openRasterizer(scene);
  const pictures: Picture[] = [];
  for (const frame of frames) {
    await rasterizer.prepare(frame);
    pictures.push({ width, height, rgba: rasterizer.draw(frame) });
    await setImmediate();
  }
  rasterizer.close();
  return pictures;
}
