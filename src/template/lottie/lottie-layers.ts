import { defined } from '../../kernel/defined.ts';
import { isNumberList, isRecord } from '../../kernel/json.ts';
import type { LottieDocument } from '../render-input.ts';

/** A layer and its location. */
export interface LocatedLayer {
  readonly layer: LottieNode;
  /** The designer's name, or the layer's number. */
  readonly name: string;
  /** JSON pointer in the document. */
  readonly pointer: string;
}

/** Returns all layers of a document: those of the animation, then those of its precompositions. */
export function allLayers(animation: LottieDocument): LocatedLayer[] {
  const assets = (animation.assets ?? []).map((asset, index) => layersAt(asset.layers, `/assets/${index}/layers`));
  return [layersAt(animation.layers, '/layers'), ...assets].flat();
}

/** An object within a layer, or the layer itself. */
export interface LocatedNode {
  readonly node: LottieNode;
  readonly pointer: string;
  /** Property names and indices from the layer to the node. */
  readonly path: readonly string[];
  /** Enclosing objects, innermost first. */
  readonly around: readonly LottieNode[];
}

/** Returns every object within a layer, itself first, in document order. Depth is limited by `checkAnimation`. */
export function nodesOf({ layer, pointer }: Pick<LocatedLayer, 'layer' | 'pointer'>): LocatedNode[] {
  const nodes: LocatedNode[] = [];
  const visit = (value: unknown, at: string, path: readonly string[], around: readonly LottieNode[]): void => {
    if (isRecord(value)) nodes.push({ node: value, pointer: at, path, around });
    else if (!Array.isArray(value)) return;
    const inside = isRecord(value) ? [value, ...around] : around;
    for (const [key, child] of Object.entries(value as object)) {
      if (typeof child === 'object') visit(child, `${at}/${key}`, [...path, key], inside);
    }
  };
  visit(layer, pointer, [], []);
  return nodes;
}

/** An item of a list. */
export interface ListPlace {
  readonly items: readonly unknown[];
  readonly index: number;
}

/** Returns the list that contains a node; null if the node is the value of a field. */
export function listAround({ path, around }: LocatedNode): ListPlace | null {
  const items = around[0]?.[path.at(-2)!];
  return Array.isArray(items) ? { items, index: Number(path.at(-1)) } : null;
}

/** Returns whether a property is a constant list of numbers, such as a colour or a position. */
export function isConstantVector(property: unknown): property is LottieNode & { k: number[] } {
  return isRecord(property) && isNumberList(property.k);
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

/** `ty` of a layer. @see Lottie specification 1.0.1, "Layers"; audio layers are an extension of Bodymovin */
export const LAYER_TYPE = { precomposition: 0, solid: 1, image: 2, shape: 4, text: 5, audio: 6 } as const;

/** Transform of a layer that is drawn unchanged. */
export const IDENTITY_TRANSFORM = {
  o: { a: 0, k: 100 },
  r: { a: 0, k: 0 },
  p: { a: 0, k: [0, 0, 0] },
  a: { a: 0, k: [0, 0, 0] },
  s: { a: 0, k: [100, 100, 100] },
};

type Layered = Pick<LottieDocument, 'layers' | 'assets'>;

/** Yields the layers of the animation, then of each precomposition. The layers are not copied. */
export function* layerLists(document: Layered): Generator<readonly LottieNode[]> {
  for (const { layers } of [document, ...(document.assets ?? [])]) {
    if (Array.isArray(layers)) yield layers.filter(isRecord);
  }
}

/** Returns the layers of each precomposition by its id (`refId` in other layers). */
export function precompositions({ assets = [] }: Pick<LottieDocument, 'assets'>): Map<string, readonly LottieNode[]> {
  const lists = new Map<string, readonly LottieNode[]>();
  for (const { id, layers } of assets) if (Array.isArray(layers)) lists.set(id, layers.filter(isRecord));
  return lists;
}

/** Returns a copy of the document with changed lists of layers. Processes precompositions first. */
export function withLayerLists<Document extends Layered>(
  document: Document,
  change: (layers: readonly unknown[]) => unknown[],
): Document {
  const assets = document.assets?.map((asset) =>
    Array.isArray(asset.layers) ? { ...asset, layers: change(asset.layers) } : asset,
  );
  return { ...document, ...defined({ assets }), layers: change(document.layers) };
}

/** Returns a field of a layer if it is a number. */
export function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

/** Returns `ks` of a layer. */
export function transformOf({ ks }: LottieNode): LottieNode {
  return isRecord(ks) ? ks : {};
}

/** Changes the nodes of a list. Returns the list itself if no node changes, and other values as they are. */
export function mapped(list: unknown, change: (node: LottieNode, index: number) => LottieNode): unknown {
  if (!Array.isArray(list)) return list;
  let isChanged = false;
  const changed = list.map((item: unknown, index) => {
    const next = isRecord(item) ? change(item, index) : item;
    if (next !== item) isChanged = true;
    return next;
  });
  return isChanged ? changed : list;
}

/** Returns the objects of a list with their JSON pointers. */
export function records(list: unknown, pointer: string): [LottieNode, string][] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown, index): [LottieNode, string][] =>
    isRecord(item) ? [[item, `${pointer}/${index}`]] : [],
  );
}
