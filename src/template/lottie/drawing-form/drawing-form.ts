import { isRecord } from '../../../kernel/json.ts';
import type { LottieDocument } from '../../render-input.ts';
import { LAYER_TYPE, type LottieNode, mapped, withLayerLists } from '../lottie-layers.ts';
import { expandedMask, isExpandable } from '../paths/mask-expansion.ts';
import { withModifiedPaths } from '../paths/path-modifiers.ts';
import { asPath, isDifferentStar } from '../paths/shape-paths.ts';
import { withAnimatedFlags } from './animated-flag.ts';
import { withStopsApart } from './gradient-stops.ts';
import { withIsolatedBlends } from './isolated-blends.ts';
import { withLimitedShape, withLimitedSkew } from './limited-values.ts';
import { withShortestTurns } from './orientation.ts';
import { withRepeaters } from './repeated-shapes.ts';
import { withSetMattes } from './set-matte.ts';
import { withSharedEasing } from './shared-easing.ts';
import { withSolidColor } from './solid-color.ts';
import { withoutStraightPaths } from './straight-paths.ts';

/**
 * Returns a document as the renderer has to receive it to draw what lottie-web draws: round corners, zig zag, pucker and rounded or
 * reversed stars as paths, a single easing for all dimensions of a keyframe, motion paths as keyframes, gradient stops that are apart, skew
 * with the axis that it understands, expanded masks and those that lighten or darken, layers whose inverted matte is empty, mattes
 * that are not drawn themselves, blend modes of fills that stay within their layer, and what `pictureRepairs` lists. What needs no
 * change is not copied.
 */
export function drawingForm(animation: LottieDocument): LottieDocument {
  return withLayerLists(animation, (layers) => {
    const isInside = layers !== animation.layers;
    return mapped(withoutEmptyMattes(withSetMattes(layers)), (layer) =>
      knownForm(layer, animation.fr, isInside),
    ) as unknown[];
  });
}

interface KnownForm {
  readonly form: LottieNode;
  readonly frameRate: number;
  readonly isInside: boolean;
}

const known = new WeakMap<LottieNode, KnownForm>();

/** Returns the form of a layer, cached by identity: inputs that are drawn in several versions share most layers. */
function knownForm(layer: LottieNode, frameRate: number, isInside: boolean): LottieNode {
  const last = known.get(layer);
  if (last?.frameRate === frameRate && last.isInside === isInside) return last.form;
  const form = layerForm(layer, frameRate, isInside);
  known.set(layer, { form, frameRate, isInside });
  return form;
}

const INVERTED_MATTES = new Set<unknown>([2, 4]);
const PAINTS = new Set<unknown>(['fl', 'st', 'gf', 'gs']);

/** Shows layers whose inverted matte paints nothing. The renderer leaves them out. */
function withoutEmptyMattes(layers: readonly unknown[]): unknown {
  return mapped(layers, (layer) => {
    if (!INVERTED_MATTES.has(layer.tt)) return layer;
    const matte = layers.find((sibling, index) =>
      layer.tp === undefined ? layers[index + 1] === layer : isRecord(sibling) && sibling.ind === layer.tp,
    );
    const isEmpty = isRecord(matte) && matte.ty === LAYER_TYPE.shape && !paints(matte.shapes) && !isRecord(matte.sy);
    return isEmpty ? { ...layer, tt: 0 } : layer;
  });
}

function paints(shapes: unknown): boolean {
  return Array.isArray(shapes) && shapes.some((shape) => isRecord(shape) && (PAINTS.has(shape.ty) || paints(shape.it)));
}

function layerForm(given: LottieNode, frameRate: number, isInside: boolean): LottieNode {
  const layer = withIsolatedBlends(matteForm(withSolidColor(withAnimatedFlags(given))), isInside);
  const changes: LottieNode = {};
  const ks = isRecord(layer.ks) ? transformForm(layer.ks, Number(layer.ao) === 1) : layer.ks;
  if (ks !== layer.ks) changes.ks = ks;
  const tm = isRecord(layer.tm) ? beforeEnd(layer.tm, Number(layer.op) / frameRate) : layer.tm;
  if (tm !== layer.tm) changes.tm = tm;
  const masks = mapped(layer.masksProperties, maskForm);
  if (masks !== layer.masksProperties) changes.masksProperties = masks;
  const shapes = mapped(withModifiedPaths(withRepeaters(layer.shapes)), shapeForm);
  if (shapes !== layer.shapes) changes.shapes = shapes;
  return Object.keys(changes).length === 0 ? layer : { ...layer, ...changes };
}

