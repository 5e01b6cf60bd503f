import type { Scene, SceneImage } from '../../template/scene.ts';

/**
 * Returns a scene at another size. Reduces its images and clips, because opening large ones takes most of the time and they need
 * not be sharp.
 *
 * @param longSide longer side of the picture, in pixels
 * @param maxImageSide limit for the longer side of images and clips, in pixels
 */
export function reducedScene(scene: Scene, longSide: number, maxImageSide: number): Scene {
  const small = <T extends SceneImage>(image: T): T => {
    const scale = Math.min(1, maxImageSide / Math.max(image.width, image.height));
    const [width, height] = [image.width, image.height].map((side) => Math.max(1, Math.round(side * scale)));
    return { ...image, width, height };
  };
  const scale = longSide / Math.max(scene.width, scene.height);
  const [width, height] = [even(scene.width * scale), even(scene.height * scale)];
  return { ...scene, width, height, images: scene.images.map(small), clips: scene.clips.map(small) };
}

function even(side: number): number {
  return Math.max(2, Math.round(side / 2) * 2);
}
