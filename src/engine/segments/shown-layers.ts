import { isRecord } from '../../kernel/json.ts';
import { LAYER_TYPE, type LottieNode } from '../../template/lottie/lottie-layers.ts';
import type { LottieDocument } from '../../template/render-input.ts';

/** Frames of a composition's own time, both ends included. */
export interface Times {
  readonly from: number;
  readonly to: number;
}

/** The layers of an animation that can affect some of its frames. */
export interface ShownLayers {
  /** Layers that may be drawn, or that affect the shape of a drawn layer. */
  readonly drawn: ReadonlySet<object>;
  /** Direct and indirect parents of drawn layers, which move them even outside their own time. */
  readonly moving: ReadonlySet<object>;
  /** Ids of the compositions that drawn layers show. */
  readonly compositions: ReadonlySet<string>;
}

/**
 * Tolerance in frames for fractional times, which the rasteriser stores as 32-bit numbers. Whole times are exact.
 */
const MARGIN = 0.05;
const ALWAYS: Times = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
/** Limit for visited layers, counted wherever they are shown. An animation with more is kept whole. */
const MAX_VISITS = 100_000;
/** Types of layers with an effect only between in and out point. Others (cameras, lights, unknown) may affect layers at any time. */
const TIMED_TYPES: ReadonlySet<unknown> = new Set([0, 1, 2, 3, 4, 5, 6]);
const LAYER_INPUT = 10;

/**
 * Finds the layers that may be visible at some times of an animation.
 *
 * @param intervals in frames of the animation, counted like `ip`
 * @returns null if the analysis is impossible, so that any layer may be visible
 */
export function shownLayers(animation: LottieDocument, intervals: readonly Times[]): ShownLayers | null {
  // With motion blur, a frame depends on the times around it.
  if (animation.mb !== undefined) return null;
  const finder = new Finder(animation);
  for (const id of glyphCompositions(animation)) finder.visitComposition(id, ALWAYS);
  const { op } = animation;
  for (const { from, to } of intervals) {
    finder.visit(animation.layers, { from: Math.min(from, op - MARGIN), to: Math.min(to, op) });
  }
  return finder.isExhausted ? null : finder;
}

class Finder implements ShownLayers {
  readonly drawn = new Set<object>();
  readonly moving = new Set<object>();
  readonly compositions = new Set<string>();
  readonly #layersOf: ReadonlyMap<string, readonly unknown[]>;
  /** Layers that are kept with all of their content, regardless of the time. */
  readonly #whole = new Set<object>();
  #visits = 0;

  constructor({ assets = [] }: LottieDocument) {
    this.#layersOf = new Map(assets.flatMap(({ id, layers }) => (Array.isArray(layers) ? [[id, layers]] : [])));
  }

  get isExhausted(): boolean {
    return this.#visits > MAX_VISITS;
  }

  visit(layers: readonly unknown[], times: Times): void {
    for (const [index, layer] of layers.entries()) {
      this.#visits += 1;
      if (this.isExhausted) return;
      if (!isRecord(layer)) continue;
      if (!TIMED_TYPES.has(layer.ty)) this.#keepWhole(layers, index);
      else if (isShown(layer, times)) this.#keep(layers, index, times);
    }
  }

  visitComposition(id: string, times: Times): void {
    const layers = this.#layersOf.get(id);
    if (layers === undefined) return;
    this.compositions.add(id);
    this.visit(layers, times);
  }

  /** Keeps a layer and all layers that affect how it is drawn. */
  #keep(layers: readonly unknown[], index: number, times: Times): void {
    const layer = layers[index] as LottieNode;
    this.drawn.add(layer);
    this.#keepParents(layers, layer);
    // The matte is the previous layer, or in newer documents a named layer. It has an effect even outside its own time.
    if (layer.tt !== undefined || layer.tp !== undefined) {
      this.#keepWhole(layers, index - 1);
      for (const at of indices(layers, layer.tp)) this.#keepWhole(layers, at);
    }
    if (hasLayerInput(layer.ef)) for (const at of layers.keys()) this.#keepWhole(layers, at);
    const isComposition = layer.ty === LAYER_TYPE.precomposition;
    this.visitComposition(String(layer.refId), isComposition ? timesInside(layer, times) : ALWAYS);
  }

  #keepWhole(layers: readonly unknown[], index: number): void {
    const layer = layers[index];
    if (!isRecord(layer) || this.#whole.has(layer)) return;
    this.#whole.add(layer);
    this.#keep(layers, index, ALWAYS);
  }

  #keepParents(layers: readonly unknown[], { parent }: LottieNode): void {
    for (const at of indices(layers, parent)) {
      const layer = layers[at] as LottieNode;
      if (this.moving.has(layer)) continue;
      this.moving.add(layer);
      this.#keepParents(layers, layer);
    }
  }
}

