import { isRecord } from '../../json.ts';
import { allLayers, LAYER_TYPE, type LottieNode, nodesOf } from '../lottie/lottie-layers.ts';
import { textStyles } from '../lottie/lottie-slots.ts';
import type { LottieDocument } from '../scene.ts';
import { TEXT_RECTS, type TextRect } from './player-protocol.ts';

/** Average advance of a character, and the height of its ink, in ems. */
const ADVANCE = 0.52;
const ASCENT = 0.75;
/** Factors of the measures of texts. An expression that ignores the measures has the same value for all factors. */
const SCALES = [1, 4, 0.1] as const;
const DEPENDENT = /\bsourceRectAtTime\b|\bsourceText\b|\beffect\b/;

/**
 * Returns an animation with the example values of its editables, and with others if it has expressions that may depend
 * on them. Texts have estimated measures; each video measures its own.
 *
 * @param animation with numbered expressions
 */
export function exampleVariants(
  animation: LottieDocument,
  expressions: readonly { readonly node: { readonly x: string } }[],
): LottieDocument[] {
  if (!expressions.some(({ node }) => DEPENDENT.test(node.x))) return [animation];
  return SCALES.map((scale, index) => {
    const variant = structuredClone(animation);
    for (const place of allLayers(variant)) {
      const { layer } = place;
      if (layer.ty === LAYER_TYPE.text && isRecord(layer.t) && isRecord(layer.t.d)) {
        layer[TEXT_RECTS] = estimatedRects(layer.t.d, scale);
        if (index > 0) for (const style of textStyles(layer.t.d)) style.t = scale > 1 ? style.t.repeat(2) : '';
      }
      if (index > 0) for (const { node } of nodesOf({ ...place, layer: { ef: layer.ef } })) changeControl(node, scale);
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
  if (typeof node.k === 'number') node.k = change(node.k);
  else if (Array.isArray(node.k) && kind !== 'color') node.k = node.k.map((one) => change(Number(one)));
  else if (Array.isArray(node.k))
    node.k = node.k.map((one, at) => (at === 3 ? one : scale > 1 ? 1 - Number(one) : 0.33));
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

/** Returns the control that an effect is; null for any other node, and for one that is animated. */
export function namedControl({ nm, mn, ef }: LottieNode): NamedControl | null {
  const control = typeof mn === 'string' && Object.hasOwn(CONTROLS, mn) ? CONTROLS[mn]! : null;
  if (control === null || typeof nm !== 'string' || !control.name.test(nm) || !Array.isArray(ef)) return null;
  const [first] = ef;
  if (!isRecord(first) || !isRecord(first.v) || first.v.a === 1) return null;
  return { kind: control.kind, node: first.v };
}
