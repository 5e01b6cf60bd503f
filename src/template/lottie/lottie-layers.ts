import { isRecord } from '../../json.ts';
import type { LottieDocument } from '../scene.ts';

/** A layer and where it stands. */
export interface LocatedLayer {
  readonly layer: LottieNode;
  /** What its designer calls it; its number where it has no name. */
  readonly name: string;
  /** JSON pointer in the document. */
  readonly pointer: string;
}

/** All layers of a document: its own, then those of its precompositions. */
export function allLayers(animation: LottieDocument): LocatedLayer[] {
  const assets = (animation.assets ?? []).map((asset, index) => layersAt(asset.layers, `/assets/${index}/layers`));
  return [layersAt(animation.layers, '/layers'), ...assets].flat();
}

/** Something inside a layer, or a layer itself. */
export interface LocatedNode {
  readonly node: LottieNode;
  readonly pointer: string;
  /** The names and indices that lead to it from the layer. */
  readonly path: readonly string[];
  /** What it lies in, the nearest first. */
  readonly around: readonly LottieNode[];
}

/** Every object within a layer, itself first, in document order. The document is no deeper than `checkAnimation` allows. */
export function nodesOf({ layer, pointer }: Pick<LocatedLayer, 'layer' | 'pointer'>): LocatedNode[] {
  const places: LocatedNode[] = [];
  const visit = (value: unknown, at: string, path: readonly string[], around: readonly LottieNode[]): void => {
    if (isRecord(value)) places.push({ node: value, pointer: at, path, around });
    else if (!Array.isArray(value)) return;
    const inside = isRecord(value) ? [value, ...around] : around;
    for (const [key, child] of Object.entries(value as object)) {
      if (typeof child === 'object') visit(child, `${at}/${key}`, [...path, key], inside);
    }
  };
  visit(layer, pointer, [], []);
  return places;
}

/** Whether a property has one value for all times, a list of numbers: a colour, a place. */
export function isConstantVector(property: unknown): property is LottieNode & { k: number[] } {
  return isRecord(property) && Array.isArray(property.k) && property.k.every((one) => typeof one === 'number');
}

function layersAt(layers: unknown, pointer: string): LocatedLayer[] {
  if (!Array.isArray(layers)) return [];
  return layers.flatMap((layer: unknown, index) => {
    if (!isRecord(layer)) return [];
    const name = typeof layer.nm === 'string' && layer.nm.trim() !== '' ? layer.nm : `layer ${layer.ind ?? index + 1}`;
    return [{ layer, name, pointer: `${pointer}/${index}` }];
  });
}

/** A JSON object inside a Lottie document. */
export type LottieNode = Record<string, unknown>;

/** `ty` of a layer. @see Lottie specification 1.0.1, "Layers"; layers that are heard, not seen, are Bodymovin's */
export const LAYER_TYPE = { precomposition: 0, solid: 1, image: 2, text: 5, audio: 6 } as const;

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