/** Returns the compositions shown by glyphs of an embedded font. */
function glyphCompositions({ chars }: LottieDocument): string[] {
  if (!Array.isArray(chars)) return [];
  return chars.flatMap((char) => (isRecord(char) && isRecord(char.data) ? [String(char.data.refId)] : []));
}

function indices(layers: readonly unknown[], number: unknown): number[] {
  if (number === undefined || number === null) return [];
  return layers.flatMap((layer, at) => (isRecord(layer) && layer.ind === number ? [at] : []));
}

/** Returns whether a layer may be visible at some times: between its in and out point, which may be reversed. */
function isShown({ ip, op }: LottieNode, { from, to }: Times): boolean {
  if (typeof ip !== 'number' || typeof op !== 'number') return true;
  const margin = [ip, op, from, to].every(isExact) ? 0 : MARGIN;
  if (op < ip) return to > op - margin && from <= ip + margin;
  return to >= ip - margin && from < op + margin;
}

/** Returns the times of a layer's composition while the layer is visible. */
function timesInside(layer: LottieNode, { from, to }: Times): Times {
  const { ip, op, st = 0, sr = 1, tm } = layer;
  // The composition of a layer that is kept whole is kept whole too.
  if (from === ALWAYS.from && to === ALWAYS.to) return ALWAYS;
  if (isCompositedAsGroup(layer)) return ALWAYS;
  if (tm !== undefined || typeof st !== 'number' || typeof sr !== 'number' || sr === 0) return ALWAYS;
  const [start, end] =
    typeof ip === 'number' && typeof op === 'number' ? [Math.min(ip, op), Math.max(ip, op)] : [from, to];
  const ends = [Math.max(from, start), Math.min(to, end)].map((time) => (time - st) / sr);
  const isWhole = sr === 1 && [from, to, start, end, st].every(isExact);
  const margin = isWhole ? 0 : MARGIN + MARGIN / Math.abs(sr);
  return { from: Math.min(...ends) - margin, to: Math.max(...ends) + margin };
}

/**
 * Returns whether the rasteriser may composite a layer's composition as a group, for instance because of a mask or opacity. It then
 * chooses between two ways, which round differently, depending on whether any layers overlap, even those outside their time.
 */
function isCompositedAsGroup({ ks, bm, tt, tp, td, ef, sy, hasMask, masksProperties }: LottieNode): boolean {
  const isPlain = (value: unknown): boolean => !value || (Array.isArray(value) && value.length === 0);
  return ![bm, tt, tp, td, ef, sy, hasMask, masksProperties].every(isPlain) || !isOpaque(ks);
}

function isOpaque(transform: unknown): boolean {
  const opacity = isRecord(transform) ? transform.o : undefined;
  if (opacity === undefined) return true;
  if (!isRecord(opacity)) return false;
  return opacity.k === 100 || (Array.isArray(opacity.k) && opacity.k.length === 1 && opacity.k[0] === 100);
}

/** Returns whether 32-bit floats represent a time exactly, and its sums and differences with other such times. */
function isExact(time: number): boolean {
  return Math.abs(time) === Number.POSITIVE_INFINITY || (Number.isInteger(time) && Math.abs(time) < 2 ** 22);
}

/** Returns whether an effect may read another layer of the composition. */
export function hasLayerInput(effects: unknown): boolean {
  if (!Array.isArray(effects)) return isRecord(effects);
  return effects.some((effect) => isRecord(effect) && (effect.ty === LAYER_INPUT || hasNestedInput(effect.ef)));
}

function hasNestedInput(values: unknown): boolean {
  return Array.isArray(values) && hasLayerInput(values);
}
