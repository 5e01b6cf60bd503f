import { isRecord } from '../json.ts';
import { type LayerSpan, layerSpans } from '../template/lottie/layer-spans.ts';
import type { LottieNode } from '../template/lottie/lottie-node.ts';
import type { Scene } from '../template/scene.ts';

/** Where each editable of a bound scene is shown: the showings of the layers that hold something it filled, whatever its kind. */
export function editableSpans({ animation }: Pick<Scene, 'animation'>): Map<string, LayerSpan[]> {
  const assets = new Map((animation.assets ?? []).map((asset) => [asset.id, asset]));
  const known = new Map<LottieNode, readonly string[]>();
  const editablesOf = (layer: LottieNode): readonly string[] => {
    const found = known.get(layer) ?? filledWithin(layer, assets.get(String(layer.refId)));
    known.set(layer, found);
    return found;
  };
  const spans = new Map<string, LayerSpan[]>();
  for (const span of layerSpans(animation)) {
    for (const editable of editablesOf(span.layer)) {
      const shown = spans.get(editable);
      if (shown === undefined) spans.set(editable, [span]);
      else shown.push(span);
    }
  }
  return spans;
}

/** Not what lies in a precomposition: its layers are shown by themselves. */
function filledWithin(layer: LottieNode, asset: LottieNode | undefined): string[] {
  const found = new Set<string>();
  // No deeper than `checkAnimation` allows.
  const visit = (value: object): void => {
    if (isRecord(value) && typeof value.editable === 'string') found.add(value.editable);
    for (const child of Array.isArray(value) ? value : Object.values(value)) {
      if (typeof child === 'object' && child !== null) visit(child);
    }
  };
  visit(layer);
  if (asset !== undefined && !Array.isArray(asset.layers)) visit(asset);
  return [...found];
}
