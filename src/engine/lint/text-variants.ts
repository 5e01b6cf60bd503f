import { isRecord } from '../../kernel/json.ts';
import { hasKeyframes } from '../../template/lottie/drawing-form/animated-flag.ts';
import {
  LAYER_TYPE,
  type LottieNode,
  layerLists,
  mapped,
  transformOf,
  withLayerLists,
} from '../../template/lottie/lottie-layers.ts';
import { textStyles } from '../../template/lottie/slots/lottie-slots.ts';
import type { LottieDocument, RenderInput } from '../../template/render-input.ts';
import { filledTextLayers } from '../text/text-layers.ts';

/** Lottie's Fill effect, which paints a layer in a single colour. */
const FILL_EFFECT = 21;
/** Bodymovin's number of the Drop Shadow effect. */
const DROP_SHADOW_EFFECT = 25;
/** Number of texts that can be distinguished by their blue values. */
export const MAX_TEXTS = 60;

/**
 * Versions of an input. Their pictures show, for each pixel, its coverage by text, the text, the background, and the coverage that
 * nothing reduces.
 *
 * - `whole`: the unchanged input
 * - `bare`: without the texts of editables
 * - `bright`, `dark`: with those texts painted with red 255 and red 0; the blue value identifies the text
 * - `alone`: `bright` on black, without all other layers, masks and mattes
 */
export type TextVariant = 'whole' | 'bare' | 'bright' | 'dark' | 'alone';

/**
 * Builds an input to draw. Does not modify `renderInput`.
 *
 * @param editables keys of the texts, at most `MAX_TEXTS`; all others are hidden in `bright` and `dark`
 */
export function textVariant(renderInput: RenderInput, variant: TextVariant, editables: readonly string[]): RenderInput {
  const painted = (red: number): RenderInput =>
    varied(renderInput, (layer, editable) => {
      const index = editables.indexOf(editable);
      if (index === -1) hide(layer);
      else paint(layer, [red, red, ((index + 1) * tagStepOf(editables)) / 255]);
    });
  switch (variant) {
    case 'whole':
      return renderInput;
    case 'bare':
      return withoutTexts(renderInput);
    case 'bright':
      return painted(1);
    case 'dark':
      return painted(0);
    case 'alone':
      return withTextsAlone(painted(1));
  }
}

/** Returns the distance between the blue values of consecutive texts, of 255. */
export function tagStepOf({ length }: readonly string[]): number {
  return Math.floor(255 / (length + 1));
}

/** Returns a copy of an input without the texts of editables, which does not depend on their words. */
export function withoutTexts(renderInput: RenderInput): RenderInput {
  return varied(renderInput, (layer) => {
    hide(layer);
    const { d: data } = isRecord(layer.t) ? layer.t : {};
    for (const style of isRecord(data) ? textStyles(data) : []) style.t = '';
  });
}

/**
 * Returns a copy of an input, in which `change` has been applied to the texts of editables and the layers that they shape. All
 * other layers stay the same objects.
 */
function varied(renderInput: RenderInput, change: (layer: LottieNode, editable: string) => void): RenderInput {
  const { animation } = renderInput;
  const matted = mattedLayers(animation);
  const copies = new Map<unknown, LottieNode>();
  for (const { layer, editable } of filledTextLayers(animation)) {
    for (const changed of [layer, ...(matted.get(layer) ?? [])]) {
      const copy = copies.get(changed) ?? structuredClone(changed);
      copies.set(changed, copy);
      change(copy, editable);
    }
  }
  const copyOf = (layers: readonly unknown[]) => layers.map((layer) => copies.get(layer) ?? layer);
  return { ...renderInput, animation: withLayerLists(animation, copyOf) };
}

/**
 * Hides all layers but texts, and removes masks and mattes. Also hides the texts that are mattes, because they shape other layers,
 * and those that are blended with the picture, because their coverage cannot be compared.
 */
function withTextsAlone(renderInput: RenderInput): RenderInput {
  const { animation } = renderInput;
  const texts = new Set<unknown>(filledTextLayers(animation).map(({ layer }) => layer));
  const alone = (layer: LottieNode): LottieNode => {
    const copy = { ...layer };
    const isText = texts.has(layer) || layer.ty === LAYER_TYPE.precomposition;
    if (!isText || layer.td === 1 || Number(layer.bm ?? 0) !== 0) hide(copy);
    for (const field of ['tt', 'tp', 'td']) delete copy[field];
    // A text on a path follows a mask, which therefore stays without masking.
    copy.masksProperties = mapped(layer.masksProperties, (mask) => ({ ...mask, mode: 'n' }));
    if (copy.masksProperties === undefined) delete copy.masksProperties;
    return copy;
  };
  return { ...renderInput, animation: withLayerLists(animation, (layers) => mapped(layers, alone) as unknown[]) };
}

/** Hides a layer. A matte shapes other layers even if it is hidden, but not if it is transparent. */
function hide(layer: LottieNode): void {
  layer.hd = true;
  layer.ks = { ...transformOf(layer), o: { a: 0, k: 0 } };
}

/** Returns the layers that each matte shapes. */
function mattedLayers(animation: LottieDocument): Map<LottieNode, LottieNode[]> {
  const matted = new Map<LottieNode, LottieNode[]>();
  for (const layers of layerLists(animation)) {
    for (const [index, matte] of layers.entries()) {
      if (matte.td !== 1) continue;
      const shown = layers.filter(
        ({ tt, tp }, at) => Number(tt ?? 0) > 0 && (tp === undefined ? at === index + 1 : tp === matte.ind),
      );
      matted.set(matte, shown);
    }
  }
  return matted;
}

/** Paints the letters of a layer in a colour and makes them opaque; removes outlines, shadows and glows. */
function paint(layer: LottieNode, color: readonly number[]): void {
  if (!isRecord(layer.t)) {
    layer.ef = [fillEffect(color)];
    return;
  }
  const { d: data, a: animators } = layer.t as { d: LottieNode; a?: unknown };
  for (const style of textStyles(data)) {
    // A text that has only an outline is painted by its outline.
    if (style.fc === undefined && style.sc !== undefined) style.sc = color;
    else {
      style.fc = color;
      delete style.sc;
    }
  }
  for (const animator of Array.isArray(animators) ? animators : []) {
    const properties = isRecord(animator) && isRecord(animator.a) ? animator.a : {};
    for (const name of ['fc', 'fh', 'fs', 'fb', 'sc', 'sh', 'ss', 'sb', 'sw']) delete properties[name];
  }
  const isRemoved = ({ ty }: LottieNode) => ty === FILL_EFFECT || ty === DROP_SHADOW_EFFECT;
  if (Array.isArray(layer.ef)) layer.ef = layer.ef.filter((effect) => !isRecord(effect) || !isRemoved(effect));
  delete layer.sy;
  const { o: opacity } = transformOf(layer);
  if (isRecord(opacity) && !hasKeyframes(opacity.k)) layer.ks = { ...transformOf(layer), o: { a: 0, k: 100 } };
}

/** Returns Lottie's Fill effect: mask, all masks, colour, inversion, feathers, opacity. */
function fillEffect(color: readonly number[]): LottieNode {
  const values = [0, 0, [...color, 1], 0, 0, 0, 1];
  const properties = values.map((value, index) => ({ ty: index === 2 ? 2 : 0, v: { a: 0, k: value } }));
  return { ty: FILL_EFFECT, en: 1, ef: properties };
}