/**
 * Returns a matte without `hd`. A matte shapes other layers whether it is visible or not, and the renderer draws it as a separate
 * layer as soon as `hd` is present, even if false.
 */
function matteForm(layer: LottieNode): LottieNode {
  if (!(Number(layer.td) > 0) || layer.hd === undefined) return layer;
  const { hd, ...matte } = layer;
  return matte;
}

/** Distance to the end of a composition that is remapped to exactly this time, in seconds. Far less than a frame. */
const BEFORE_END_SECONDS = 1e-4;

/** Moves times at the end of a remapped layer before the end. At the end, the renderer draws nothing; lottie-web shows the last frame. */
function beforeEnd(remap: LottieNode, endSeconds: number): LottieNode {
  const isEnd = (value: unknown): boolean => typeof value === 'number' && Math.abs(value - endSeconds) < 1e-9;
  const moved = (value: unknown): unknown => {
    if (isEnd(value)) return endSeconds - BEFORE_END_SECONDS;
    return Array.isArray(value) && value.length === 1 && isEnd(value[0]) ? [endSeconds - BEFORE_END_SECONDS] : value;
  };
  if (!Array.isArray(remap.k)) return isEnd(remap.k) ? { ...remap, k: moved(remap.k) } : remap;
  const k = mapped(remap.k, (frame) => {
    const [s, e] = [moved(frame.s), moved(frame.e)];
    if (s === frame.s && e === frame.e) return frame;
    return { ...frame, s, ...(frame.e === undefined ? {} : { e }) };
  });
  return k === remap.k ? remap : { ...remap, k };
}

function shapeForm(shape: LottieNode): LottieNode {
  if (shape.ty === 'gr') {
    const it = mapped(withModifiedPaths(shape.it), shapeForm);
    return it === shape.it ? shape : { ...shape, it };
  }
  if (shape.ty === 'tr') return transformForm(shape);
  if (shape.ty === 'rp') return shape;
  const limited = withLimitedShape(shape);
  return (isDifferentStar(limited) ? asPath(limited) : null) ?? withStopsApart(easedAlike(limited, MAX_DIMENSIONS));
}

/** Modes that the renderer ignores, and modes that look the same if the masks are opaque. */
const OPAQUE_MODES = new Map<unknown, string>([
  ['l', 'a'],
  ['d', 'i'],
]);

function maskForm(mask: LottieNode): LottieNode {
  const expanded = isExpandable(mask) ? expandedMask(mask) : mask;
  const mode = OPAQUE_MODES.get(mask.mode);
  return mode === undefined ? expanded : { ...expanded, mode };
}

/** Position, anchor and scale have a third dimension that is not drawn. */
const TRANSFORM_DIMENSIONS = 2;
/** Red, green and blue. */
const MAX_DIMENSIONS = 3;

function transformForm(transform: LottieNode, isOriented = false): LottieNode {
  const eased = easedAlike(withSkewAxis(withLimitedSkew(transform)), TRANSFORM_DIMENSIONS, isOriented);
  const or = isRecord(eased.or) ? withShortestTurns(eased.or) : eased.or;
  return or === eased.or ? eased : { ...eased, or };
}

/** Eases all dimensions of each property of a node alike, except the orientation, which `withShortestTurns` changes. */
function easedAlike(node: LottieNode, dimensions: number, isOriented = false): LottieNode {
  const changes: LottieNode = {};
  for (const [key, property] of Object.entries(node)) {
    if (!isRecord(property) || key === 'or') continue;
    const eased = withSharedEasing(withoutStraightPaths(property), dimensions, isOriented);
    if (eased !== property) changes[key] = eased;
  }
  return Object.keys(changes).length === 0 ? node : { ...node, ...changes };
}

/** Reverses the angle of a skew's axis, because Skottie turns it in the opposite direction. */
function withSkewAxis(transform: LottieNode): LottieNode {
  const { sk, sa } = transform;
  if (!isRecord(sk) || sk.k === 0 || !isRecord(sa) || sa.k === 0) return transform;
  return { ...transform, sa: { ...sa, k: negated(sa.k) } };
}

function negated(value: unknown): unknown {
  if (typeof value === 'number') return -value;
  if (!Array.isArray(value)) return value;
  return value.map((item: unknown) => {
    if (typeof item === 'number') return -item;
    if (!isRecord(item)) return item;
    const ends = ['s', 'e'].filter((end) => item[end] !== undefined).map((end) => [end, negated(item[end])]);
    return { ...item, ...Object.fromEntries(ends) };
  });
}
