import type { LottieDocument } from '../../render-input.ts';
import { LAYER_TYPE, type LottieNode } from '../lottie-layers.ts';
import { DrawnLayers, type Matrix } from './drawn-layers.ts';

/** Scale of an image in a picture, relative to its asset's `w` and `h`, along the axes of the image. */
export interface DrawnScale {
  readonly x: number;
  readonly y: number;
}

/** The largest scale along each axis, and a frame with this scale. Frame 0 is the first frame of the animation. */
export interface LargestScale extends DrawnScale {
  readonly frame: number;
}

/** Limit for measured image layers over all frames. Longer or larger animations are sampled. */
const MAX_MEASURED = 400_000;
const MIN_FRAMES = 30;

/** Measures how large an animation draws its images. Counts layers as `DrawnLayers` does that are not outside the picture. */
export class DrawnImages {
  readonly #animation: LottieDocument;
  readonly #layers: DrawnLayers;
  readonly #sizes: ReadonlyMap<string, { readonly width: number; readonly height: number }>;

  /** @param animation accepted by `checkAnimation` */
  constructor(animation: LottieDocument) {
    this.#animation = animation;
    this.#layers = new DrawnLayers(animation, isImage);
    const images = (animation.assets ?? []).filter(({ layers }) => layers === undefined);
    this.#sizes = new Map(images.map(({ id, w, h }) => [id, { width: Number(w), height: Number(h) }]));
  }

  /** Returns scales by asset on a frame, the largest of several layers. Invisible images are absent. */
  at(frame: number): Map<string, DrawnScale> {
    const found = new Map<string, DrawnScale>();
    const { w, h } = this.#animation;
    for (const { layer, matrix } of this.#layers.at(frame)) {
      const id = String(layer.refId);
      const size = this.#sizes.get(id);
      if (size === undefined || isOutside(matrix, size, { width: w, height: h })) continue;
      const [a, b, c, d] = matrix;
      const scale = { x: Math.hypot(a, b), y: Math.hypot(c, d) };
      found.set(id, largerOf(found.get(id) ?? scale, scale));
    }
    return found;
  }

  /** Returns scales by asset over all frames. Images that are never visible are absent. */
  largest(): Map<string, LargestScale> {
    const frameCount = Math.max(1, Math.round(this.#animation.op - this.#animation.ip));
    const { count } = this.#layers;
    const most = Math.max(MIN_FRAMES, Math.floor(MAX_MEASURED / Math.max(1, count)));
    const step = Math.max(1, frameCount / most);
    const found = new Map<string, LargestScale>();
    for (let at = 0; count > 0 && at < frameCount; at += step) {
      const frame = Math.floor(at);
      for (const [id, scale] of this.at(frame)) {
        const known = found.get(id) ?? { ...scale, frame };
        const isLarger = largerSide(scale) > largerSide(known);
        found.set(id, { ...largerOf(known, scale), frame: isLarger ? frame : known.frame });
      }
    }
    return found;
  }
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Returns whether the bounding box of an image lies outside the picture. */
function isOutside([a, b, c, d, e, f]: Matrix, image: Size, picture: Size): boolean {
  const right = [0, a * image.width, c * image.height, a * image.width + c * image.height].map((x) => x + e);
  const down = [0, b * image.width, d * image.height, b * image.width + d * image.height].map((y) => y + f);
  const isBeyond = (ends: readonly number[], length: number): boolean =>
    Math.max(...ends) <= 0 || Math.min(...ends) >= length;
  return isBeyond(right, picture.width) || isBeyond(down, picture.height);
}

function largerOf(a: DrawnScale, b: DrawnScale): DrawnScale {
  return { x: Math.max(a.x, b.x), y: Math.max(a.y, b.y) };
}

function largerSide({ x, y }: DrawnScale): number {
  return Math.max(x, y);
}

function isImage({ ty }: LottieNode): boolean {
  return ty === LAYER_TYPE.image;
}
