import { encodeStoredPng } from '../../engine/images/png-file.ts';
import { sceneSpans } from '../../engine/scenes/scene-spans.ts';
import { allLayers } from '../../template/lottie/lottie-layers.ts';
import { layerSpans } from '../../template/lottie/visibility/layer-spans.ts';
import type { InputDocument, InputImage, RenderInput, VideoInput } from '../../template/render-input.ts';

/** Image pixels kept per output pixel, because a layer may enlarge part of an image. */
const IMAGE_DENSITY = 1.5;

/**
 * Scales an input down so that its longer side has at most `longest` pixels; both sides stay even. Also shrinks JPEG images
 * beforehand, because fitting them dominates the time of a single frame.
 *
 * @param imagesFor longer side to which JPEGs are fitted, so that stills of several sizes share them
 */
export function shrinkInput<V extends VideoInput>(renderInput: V, longest: number, imagesFor = longest): V {
  const scale = scaleTo(renderInput, longest);
  const even = (pixels: number): number => 2 * Math.max(1, Math.round((pixels * scale) / 2));
  const { width, height } = renderInput;
  const shrinkImages = ({ animation, images }: InputDocument): InputImage[] => {
    // The animation may have another size than the output; of another shape, it can be cropped.
    const enlarged =
      'scenes' in renderInput ? Math.max(width / animation.w, height / animation.h) : width / animation.w;
    const density = Math.min(1, IMAGE_DENSITY * scaleTo(renderInput, imagesFor) * enlarged);
    return images.map((image) => (isJpeg(image) ? shrinkImage(image, density) : image));
  };
  return { ...withImages(renderInput, shrinkImages), width: even(width), height: even(height) };
}

/** Returns an input with other images in each document. @param imagesOf receives the index of the document */
function withImages<V extends VideoInput>(
  video: V,
  imagesOf: (document: InputDocument, index: number) => readonly InputImage[],
): V {
  if (!('scenes' in video)) return { ...video, images: imagesOf(video, 0) };
  return { ...video, scenes: video.scenes.map((scene, index) => ({ ...scene, images: imagesOf(scene, index) })) };
}

function scaleTo({ width, height }: Pick<VideoInput, 'width' | 'height'>, longest: number): number {
  return Math.min(1, longest / Math.max(width, height));
}

/** Only the resolution changes: the area keeps its place in the animation. */
function shrinkImage(image: InputImage, density: number): InputImage {
  const side = (pixels: number): number => Math.max(1, Math.round(pixels * density));
  return { ...image, width: side(image.width), height: side(image.height) };
}

/** Other formats may be animated and then use the area of a clip. */
function isJpeg({ bytes }: InputImage): boolean {
  return bytes[0] === 0xff && bytes[1] === 0xd8;
}

/** Tolerance in frames of the animation: the rasteriser keeps times in 32 bits. */
const MARGIN = 1;
/** Replaces an image that is not shown. */
const PIXEL = {
  width: 1,
  height: 1,
  transform: { crop_strategy: 'fill' },
  bytes: encodeStoredPng(new Uint8Array(4), 1, 1),
} as const satisfies Partial<InputImage>;

/**
 * Replaces the images that none of the given frames shows by a single pixel, because decoding an image costs more than
 * drawing a frame. Keeps an image unless all of its layers are known to be shown at other times only: a hidden layer may be
 * the matte of another. Of a video of several scenes, the images of scenes that no frame shows are replaced.
 *
 * @param frames frame numbers of the video
 */
export function dropHiddenImages<V extends VideoInput>(video: V, frames: readonly number[]): V {
  if (!('scenes' in video)) return withImages(video, () => shownImages(video, frames));
  const shown = new Set(
    sceneSpans(video)
      .filter(({ first, end }) => frames.some((frame) => frame >= first && frame < end))
      .flatMap(({ scene, neighbour }) => [scene, scene + neighbour]),
  );
  const drop = (image: InputImage): InputImage => ({ ...image, ...PIXEL });
  return withImages(video, ({ images }, index) => (shown.has(index) ? images : images.map(drop)));
}

function shownImages({ images, animation, fps }: RenderInput, frames: readonly number[]): readonly InputImage[] {
  if (images.length === 0) return images;
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
