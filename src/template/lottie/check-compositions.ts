import { isRecord } from '../../json.ts';
import { LAYER_TYPE } from './lottie-node.ts';

/** Levels of JSON, of precompositions within precompositions, and of parents of parents. */
export const MAX_DEPTH = 64;
/** Layers as they are drawn: those of a precomposition count once for each layer that shows it. */
export const MAX_EXPANDED_LAYERS = 20_000;
/** Effects, masks, and shape modifiers of one group: each wraps the one before. */
const MAX_CHAIN = 100;

const MODIFIERS = new Set(['mm', 'tm', 'rd', 'rp', 'zz', 'pb', 'op', 'tw']);

type Layer = Record<string, unknown>;

interface Composition {
  /** JSON pointer of its list of layers. */
  readonly path: string;
  readonly layers: readonly Layer[];
}

/**
 * The problems of an animation's lists of layers and of how they show each other: precompositions that contain themselves,
 * nest too deep or multiply beyond reason; chains of parents, effects, masks or modifiers that native code follows by
 * recursion; layer numbers that stand twice where layers refer to each other by number.
 */
export function checkCompositions(animation: Record<string, unknown>): string[] {
  const root = compositionAt('/layers', animation.layers);
  const assets = Array.isArray(animation.assets) ? animation.assets : [];
  const precompositions = new Map<string, Composition>();
  for (const [index, asset] of assets.entries()) {
    if (isRecord(asset) && asset.layers !== undefined) {
      precompositions.set(String(asset.id), compositionAt(`/assets/${index}/layers`, asset.layers));
    }
  }
  return [
    ...(Array.isArray(animation.layers) ? [] : ['/layers: not a list']),
    ...[root, ...precompositions.values()].flatMap((composition) => checkLayers(composition)),
    ...checkExpansion(root, precompositions),
  ];
}

function compositionAt(path: string, layers: unknown): Composition {
  return { path, layers: Array.isArray(layers) ? layers.filter(isRecord) : [] };
}

/** Follows precompositions from the root: no circle, not too deep, not too many layers in all. */
function checkExpansion(root: Composition, precompositions: ReadonlyMap<string, Composition>): string[] {
  interface Extent {
    readonly layers: number;
    readonly depth: number;
  }
  const extents = new Map<Composition, Extent | 'open'>();
  const problems: string[] = [];

  // Recursion is safe here: it stops at MAX_DEPTH.
  const measure = (composition: Composition, level: number): Extent => {
    const known = extents.get(composition);
    if (known === 'open') {
      problems.push(`${composition.path}: the composition contains itself`);
      return { layers: 0, depth: 0 };
    }
    if (known !== undefined) return known;
    if (level > MAX_DEPTH) return { layers: 0, depth: level };
    extents.set(composition, 'open');
    let [layers, depth] = [0, 0];
    for (const layer of composition.layers) {
      const shown = layer.ty === LAYER_TYPE.precomposition ? precompositions.get(String(layer.refId)) : undefined;
      const extent = shown === undefined ? { layers: 0, depth: 0 } : measure(shown, level + 1);
      layers += 1 + extent.layers;
      depth = Math.max(depth, 1 + extent.depth);
    }
    extents.set(composition, { layers, depth });
    return { layers, depth };
  };

  const { layers, depth } = measure(root, 1);
  if (layers > MAX_EXPANDED_LAYERS) {
    problems.push(`${root.path}: ${layers} layers with those of precompositions, more than ${MAX_EXPANDED_LAYERS}`);
  }
  if (depth > MAX_DEPTH) problems.push(`${root.path}: precompositions nest deeper than ${MAX_DEPTH} levels`);
  return problems;
}

function checkLayers(composition: Composition): string[] {
  const { path, layers } = composition;
  return [...layers.flatMap((layer, index) => checkChains(`${path}/${index}`, layer)), ...checkReferences(composition)];
}

/** @param path of the layer, or of the group within it */
function checkChains(path: string, node: Layer): string[] {
  const problems: string[] = [];
  for (const list of ['ef', 'masksProperties']) {
    const value = node[list];
    if (Array.isArray(value) && value.length > MAX_CHAIN) {
      problems.push(`${path}/${list}: ${value.length} entries, more than ${MAX_CHAIN}`);
    }
  }
  for (const list of ['shapes', 'it']) {
    const items = node[list];
    if (!Array.isArray(items)) continue;
    const modifiers = items.filter((item) => isRecord(item) && MODIFIERS.has(String(item.ty))).length;
    if (modifiers > MAX_CHAIN) problems.push(`${path}/${list}: ${modifiers} modifiers, more than ${MAX_CHAIN}`);
    for (const [index, item] of items.entries()) {
      if (isRecord(item)) problems.push(...checkChains(`${path}/${list}/${index}`, item));
    }
  }
  return problems;
}

/** Parents and mattes, which layers name by `ind`. */
function checkReferences({ path, layers }: Composition): string[] {
  const refers = layers.some((layer) => layer.parent !== undefined || layer.tp !== undefined || layer.tt !== undefined);
  if (!refers) return [];
  const parents = new Map<unknown, unknown>();
  const problems: string[] = [];
  for (const [index, layer] of layers.entries()) {
    if (parents.has(layer.ind) && layer.ind !== undefined) {
      problems.push(`${path}/${index}/ind: ${JSON.stringify(layer.ind)} stands on two layers`);
    }
    parents.set(layer.ind, layer.parent);
  }
  const lengths = new Map<unknown, number>();
  for (const [index, layer] of layers.entries()) {
    if (chainLength(layer.ind, parents, lengths) > MAX_DEPTH) {
      problems.push(`${path}/${index}/parent: a circle of parents, or a chain of more than ${MAX_DEPTH}`);
      break;
    }
  }
  return problems;
}

/** Parents above a layer, counted no further than a little beyond the limit. */
function chainLength(ind: unknown, parents: ReadonlyMap<unknown, unknown>, known: Map<unknown, number>): number {
  const path: unknown[] = [];
  let at = ind;
  while (at !== undefined && at !== null && !known.has(at) && path.length <= MAX_DEPTH) {
    path.push(at);
    at = parents.get(at);
  }
  let length = known.get(at) ?? 0;
  for (const step of path.reverse()) known.set(step, ++length);
  return length;
}
