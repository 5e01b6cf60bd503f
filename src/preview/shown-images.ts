import { encodeStoredPng } from '../engine/images/stored-png.ts';
import { layerSpans } from '../template/lottie/layer-spans.ts';
import { allLayers } from '../template/lottie/walk-lottie.ts';
import type { Scene, SceneImage } from '../template/scene.ts';

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
