import { isRecord } from '../../json.ts';
import type { LottieNode } from '../../template/lottie/lottie-node.ts';
import { textStyles } from '../../template/lottie/lottie-slots.ts';
import type { LottieDocument, Scene } from '../../template/scene.ts';
import { filledTextLayers } from '../text/text-layers.ts';

/** An effect that paints a layer in one colour. */
const FILL_EFFECT = 21;
/** The colour of one editable's text is so far from the next one's, of 255. */
const TAG_STEP = 4;
/** As many texts can be told apart. */
export const MOST_TEXTS = Math.floor(255 / TAG_STEP);

/** Four pictures of the same moment tell, of each pixel, how much of it is text, of which text, and what lies behind. */
export interface TextVariants {
  /** As it is. */
  readonly whole: Scene;
  /** Without the texts that editables fill. */
  readonly bare: Scene;
  /** Those texts with red 255 and with red 0; the blue of each says which text it is. */
  readonly bright: Scene;
  readonly dark: Scene;
}

/**
 * The scenes to draw for some texts; the given one is not written to.
 *
 * @param editables keys of the texts, at most `MOST_TEXTS`; all others are hidden in `bright` and `dark`
 */
export function textVariants(scene: Scene, editables: readonly string[]): TextVariants {
  const varied = (change: (layer: LottieNode, editable: string) => void): Scene => {
    const animation: LottieDocument = structuredClone(scene.animation);
    for (const { layer, editable } of filledTextLayers(animation)) change(layer, editable);
    return { ...scene, animation };
  };
  const painted = (red: number): Scene =>
    varied((layer, editable) => {
      const index = editables.indexOf(editable);
      if (index === -1) layer.hd = true;
      else paint(layer, [red, red, ((index + 1) * TAG_STEP) / 255]);
    });
  return {
    whole: scene,
    bare: varied((layer) => {
      layer.hd = true;
    }),
    bright: painted(1),
    dark: painted(0),
  };
}

/** The index of the editable whose text has this blue, 0..255; not whole where several texts lie over each other. */
export function taggedText(blue: number): number {
  return blue / TAG_STEP - 1;
}

function paint(layer: LottieNode, color: readonly number[]): void {
  const { d, a } = layer.t as { d: LottieNode; a?: unknown };
  for (const style of textStyles(d)) {
    style.fc = color;
    if (style.sc !== undefined) style.sc = color;
  }
  for (const animator of Array.isArray(a) ? a : []) {
    const properties = isRecord(animator) && isRecord(animator.a) ? animator.a : {};
    for (const name of ['fc', 'fh', 'fs', 'fb', 'sc', 'sh', 'ss', 'sb']) delete properties[name];
  }
  if (Array.isArray(layer.ef)) layer.ef = layer.ef.filter((effect) => !isRecord(effect) || effect.ty !== FILL_EFFECT);
}
