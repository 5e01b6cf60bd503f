import { isRecord } from '../../kernel/json.ts';
import { hasKeyframes } from '../lottie/drawing-form/animated-flag.ts';
import { allLayers, LAYER_TYPE, type LottieNode, nodesOf } from '../lottie/lottie-layers.ts';
import { textStyles } from '../lottie/slots/lottie-slots.ts';
import type { LottieDocument } from '../render-input.ts';
import { TEXT_RECTS, type TextRect } from './player-protocol.ts';

/** Average advance of a character, and the height of its ink, in ems. */
const ADVANCE = 0.52;
const ASCENT = 0.75;
/** Factors of the measures of texts; 1 keeps the example values. An expression that ignores the measures has the same value for all factors. */
const SCALES = [1, 4, 0.1] as const;
const DEPENDENT = /\bsourceRectAtTime\b|\bsourceText\b|\beffect\b/;

/**
 * Returns an animation with the example values of its editables, and with different values if it has expressions that may depend
 * on them. Texts have estimated measures; each video measures its texts.
 *
 * @param animation with numbered expressions
 */
export function exampleVariants(
  animation: LottieDocument,
  expressions: readonly { readonly node: { readonly x: string } }[],
): LottieDocument[] {
  if (!expressions.some(({ node }) => DEPENDENT.test(node.x))) return [animation];
  return SCALES.map((scale) => {
    const variant = structuredClone(animation);
    for (const { layer } of allLayers(variant)) {
      const text = layer.ty === LAYER_TYPE.text && isRecord(layer.t) && isRecord(layer.t.d) ? layer.t.d : null;
      // The measures are those of the example text, which a variant replaces afterwards.
      if (text !== null) layer[TEXT_RECTS] = estimatedRects(text, scale);
      if (scale === 1) continue;
      for (const style of text === null ? [] : textStyles(text)) style.t = scale > 1 ? style.t.repeat(2) : '';
      for (const { node } of nodesOf({ layer: { ef: layer.ef }, pointer: '' })) changeControl(node, scale);
    }
    return variant;
  });
}

function estimatedRects(data: LottieNode, scale: number): TextRect[] {
  const frames = Array.isArray(data.k) ? data.k.filter(isRecord) : [];
  return frames.flatMap(({ t, s: style }) => {
    if (!isRecord(style)) return [];
    const size = Number(style.s) || 0;
    const lines = String(style.t ?? '').split('\r');
    const width = Math.max(...lines.map((line) => line.length)) * ADVANCE * size * scale;
    const left = style.j === 2 ? -width / 2 : style.j === 1 ? -width : 0;
    const height = (ASCENT * size + (lines.length - 1) * (Number(style.lh) || size)) * scale;
    return [{ t: Number(t) || 0, left, top: -ASCENT * size, width, height }];
  });
}

/** Changes the value of an expression control that is named as an editable. */
function changeControl(effect: LottieNode, scale: number): void {
  const control = namedControl(effect);
  if (control === null) return;
  const { kind, node } = control;
  const change = (value: number): number => (value === 0 ? scale : value * scale);
  const changeColor = (value: unknown, channel: number): unknown =>
    channel === 3 ? value : scale > 1 ? 1 - Number(value) : 0.33;
  if (typeof node.k === 'number') node.k = change(node.k);
  else if (Array.isArray(node.k))
    node.k = node.k.map(kind === 'color' ? changeColor : (number) => change(Number(number)));
}

/** Kinds of editables that expression controls can be, by match name, and the names of such controls. */
const CONTROLS: Readonly<Record<string, { readonly kind: 'color' | 'number' | 'point'; readonly name: RegExp }>> = {
  'ADBE Color Control': { kind: 'color', name: /^c_\d{2,}(?!\w)/ },
  'ADBE Slider Control': { kind: 'number', name: /^n_\d{2,}(?!\w)/ },
  'ADBE Angle Control': { kind: 'number', name: /^n_\d{2,}(?!\w)/ },
  'ADBE Checkbox Control': { kind: 'number', name: /^n_\d{2,}(?!\w)/ },
  'ADBE Point Control': { kind: 'point', name: /^p_\d{2,}(?!\w)/ },
};

/** An expression control that is named as an editable. */
interface NamedControl {
  readonly kind: 'color' | 'number' | 'point';
  /** The property with its value. */
  readonly node: LottieNode;
}

/** Returns the control that an effect is; null for any other node and for animated controls. */
export function namedControl({ nm, mn, ef }: LottieNode): NamedControl | null {
  const control = typeof mn === 'string' && Object.hasOwn(CONTROLS, mn) ? CONTROLS[mn]! : null;
  if (control === null || typeof nm !== 'string' || !control.name.test(nm) || !Array.isArray(ef)) return null;
  const [first] = ef;
  if (!isRecord(first) || !isRecord(first.v) || hasKeyframes(first.v.k)) return null;
  return { kind: control.kind, node: first.v };
}
