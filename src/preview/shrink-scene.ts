import type { Scene, SceneImage } from '../template/scene.ts';

/** How many pixels of an image are kept for each of the picture: layers may show it larger than its area. */
const IMAGE_DENSITY = 1.5;

/**
 * The same scene drawn smaller, its longer side of so many pixels at most; never larger. Both sides stay even. Photographs are
 * made smaller before they are drawn: fitting them is most of the work of one frame.
 *
 * @param imagesFor the longer side for which photographs are fitted: pictures of several sizes have them in common
 */
export function shrinkScene(scene: Scene, longest: number, imagesFor = longest): Scene {
  const scale = scaleTo(scene, longest);
  const even = (pixels: number): number => 2 * Math.max(1, Math.round((pixels * scale) / 2));
  // The animation may have another size than the file.
  const density = Math.min(1, (IMAGE_DENSITY * scaleTo(scene, imagesFor) * scene.width) / scene.animation.w);
  const images = scene.images.map((image) => (isJpeg(image) ? shrinkImage(image, density) : image));
  return { ...scene, width: even(scene.width), height: even(scene.height), images };
}

function scaleTo({ width, height }: Scene, longest: number): number {
  return Math.min(1, longest / Math.max(width, height));
}

/** The area keeps its place in the animation: a smaller picture is drawn as large. */
function shrinkImage(image: SceneImage, density: number): SceneImage {
  const side = (pixels: number): number => Math.max(1, Math.round(pixels * density));
  return { ...image, width: side(image.width), height: side(image.height) };
}

/** Others may move, and then their area is that of a clip. */
function isJpeg({ bytes }: SceneImage): boolean {
  return bytes[0] === 0xff && bytes[1] === 0xd8;
}
