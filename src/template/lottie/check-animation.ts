import { MAX_SIDE_PIXELS } from '../../contract/fields/output-fields.ts';
import { present } from '../../kernel/defined.ts';
import { isRecord } from '../../kernel/json.ts';
import { LAYER_TYPE } from './lottie-layers.ts';

export interface CheckAnimationOptions {
  /** Ids of image assets whose bytes are passed beside the animation, so that their paths are ignored. */
  readonly suppliedAssets?: ReadonlySet<string>;
  /** Names (`fName`) of fonts whose bytes are passed beside the animation. */
  readonly suppliedFonts?: ReadonlySet<string>;
  /** True if it is known to have at most `MAX_DEPTH` levels. */
  readonly isShallow?: boolean;
}

export const MAX_DURATION_SECONDS = 600;

/**
 * Returns the problems that make an animation unsafe or meaningless to draw, each with its JSON pointer. Limits depth
 * and size, because native code crashes or exhausts memory beyond them without an error. Rejects external paths,
 * because nothing outside the document may be read. Does not judge the picture. Accepts any value.
 *
 * @see Lottie specification 1.0.1: "Animation", "Layers", "Assets"
 */
export function checkAnimation(animation: unknown, options: CheckAnimationOptions = {}): string[] {
  if (!isRecord(animation)) return ['/: an animation must be an object'];
  if (options.isShallow !== true && isTooDeep(animation))
    return [`${findTooDeep(animation)}: nested deeper than ${MAX_DEPTH} levels`];
  return [
    ...checkTiming(animation),
    ...checkSize(animation),
    ...checkCompositions(animation),
    ...checkAssets(animation, options.suppliedAssets ?? new Set()),
    ...checkFonts(animation, options.suppliedFonts ?? new Set()),
  ];
}

/** Walks without paths, lists or iterators, because there may be hundreds of thousands of values. Recursion stops at MAX_DEPTH. */
function isTooDeep(value: unknown, depth = 1): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth > MAX_DEPTH) return true;
  if (Array.isArray(value)) {
    // Most lists are of numbers.
    for (let index = 0; index < value.length; index++) {
      if (typeof value[index] === 'object' && isTooDeep(value[index], depth + 1)) return true;
    }
    return false;
  }
  const keys = Object.keys(value);
  for (let index = 0; index < keys.length; index++) {
    if (isTooDeep((value as Record<string, unknown>)[keys[index]!], depth + 1)) return true;
  }
  return false;
}

/** Returns the first path that is too deep. Walks without recursion, which such a file could exhaust. */
function findTooDeep(root: object): string | undefined {
  const open: { value: object; depth: number; path: string }[] = [{ value: root, depth: 1, path: '' }];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if (item.depth > MAX_DEPTH) return item.path;
    for (const [key, child] of Object.entries(item.value)) {
      if (typeof child === 'object' && child !== null) {
        open.push({ value: child, depth: item.depth + 1, path: `${item.path}/${key}` });
      }
    }
  }
  return undefined;
}

function checkTiming({ fr, ip, op }: Record<string, unknown>): string[] {
  const problems: string[] = [];
  if (!(isFiniteNumber(fr) && fr >= 1 && fr <= 240))
    problems.push(`/fr: ${show(fr)} frames per second is not in 1..240`);
  if (!isFiniteNumber(ip)) problems.push(`/ip: ${show(ip)} is not a frame`);
  if (!isFiniteNumber(op)) problems.push(`/op: ${show(op)} is not a frame`);
  if (problems.length > 0 || !isFiniteNumber(fr) || !isFiniteNumber(ip) || !isFiniteNumber(op)) return problems;
  if (op <= ip) return [`/op: the animation ends at ${op}, not after its start at ${ip}`];
  const seconds = (op - ip) / fr;
  return seconds > MAX_DURATION_SECONDS
    ? [`/op: ${Math.round(seconds)} s is longer than ${MAX_DURATION_SECONDS} s`]
    : [];
}

function checkSize(animation: Record<string, unknown>): string[] {
  return ['w', 'h']
    .filter((side) => !isSide(animation[side]))
    .map((side) => `/${side}: ${show(animation[side])} pixels is not in 1..${MAX_SIDE_PIXELS}`);
}

function isSide(value: unknown): boolean {
  return isFiniteNumber(value) && value >= 1 && value <= MAX_SIDE_PIXELS;
}

