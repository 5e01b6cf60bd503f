import { isRecord } from '../../json.ts';
import type { LottieDocument } from '../scene.ts';
import type { LottieNode } from './lottie-node.ts';

/** A layer and where it stands. */
export interface LayerPlace {
  readonly layer: LottieNode;
  /** What its designer calls it; its number where it has no name. */
  readonly name: string;
  /** JSON pointer in the document. */
  readonly pointer: string;
}

/** All layers of a document: its own, then those of its precompositions. */
export function allLayers(animation: LottieDocument): LayerPlace[] {
  const assets = (animation.assets ?? []).map((asset, index) => listed(asset.layers, `/assets/${index}/layers`));
  return [listed(animation.layers, '/layers'), ...assets].flat();
}

/** Something inside a layer, or a layer itself. */
export interface NodePlace {
  readonly node: LottieNode;
  readonly pointer: string;
  /** The names and indices that lead to it from the layer. */
  readonly path: readonly string[];
  /** What it lies in, the nearest first. */
  readonly around: readonly LottieNode[];
}

/** Every object within a layer, itself first, in document order. The document is no deeper than `checkAnimation` allows. */
export function nodesOf({ layer, pointer }: Pick<LayerPlace, 'layer' | 'pointer'>): NodePlace[] {
  const places: NodePlace[] = [];
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
export function isStill(property: unknown): property is LottieNode & { k: number[] } {
  return isRecord(property) && Array.isArray(property.k) && property.k.every((one) => typeof one === 'number');
}

function listed(layers: unknown, pointer: string): LayerPlace[] {
  if (!Array.isArray(layers)) return [];
  return layers.flatMap((layer: unknown, index) => {
    if (!isRecord(layer)) return [];
    const name = typeof layer.nm === 'string' && layer.nm.trim() !== '' ? layer.nm : `layer ${layer.ind ?? index + 1}`;
    return [{ layer, name, pointer: `${pointer}/${index}` }];
  });
}
