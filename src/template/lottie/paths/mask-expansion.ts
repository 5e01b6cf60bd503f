import { isRecord } from '../../../kernel/json.ts';
import type { LottieNode } from '../lottie-layers.ts';
import { isSet } from '../property-value.ts';
import { JOINS, offsetPath } from './offset-path.ts';
import { isPath, type KeyframePath, signedArea } from './path-points.ts';
import { minus, normal, type Point, plus, times } from './vectors.ts';

/** Sharper corners are cut off where the normals of their edges point apart further than this (cosine plus 1). */
const SHARPEST = 0.2;

/** Corners stay corners, as far as lottie-web keeps them. */
const CORNERS = { join: JOINS.miter, miterLimit: 4 };

/** Returns whether a mask is expanded in a way that `expandedMask` can draw: its path or its expansion is not animated. */
export function isExpandable(mask: LottieNode): boolean {
  const { x, pt } = mask;
  return isRecord(x) && isSet(x) && isRecord(pt) && (typeof x.k === 'number' || isPath(pt.k));
}

/**
 * Returns a mask whose path is as large as its expansion makes it, because the renderer ignores expansions. Corners
 * stay corners.
 *
 * @param mask accepted by `isExpandable`
 */
export function expandedMask(mask: LottieNode): LottieNode {
  const [x, pt] = [mask.x as LottieNode, mask.pt as LottieNode];
  const still = { a: 0, k: 0 };
  // A path that stands still may have other vertices.
  if (typeof x.k === 'number' && isPath(pt.k) && pt.k.c)
    return { ...mask, x: still, pt: { ...pt, k: offsetPath(pt.k, x.k, CORNERS) } };
  if (typeof x.k === 'number') return { ...mask, x: still, pt: { ...pt, k: withPaths(pt.k, x.k) } };
  const path = pt.k as KeyframePath;
  const frames = (Array.isArray(x.k) ? x.k : []).filter(isRecord).map((frame) => {
    const ends = ['s', 'e'].filter((end) => frame[end] !== undefined);
    const paths = ends.map((end) => [end, [expandedPath(path, numberOf(frame[end]))]]);
    return { ...frame, ...Object.fromEntries(paths) };
  });
  return { ...mask, x: still, pt: { ...pt, a: 1, k: frames } };
}

/** Expands a constant path, or the path of each keyframe. */
function withPaths(value: unknown, distance: number): unknown {
  if (isPath(value)) return expandedPath(value, distance);
  if (!Array.isArray(value)) return value;
  return value.map((frame: unknown) => {
    if (!isRecord(frame)) return frame;
    const ends = ['s', 'e'].filter((end) => Array.isArray(frame[end]));
    const paths = ends.map((end) => {
      return [end, (frame[end] as unknown[]).map((item) => (isPath(item) ? expandedPath(item, distance) : item))];
    });
    return { ...frame, ...Object.fromEntries(paths) };
  });
}

/** Moves each vertex outwards and stretches the handles with the distance of their vertices. */
function expandedPath(path: KeyframePath, distance: number): KeyframePath {
  const { v, i, o } = path;
  const count = v.length;
  if (count < 2) return path;
  const at = (list: KeyframePath['v'], index: number): Point => {
    const [x = 0, y = 0] = list[(index + count) % count] ?? [];
    return [x, y];
  };
  const outwards = Math.sign(signedArea(path)) * distance;
  const moved = v.map((_, index): Point => {
    const here = at(v, index);
    const [before, after] = [at(v, index - 1), at(v, index + 1)];
    const into = firstDirection([
      times(at(i, index), -1),
      minus(here, plus(at(o, index - 1), before)),
      minus(here, before),
    ]);
    const out = firstDirection([at(o, index), minus(plus(at(i, index + 1), after), here), minus(after, here)]);
    const [first, second]: Point[] = [normal(into), normal(out)];
    const scale = outwards / Math.max(SHARPEST, 1 + first![0] * second![0] + first![1] * second![1]);
    return [here[0] + (first![0] + second![0]) * scale, here[1] + (first![1] + second![1]) * scale];
  });
  const stretched = (handle: Point, index: number, neighbour: number): number[] => {
    const [from, to] = [minus(at(v, neighbour), at(v, index)), minus(at(moved, neighbour), at(moved, index))];
    const ratio = Math.hypot(...from) === 0 ? 1 : Math.hypot(...to) / Math.hypot(...from);
    return [handle[0] * ratio, handle[1] * ratio];
  };
  return {
    c: path.c,
    v: moved.map((point) => [...point]),
    i: i.map((_, index) => stretched(at(i, index), index, index - 1)),
    o: o.map((_, index) => stretched(at(o, index), index, index + 1)),
  };
}

/** Returns the first vector that has a length, as a unit vector. */
function firstDirection(vectors: readonly Point[]): Point {
  const found = vectors.find(([x, y]) => Math.hypot(x, y) > 1e-6) ?? [1, 0];
  const length = Math.hypot(...found);
  return [found[0] / length, found[1] / length];
}

function numberOf(value: unknown): number {
  return Number(Array.isArray(value) ? value[0] : value) || 0;
}
