import { isRecord } from '../../json.ts';
import type { LottieDocument } from '../scene.ts';
import type { LottieNode } from './lottie-node.ts';

type Layered = Pick<LottieDocument, 'layers' | 'assets'>;

/** Lists of layers: the animation's own, then those of its precompositions. The layers are the document's own. */
export function* layerLists(document: Layered): Generator<readonly LottieNode[]> {
  for (const { layers } of [document, ...(document.assets ?? [])]) {
    if (Array.isArray(layers)) yield layers.filter(isRecord);
  }
}

/** The layers of each precomposition, by the id that other layers show it by (`refId`). */
export function precompositions({ assets = [] }: Pick<LottieDocument, 'assets'>): Map<string, readonly LottieNode[]> {
  const lists = new Map<string, readonly LottieNode[]>();
  for (const { id, layers } of assets) if (Array.isArray(layers)) lists.set(id, layers.filter(isRecord));
  return lists;
}

/** The same document with other layers in each of its lists, those of its precompositions first. */
export function withLayerLists<Document extends Layered>(
  document: Document,
  change: (layers: readonly unknown[]) => unknown[],
): Document {
  const assets = document.assets?.map((asset) =>
    Array.isArray(asset.layers) ? { ...asset, layers: change(asset.layers) } : asset,
  );
  return { ...document, ...(assets === undefined ? {} : { assets }), layers: change(document.layers) };
}
