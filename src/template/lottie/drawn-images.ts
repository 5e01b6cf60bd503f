import { isRecord } from '../../json.ts';
import type { LottieDocument } from '../scene.ts';
import { LEAST_STRENGTH, timeWithin } from './layer-spans.ts';
import { LAYER_TYPE, type LottieNode, numberOr, precompositions, transformOf } from './lottie-layers.ts';
import { propertyValue } from './property-value.ts';

/** Scale of an image in a picture, relative to its asset's `w` and `h`, along its own axes. */
export interface DrawnScale {
  readonly x: number;
  readonly y: number;
}

/** The largest scale in each direction, and a frame of the largest, counted from the animation's first. */
export interface LargestScale extends DrawnScale {
  readonly frame: number;
}

/** Limit for chains of parents, as in `checkAnimation`. */
const LONGEST_CHAIN = 64;
/** Limit for measured image layers over all frames. Longer or larger animations are sampled. */
const MOST_MEASURED = 400_000;
const FEWEST_FRAMES = 30;

/**
 * Measures how large an animation draws its images. Combines the transformations of layers, their parents and the
 * precompositions around them at the same moment. Counts layers that are shown, not transparent and not outside the
 * picture. Ignores masks and occlusion.
 */
export class DrawnImages {
  readonly #animation: LottieDocument;
  readonly #layers: readonly LottieNode[];
  readonly #lists: ReadonlyMap<string, readonly LottieNode[]>;
  readonly #sizes: ReadonlyMap<string, { readonly width: number; readonly height: number }>;
  readonly #counts = new Map<readonly LottieNode[], number>();

  /** @param animation accepted by `checkAnimation` */
  constructor(animation: LottieDocument) {
    this.#animation = animation;
    this.#layers = (animation.layers as unknown[]).filter(isRecord);
    this.#lists = precompositions(animation);
    const images = (animation.assets ?? []).filter(({ layers }) => layers === undefined);
    this.#sizes = new Map(images.map(({ id, w, h }) => [id, { width: Number(w), height: Number(h) }]));
  }

