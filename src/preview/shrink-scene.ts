import type { Scene } from '../template/scene.ts';

/** The same scene drawn smaller, its longer side of so many pixels at most; never larger. Both sides stay even. */
export function shrinkScene(scene: Scene, longest: number): Scene {
  const scale = Math.min(1, longest / Math.max(scene.width, scene.height));
  const even = (pixels: number): number => 2 * Math.max(1, Math.round((pixels * scale) / 2));
  return { ...scene, width: even(scene.width), height: even(scene.height) };
}