/** Every image must be embedded or passed beside the animation. */
function checkAssets(animation: Record<string, unknown>, supplied: ReadonlySet<string>): string[] {
  if (!Array.isArray(animation.assets)) return animation.assets === undefined ? [] : ['/assets: not a list'];
  return animation.assets.flatMap((asset: unknown, index): string[] => {
    if (!isRecord(asset) || typeof asset.id !== 'string') return [`/assets/${index}: an asset must have an id`];
    if (asset.p === undefined || asset.layers !== undefined || supplied.has(asset.id)) return [];
    return isEmbedded(asset.p) ? [] : [`/assets/${index}/p: ${show(asset.p)} lies outside the animation`];
  });
}

function checkFonts(animation: Record<string, unknown>, supplied: ReadonlySet<string>): string[] {
  const list = isRecord(animation.fonts) ? animation.fonts.list : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((font: unknown, index): string[] => {
    if (!isRecord(font)) return [`/fonts/list/${index}: not a font`];
    if (font.fPath === undefined || font.fPath === '' || supplied.has(String(font.fName))) return [];
    return isEmbedded(font.fPath) ? [] : [`/fonts/list/${index}/fPath: ${show(font.fPath)} lies outside the animation`];
  });
}

function isEmbedded(path: unknown): boolean {
  return typeof path === 'string' && path.startsWith('data:');
}

function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** Limit for levels of JSON, nested precompositions, and chains of parents. */
export const MAX_DEPTH = 64;
/** Limit for drawn layers: those of a precomposition count once for each layer that shows it. */
export const MAX_EXPANDED_LAYERS = 20_000;
/** Limit for effects, masks, and shape modifiers of a group, because each wraps the previous. */
const MAX_CHAIN = 100;

const MODIFIERS = new Set(['mm', 'tm', 'rd', 'rp', 'zz', 'pb', 'op', 'tw']);

type Layer = Record<string, unknown>;

interface Composition {
  /** JSON pointer of its list of layers. */
  readonly path: string;
  readonly layers: readonly Layer[];
}

/**
 * Checks lists of layers and their references: precompositions that contain themselves, nest too deep or multiply
 * excessively; chains of parents, effects, masks or modifiers, which native code follows recursively; duplicate layer
 * numbers where layers refer to each other by number.
 */
function checkCompositions(animation: Record<string, unknown>): string[] {
  const root = compositionAt('/layers', animation.layers);
  const assets = Array.isArray(animation.assets) ? animation.assets : [];
  const precompositions = new Map<string, Composition>();
  for (const [index, asset] of assets.entries()) {
    if (isRecord(asset) && asset.layers !== undefined) {
      precompositions.set(String(asset.id), compositionAt(`/assets/${index}/layers`, asset.layers));
    }
  }
  return present([
    !Array.isArray(animation.layers) && '/layers: not a list',
    ...[root, ...precompositions.values()].flatMap((composition) => checkLayers(composition)),
    ...checkExpansion(root, precompositions),
  ]);
}

function compositionAt(path: string, layers: unknown): Composition {
  return { path, layers: Array.isArray(layers) ? layers.filter(isRecord) : [] };
}

/** Follows precompositions from the root to detect cycles, excessive depth and too many layers. */
function checkExpansion(root: Composition, precompositions: ReadonlyMap<string, Composition>): string[] {
  interface Extent {
    readonly layers: number;
    readonly depth: number;
  }
  const extents = new Map<Composition, Extent | 'open'>();
  const problems: string[] = [];

  // Recursion is safe here because it stops at MAX_DEPTH.
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

/** Checks parents and mattes, which layers refer to by `ind`. */
function checkReferences({ path, layers }: Composition): string[] {
  const refers = layers.some((layer) => layer.parent !== undefined || layer.tp !== undefined || layer.tt !== undefined);
  if (!refers) return [];
  const parents = new Map<unknown, unknown>();
  const problems: string[] = [];
  for (const [index, layer] of layers.entries()) {
    if (parents.has(layer.ind) && layer.ind !== undefined) {
      problems.push(`${path}/${index}/ind: ${JSON.stringify(layer.ind)} is used by two layers`);
    }
    parents.set(layer.ind, layer.parent);
  }
  const lengths = new Map<unknown, number>();
  for (const [index, layer] of layers.entries()) {
    if (chainLength(layer.ind, parents, lengths) > MAX_DEPTH) {
      problems.push(`${path}/${index}/parent: a cycle of parents, or a chain of more than ${MAX_DEPTH}`);
      break;
    }
  }
  return problems;
}

/** Counts the parents of a layer, up to just above the limit. */
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
