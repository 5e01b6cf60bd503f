import { encodeStoredPng } from '../engine/images/stored-png.ts';
import { layerSpans } from '../template/lottie/layer-spans.ts';
import { allLayers } from '../template/lottie/walk-lottie.ts';
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

/** Frames of the animation: more than what its times lose as 32-bit numbers in the rasteriser. */
const MARGIN = 1;
/** In the place of an image that is not shown. */
const PIXEL = {
  ...{ width: 1, height: 1, transform: { crop_strategy: 'fill' } },
  bytes: encodeStoredPng(new Uint8Array(4), 1, 1),
} as const satisfies Partial<SceneImage>;

/**
 * The images that some frames of a scene may show, the others replaced by a single pixel: decoding one is more work than drawing a
 * frame. It is replaced only where each of its layers is known to be shown at other times alone: what is hidden may still be the
 * matte of another layer.
 *
 * @param frames of the video
 */
export function shownImages({ images, animation, fps }: Scene, frames: readonly number[]): SceneImage[] {
  if (images.length === 0) return [];
  const times = frames.map((frame) => (frame * animation.fr) / fps);
  const spans = layerSpans(animation);
  const shown = new Set<string>();
  const known = new Map<unknown, string>(spans.map(({ layer }) => [layer, String(layer.refId)]));
  for (const { layer, from, to } of spans) {
    if (times.some((time) => time > from - MARGIN && time < to + MARGIN)) shown.add(String(layer.refId));
  }
  for (const { layer } of allLayers(animation)) if (!known.has(layer)) shown.add(String(layer.refId));
  const unseen = new Set([...known.values()].filter((assetId) => !shown.has(assetId)));
  return images.map((image) => (unseen.has(image.assetId) ? { ...image, ...PIXEL } : image));
}
