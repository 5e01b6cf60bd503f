import { isRecord } from '../../../kernel/json.ts';
import type { LottieDocument } from '../../render-input.ts';
import { LAYER_TYPE, type LottieNode, numberOr, precompositions, transformOf } from '../lottie-layers.ts';
import { propertyValue } from '../property-value.ts';
import { MIN_VISIBLE_STRENGTH, timeWithin } from './layer-spans.ts';

/** A layer and its position in the picture on a frame. */
export interface DrawnLayer {
  readonly layer: LottieNode;
  /** From the layer to the picture. */
  readonly matrix: Matrix;
  /** Opacity of the layer and its precompositions, `MIN_VISIBLE_STRENGTH`..1. */
  readonly strength: number;
  /** True if a mask or a matte of the layer or of a precomposition around it decides how much of it is drawn. */
  readonly isMasked: boolean;
  /** Time of the layer's composition, in frames. */
  readonly time: number;
}

/** Limit for chains of parents, as in `checkAnimation`. */
const MAX_CHAIN_LENGTH = 64;

/**
 * Finds where layers lie in the picture. Combines the transformations of layers, their parents and the precompositions around
 * them at the same moment. Omits layers that are hidden, not shown at that time, or transparent. Ignores masks, occlusion and
 * the edges of the picture.
 */
export class DrawnLayers {
  readonly #animation: LottieDocument;
  readonly #layers: readonly LottieNode[];
  readonly #lists: ReadonlyMap<string, readonly LottieNode[]>;
  readonly #counts = new Map<readonly LottieNode[], number>();
  readonly #isWanted: (layer: LottieNode) => boolean;

  /**
   * @param animation accepted by `checkAnimation`
   * @param isWanted selects the layers to return; no precompositions
   */
  constructor(animation: LottieDocument, isWanted: (layer: LottieNode) => boolean) {
    this.#animation = animation;
    this.#isWanted = isWanted;
    this.#layers = (animation.layers as unknown[]).filter(isRecord);
    this.#lists = precompositions(animation);
  }

  /** Number of wanted layers, each counted once for every precomposition layer that shows it. */
  get count(): number {
    return this.#count(this.#layers);
  }

  /** @param frame of the animation, counted from its first; may be fractional */
  at(frame: number): DrawnLayer[] {
    const found: DrawnLayer[] = [];
    const outer = { time: this.#animation.ip + frame, around: IDENTITY, strength: 1, isMasked: false };
    this.#visit(this.#layers, outer, (layer) => found.push(layer));
    return found;
  }

  #visit(layers: readonly LottieNode[], outer: Moment, see: (layer: DrawnLayer) => void): void {
    const { time } = outer;
    for (const layer of layers) {
      const inside = layer.ty === LAYER_TYPE.precomposition ? this.#lists.get(String(layer.refId)) : undefined;
      const isWanted = inside === undefined && this.#isWanted(layer);
      if (layer.hd === true || (!isWanted && (inside === undefined || this.#count(inside) === 0))) continue;
      if (time < numberOr(layer.ip, -Infinity) || time >= numberOr(layer.op, Infinity)) continue;
      const strength = (outer.strength * (propertyValue(transformOf(layer).o, time)?.[0] ?? 100)) / 100;
      if (strength < MIN_VISIBLE_STRENGTH) continue;
      const matrix = multiply(outer.around, matrixOf(layer, layers, time));
      const isMasked = outer.isMasked || layer.hasMask === true || numberOr(layer.tt, 0) > 0;
      if (isWanted) see({ layer, matrix, strength, isMasked, time });
      else if (inside !== undefined) {
        const within = timeWithin(layer, time, this.#animation.fr);
        this.#visit(inside, { time: within, around: matrix, strength, isMasked }, see);
      }
    }
  }

  #count(layers: readonly LottieNode[]): number {
    const known = this.#counts.get(layers);
    if (known !== undefined) return known;
    const count = layers.reduce((sum, layer) => {
      const inside = layer.ty === LAYER_TYPE.precomposition ? this.#lists.get(String(layer.refId)) : undefined;
      if (inside !== undefined) return sum + this.#count(inside);
      return sum + (this.#isWanted(layer) ? 1 : 0);
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
  readonly isMasked: boolean;
}

/** `x' = ax + cy + e`, `y' = bx + dy + f`. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** Returns the matrix from a layer to its composition, including parents. @param siblings layers of that composition */
function matrixOf(layer: LottieNode, siblings: readonly LottieNode[], time: number): Matrix {
  let matrix = matrixWithoutParents(layer, time);
  let { parent } = layer;
  for (let steps = 0; parent !== undefined && steps < MAX_CHAIN_LENGTH; steps++) {
    const above = siblings.find(({ ind }) => ind === parent);
    if (above === undefined) break;
    matrix = multiply(matrixWithoutParents(above, time), matrix);
    ({ parent } = above);
  }
  return matrix;
}

/** @see Lottie specification 1.0.1, "Transform": anchor, scale, skew, rotation, position */
function matrixWithoutParents(layer: LottieNode, time: number): Matrix {
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
  return [position.x, position.y].map((component) => propertyValue(component, time)?.[0] ?? 0);
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
