import { isDeepStrictEqual } from 'node:util';
import { isNumberList, isRecord } from '../../kernel/json.ts';
import { remembered } from '../../kernel/memory.ts';
import { setMatteEffects } from '../../template/lottie/drawing-form/set-matte.ts';
import { LAYER_TYPE, type LottieNode, layerLists, mapped, transformOf } from '../../template/lottie/lottie-layers.ts';
import type { LottieDocument, RenderInput } from '../../template/render-input.ts';
import { transformOnly } from '../segments/segment-input.ts';
import { hasLayerInput } from '../segments/shown-layers.ts';
import { filledTextLayers, type TextLayer } from '../text/text-layers.ts';

/**
 * Returns whether each text of an editable can be drawn apart from the other layers, because it only lies over those below it and
 * under those above it.
 */
export function areTextsApart(animation: LottieDocument): boolean {
  // With motion blur, and with expressions, any layer may move another.
  if (animation.mb !== undefined || animation.live_expressions === true) return false;
  const texts = filledTextLayers(animation).map(({ layer }) => layer);
  if (!texts.every((text) => animation.layers.includes(text) && !isMatted(text))) return false;
  return ![...layerLists(animation)].some(combines);
}

/** Returns whether a text has only fills, so that it covers the same pixels in any colour, each as far as its opacity. */
export function isPlain({ layer, documents, animators }: TextLayer): boolean {
  const isFilled = documents.every(({ fc, sc, sw }) => fc !== undefined && sc === undefined && sw === undefined);
  const hasOutline = animators.some(({ a }) => isRecord(a) && OUTLINE_FIELDS.some((field) => a[field] !== undefined));
  const hasEffects = [layer.ef, layer.sy].some((effects) => effects !== undefined && !isDeepStrictEqual(effects, []));
  const { o: opacity } = transformOf(layer);
  const [constant = 100] = isRecord(opacity)
    ? isNumberList(opacity.k)
      ? opacity.k
      : [opacity.k].filter(isNumber)
    : [];
  const isTranslucent = constant !== 100;
  return isFilled && !hasOutline && !hasEffects && !isTranslucent;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

const OUTLINE_FIELDS = ['sc', 'sh', 'ss', 'sb', 'sw', 'so'];

/** Restricts an input to a text, and to what moves it. @param isMasked false to draw it without its masks */
export function withTextAlone(renderInput: RenderInput, text: LottieNode, isMasked: boolean): RenderInput {
  const { animation } = renderInput;
  const kept = withParents(animation.layers, new Set([text]));
  // A text on a path follows a mask, which therefore stays without masking.
  const unmasked = () => ({
    ...text,
    masksProperties: mapped(text.masksProperties, (mask) => ({ ...mask, mode: 'n' })),
  });
  const layers = isMasked ? kept : kept.map((layer) => (layer === text ? unmasked() : layer));
  return { ...renderInput, animation: { ...animation, layers } };
}

/** Restricts an input to the layers above a text, without the texts of editables. */
export function withLayersAbove(renderInput: RenderInput, text: LottieNode): RenderInput {
  const { animation } = renderInput;
  const end = animation.layers.indexOf(text);
  const texts = new Set<unknown>(filledTextLayers(animation).map(({ layer }) => layer));
  const kept = animation.layers.filter((layer: unknown, at) => {
    // A named matte may be anywhere, and is not drawn itself.
    return isRecord(layer) && Number(layer.td) > 0 ? true : at < end && !texts.has(layer);
  });
  return { ...renderInput, animation: { ...animation, layers: withParents(animation.layers, new Set(kept)) } };
}

const [NULL_LAYER, CAMERA] = [3, 13];
const UNPAINTED_TYPES: ReadonlySet<unknown> = new Set([NULL_LAYER, CAMERA, LAYER_TYPE.audio]);

/** Returns whether layers of an animation may paint pixels. */
export function paints({ layers }: LottieDocument): boolean {
  return layers.some((layer: unknown) => !isRecord(layer) || !UNPAINTED_TYPES.has(layer.ty));
}

/**
 * Returns how far animators may move the ink of a text from where its layout places it, in pixels of the layer. Infinity if it may be
 * anywhere.
 */
export function reachOf({ animators }: TextLayer, size: number): number {
  return animators.reduce((sum, { a: properties }) => {
    const { p, a, s, r, sk, bl, t } = isRecord(properties) ? properties : {};
    if (t !== undefined) return Infinity;
    const turned = [r, sk].some((property) => property !== undefined) ? 2 * size : 0;
    const scaled = s === undefined ? 0 : (largest(s) / 100) * size;
    const blurred = bl === undefined ? 0 : BLUR_REACH * largest(bl);
    return sum + turned + scaled + blurred + (p === undefined ? 0 : largest(p)) + (a === undefined ? 0 : largest(a));
  }, 0);
}

/** Distance that a blur reaches, in its radius. */
const BLUR_REACH = 3;

/** Returns the largest number of a property, at any time, regardless of its sign. */
function largest(property: unknown): number {
  if (!isRecord(property)) return Infinity;
  const { k } = property;
  if (typeof k === 'number') return Math.abs(k);
  if (isNumberList(k)) return length(k);
  if (!Array.isArray(k)) return Infinity;
  return k.reduce((most: number, key: unknown) => {
    const values = isRecord(key) ? [key.s, key.e].filter((value) => value !== undefined) : [null];
    return Math.max(most, ...values.map((value) => (isNumberList(value) ? length(value) : Infinity)));
  }, 0);
}

function length(vector: readonly number[]): number {
  return Math.hypot(...vector);
}

/** Keeps some layers, and of others what moves them. */
function withParents(layers: readonly unknown[], kept: ReadonlySet<unknown>): unknown[] {
  const parents = new Set<unknown>();
  const add = (layer: unknown): void => {
    if (!isRecord(layer) || layer.parent === undefined || parents.has(layer.parent)) return;
    parents.add(layer.parent);
    for (const sibling of layers) if (isRecord(sibling) && sibling.ind === layer.parent) add(sibling);
  };
  for (const layer of kept) add(layer);
  return layers.flatMap((layer) => {
    if (kept.has(layer) || !isRecord(layer) || layer.ty === CAMERA) return [layer];
    return parents.has(layer.ind) ? [transformOnly(layer)] : [];
  });
}

function isMatted({ tt, tp, td }: LottieNode): boolean {
  return [tt, tp, td].some((field) => field !== undefined && field !== 0);
}

/** Returns whether a layer of a list blends with other layers or reads them, other than as a matte. */
function combines(layers: readonly LottieNode[]): boolean {
  return setMatteEffects(layers).length > 0 || layers.some((layer) => hasLayerInput(layer.ef) || hasBlendMode(layer));
}

/** Returns whether a layer, or a shape or style of it, has a blend mode. */
const hasBlendMode = remembered((layer: LottieNode): boolean => /"bm":(?!0[,}])/.test(JSON.stringify(layer)));
