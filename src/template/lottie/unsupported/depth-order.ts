import { isRecord } from '../../../kernel/json.ts';
import { LAYER_TYPE, type LottieNode, transformOf } from '../lottie-layers.ts';

type Point = readonly [x: number, y: number, z: number];

const CAMERA = 13;
/** Difference of depths that counts, in pixels. */
const TOLERANCE = 0.5;
/** Null, audio, camera and light. */
const UNDRAWN = new Set<unknown>([3, LAYER_TYPE.audio, CAMERA, 14]);
const ROTATIONS = ['r', 'rx', 'ry', 'rz', 'or'];
/** Maximum number of parents of a layer. A longer chain is a circle. */
const MAX_PARENTS = 50;

/**
 * Finds layers in three dimensions that are painted over a layer nearer to the camera, because the renderer paints them in the order
 * of the list. Compares their anchor points. Ignores animated layers, parents and cameras, turned parents and cameras, and compositions
 * without a camera, which lottie-web does not sort.
 */
export function layersOverNearer(layers: readonly LottieNode[]): LottieNode[] {
  const camera = layers.find(({ ty }) => ty === CAMERA);
  const view = camera === undefined ? null : viewOf(camera);
  if (view === null) return [];
  const byIndex = new Map(layers.map((layer) => [layer.ind, layer]));
  const covering: LottieNode[] = [];
  let nearest = Number.POSITIVE_INFINITY;
  for (const layer of layers.toReversed()) {
    const depth = depthOf(layer, byIndex, view);
    if (depth === null) continue;
    if (nearest < depth - TOLERANCE) covering.push(layer);
    nearest = Math.min(nearest, depth);
  }
  return covering;
}

/**
 * Finds layers that are turned out of the plane in a composition without a camera. They are drawn in perspective, as in After Effects;
 * other players draw them without perspective.
 */
export function layersInPerspective(layers: readonly LottieNode[]): LottieNode[] {
  if (layers.some(({ ty }) => ty === CAMERA)) return [];
  return layers.filter((layer) => {
    const { rx, ry, or } = transformOf(layer);
    return layer.ddd === 1 && !UNDRAWN.has(layer.ty) && [rx, ry, or].some((property) => leavesPlane(property));
  });
}

/** Returns whether an angle, or the first or second angle of an orientation, is animated or not a multiple of 180 degrees. */
function leavesPlane(property: unknown): boolean {
  if (!isRecord(property) || property.k === undefined) return false;
  const angles: readonly unknown[] = Array.isArray(property.k) ? property.k.slice(0, 2) : [property.k];
  return angles.some((angle) => typeof angle !== 'number' || angle % 180 !== 0);
}

interface View {
  readonly from: Point;
  /** Length 1. */
  readonly direction: Point;
}

function viewOf(camera: LottieNode): View | null {
  const { p, a } = transformOf(camera);
  const [from, to] = [pointOf(p), pointOf(a)];
  if (from === null || isTurned(camera) || camera.parent !== undefined) return null;
  const way: Point = to === null ? [0, 0, 1] : [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
  const length = Math.hypot(...way);
  return length === 0 ? null : { from, direction: [way[0] / length, way[1] / length, way[2] / length] };
}

/** Returns the distance in front of the camera; null for a layer behind it or without a constant depth. */
function depthOf(
  layer: LottieNode,
  byIndex: ReadonlyMap<unknown, LottieNode>,
  { from, direction }: View,
): number | null {
  if (layer.ddd !== 1 || UNDRAWN.has(layer.ty) || layer.hd === true) return null;
  const point = worldPoint(layer, byIndex);
  if (point === null) return null;
  const depth = point.reduce((sum, value, axis) => sum + (value - from[axis]!) * direction[axis]!, 0);
  return depth > 0 ? depth : null;
}

/** Returns the position of a layer's anchor in its composition. */
function worldPoint(layer: LottieNode, byIndex: ReadonlyMap<unknown, LottieNode>): Point | null {
  let point = pointOf(transformOf(layer).p);
  let below = layer;
  for (let parents = 0; below.parent !== undefined && point !== null; parents++) {
    const parent = byIndex.get(below.parent);
    if (parent === undefined || parents === MAX_PARENTS || isTurned(parent)) return null;
    const { p, a, s } = transformOf(parent);
    const [to, anchor, scale] = [pointOf(p), pointOf(a) ?? [0, 0, 0], pointOf(s) ?? [100, 100, 100]];
    if (to === null || (isRecord(a) && pointOf(a) === null) || (isRecord(s) && pointOf(s) === null)) return null;
    const [x, y, z] = [0, 1, 2].map((axis) => to[axis]! + ((point![axis]! - anchor[axis]!) * scale[axis]!) / 100);
    point = [x!, y!, z!];
    below = parent;
  }
  return point;
}

function isTurned(layer: LottieNode): boolean {
  const transform = transformOf(layer);
  return ROTATIONS.some((key) => {
    const property = transform[key];
    if (!isRecord(property)) return false;
    return !(property.k === 0 || (Array.isArray(property.k) && property.k.every((angle) => angle === 0)));
  });
}

/** Returns a constant point; null for other properties. */
function pointOf(property: unknown): Point | null {
  if (!isRecord(property) || !Array.isArray(property.k)) return null;
  const [x, y, z = 0] = property.k as unknown[];
  return typeof x === 'number' && typeof y === 'number' && typeof z === 'number' ? [x, y, z] : null;
}
