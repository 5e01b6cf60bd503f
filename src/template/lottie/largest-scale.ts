import { isRecord } from '../../is-record.ts';
import type { LayerSpan } from './layer-spans.ts';
import type { LottieNode } from './lottie-node.ts';

/** Layers that follow each other as parents; `checkAnimation` allows no more. */
const LONGEST_CHAIN = 64;

/**
 * How large a layer is ever drawn, as a multiple of its own size: its scale and those of its parents and of the
 * precompositions that it lies in, each at its largest. What a mask or the picture's edge leaves of it is not looked at.
 *
 * @param siblings the layers of each composition, by any layer of it
 */
export function largestScale(span: LayerSpan, siblings: ReadonlyMap<LottieNode, readonly LottieNode[]>): number {
  let scale = 1;
  for (let at: LayerSpan | null = span; at !== null; at = at.within) {
    const around = siblings.get(at.layer) ?? [];
    let layer: LottieNode | undefined = at.layer;
    for (let steps = 0; layer !== undefined && steps < LONGEST_CHAIN; steps++) {
      scale *= ownScale(layer);
      const { parent } = layer as { parent?: unknown };
      layer = parent === undefined ? undefined : around.find(({ ind }) => ind === parent);
    }
  }
  return scale;
}

function ownScale({ ks }: LottieNode): number {
  const scale = isRecord(ks) && isRecord(ks.s) ? ks.s.k : null;
  const values = Array.isArray(scale) ? scale.flatMap(numbersIn) : [];
  return values.length === 0 ? 1 : Math.max(...values.map(Math.abs)) / 100;
}

/** Of a value, or of a keyframe; the depth of a picture is not looked at. */
function numbersIn(part: unknown, index: number): number[] {
  if (typeof part === 'number') return index < 2 ? [part] : [];
  if (!isRecord(part)) return [];
  return [part.s, part.e].flatMap((value) => (Array.isArray(value) ? value.slice(0, 2).filter(Number.isFinite) : []));
}