  /** Returns scales by asset on one frame, the largest of several layers. Invisible images are absent. */
  at(frame: number): Map<string, DrawnScale> {
    const found = new Map<string, DrawnScale>();
    const { w, h, ip } = this.#animation;
    this.#visit(this.#layers, { time: ip + frame, around: IDENTITY, strength: 1 }, (layer, matrix) => {
      const id = String(layer.refId);
      const size = this.#sizes.get(id);
      if (size === undefined || isOutside(matrix, size, { width: w, height: h })) return;
      const [a, b, c, d] = matrix;
      const scale = { x: Math.hypot(a, b), y: Math.hypot(c, d) };
      found.set(id, largerOf(found.get(id) ?? scale, scale));
    });
    return found;
  }

  /** Returns scales by asset over all frames. Images that are never visible are absent. */
  largest(): Map<string, LargestScale> {
    const frameCount = Math.max(1, Math.round(this.#animation.op - this.#animation.ip));
    const count = this.#countImages(this.#layers);
    const most = Math.max(FEWEST_FRAMES, Math.floor(MOST_MEASURED / Math.max(1, count)));
    const step = Math.max(1, frameCount / most);
    const found = new Map<string, LargestScale>();
    for (let at = 0; count > 0 && at < frameCount; at += step) {
      const frame = Math.floor(at);
      for (const [id, scale] of this.at(frame)) {
        const other = found.get(id) ?? { ...scale, frame };
        const isLarger = largerSide(scale) > largerSide(other);
        found.set(id, { ...largerOf(other, scale), frame: isLarger ? frame : other.frame });
      }
    }
    return found;
  }

  #visit(layers: readonly LottieNode[], outer: Moment, see: (layer: LottieNode, matrix: Matrix) => void): void {
    const { time } = outer;
    for (const layer of layers) {
      const inside = layer.ty === LAYER_TYPE.precomposition ? this.#lists.get(String(layer.refId)) : undefined;
      const isImage = layer.ty === LAYER_TYPE.image;
      if (layer.hd === true || (!isImage && (inside === undefined || this.#countImages(inside) === 0))) continue;
      if (time < numberOr(layer.ip, -Infinity) || time >= numberOr(layer.op, Infinity)) continue;
      const strength = (outer.strength * (propertyValue(transformOf(layer).o, time)?.[0] ?? 100)) / 100;
      if (strength < LEAST_STRENGTH) continue;
      const matrix = multiply(outer.around, matrixOf(layer, layers, time));
      if (isImage) see(layer, matrix);
      else if (inside !== undefined) {
        this.#visit(inside, { time: timeWithin(layer, time, this.#animation.fr), around: matrix, strength }, see);
      }
    }
  }

  /** Counts image layers of a composition, including nested precompositions. */
  #countImages(layers: readonly LottieNode[]): number {
    const known = this.#counts.get(layers);
    if (known !== undefined) return known;
    const count = layers.reduce((sum, { ty, refId }) => {
      if (ty === LAYER_TYPE.image) return sum + 1;
      const inside = ty === LAYER_TYPE.precomposition ? this.#lists.get(String(refId)) : undefined;
      return sum + (inside === undefined ? 0 : this.#countImages(inside));
    }, 0);
    this.#counts.set(layers, count);
    return count;
  }
}

interface Moment {
  /** Time of the composition, in frames. */
  readonly time: number;
  /** From the composition to the picture. */
  readonly around: Matrix;
  readonly strength: number;
}

/** `x' = ax + cy + e`, `y' = bx + dy + f`. */
type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** Returns the matrix from a layer to its composition, including parents. @param siblings layers of that composition */
function matrixOf(layer: LottieNode, siblings: readonly LottieNode[], time: number): Matrix {
  let matrix = ownMatrix(layer, time);
  let { parent } = layer;
  for (let steps = 0; parent !== undefined && steps < LONGEST_CHAIN; steps++) {
    const above = siblings.find(({ ind }) => ind === parent);
    if (above === undefined) break;
    matrix = multiply(ownMatrix(above, time), matrix);
    ({ parent } = above);
  }
  return matrix;
}

/** @see Lottie specification 1.0.1, "Transform": anchor, scale, skew, rotation, position */
function ownMatrix(layer: LottieNode, time: number): Matrix {
  const { a, p, s, r, rz, sk, sa } = transformOf(layer);
  const [anchorX = 0, anchorY = 0] = propertyValue(a, time) ?? [];
  const [x = 0, y = 0] = positionOf(p, time);
  const [scaleX = 100, scaleY = scaleX] = propertyValue(s, time) ?? [];
  const angle = radians(propertyValue(r ?? rz, time)?.[0] ?? 0);
  const skew = radians(propertyValue(sk, time)?.[0] ?? 0);
  const axis = radians(propertyValue(sa, time)?.[0] ?? 0);
  let matrix: Matrix = [scaleX / 100, 0, 0, scaleY / 100, 0, 0];
  matrix = multiply(matrix, [1, 0, 0, 1, -anchorX, -anchorY]);
  if (skew !== 0) {
    matrix = multiply(multiply(rotation(-axis), multiply([1, 0, Math.tan(-skew), 1, 0, 0], rotation(axis))), matrix);
  }
  return multiply([1, 0, 0, 1, x, y], multiply(rotation(angle), matrix));
}

function positionOf(position: unknown, time: number): readonly number[] {
  if (!isRecord(position) || position.s !== true) return propertyValue(position, time) ?? [];
  return [position.x, position.y].map((one) => propertyValue(one, time)?.[0] ?? 0);
}

function multiply(outer: Matrix, inner: Matrix): Matrix {
  const [a, b, c, d, e, f] = outer;
  const [g, h, i, j, k, l] = inner;
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

function rotation(angle: number): Matrix {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return [cos, sin, -sin, cos, 0, 0];
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
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

function largerOf(one: DrawnScale, other: DrawnScale): DrawnScale {
  return { x: Math.max(one.x, other.x), y: Math.max(one.y, other.y) };
}

function largerSide({ x, y }: DrawnScale): number {
  return Math.max(x, y);
}
