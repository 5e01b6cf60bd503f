import { isRecord } from '../../../kernel/json.ts';
import type { LottieNode } from '../lottie-layers.ts';
import { propertyValue } from '../property-value.ts';
import { JOINS, offsetPath } from './offset-path.ts';
import type { KeyframePath } from './path-points.ts';
import { asPath, CIRCLE } from './shape-paths.ts';

type Point = readonly [x: number, y: number];
type Values = (key: string) => number;

/** Modifiers that are drawn by changing the paths before them, with their properties. */
const MODIFIERS: Readonly<Record<string, { readonly keys: readonly string[]; readonly change: Change }>> = {
  rd: { keys: ['r'], change: (path, at) => rounded(path, at('r')) },
  pb: { keys: ['a'], change: (path, at) => puckered(path, at('a') / 100) },
  zz: {
    keys: ['s', 'r', 'pt'],
    change: (path, at) => zigzag(path, at('s'), Math.max(0, Math.round(at('r'))), at('pt') === 2),
  },
  op: {
    keys: ['a', 'ml'],
    change: (path, at, { lj }) => offsetPath(path, at('a'), { join: Number(lj), miterLimit: at('ml') }),
  },
};

type Change = (path: KeyframePath, at: Values, item: LottieNode) => KeyframePath;

/** Returns the shapes of a list with round corners, pucker and zig zag applied to their paths. Returns the same list if none is. */
export function withModifiedPaths(shapes: unknown): unknown {
  if (!Array.isArray(shapes)) return shapes;
  let list: readonly unknown[] = shapes;
  for (const item of shapes as unknown[]) {
    const modifier = isRecord(item) && item.hd !== true ? MODIFIERS[String(item.ty)] : undefined;
    if (modifier === undefined || !isRecord(item)) continue;
    const at = list.indexOf(item);
    const before = modified(list.slice(0, at), item, modifier);
    if (before !== null) list = [...before, ...list.slice(at + 1)];
  }
  return list;
}

/** Returns whether the renderer draws the paths of a list without a modifier. @param index of the modifier */
export function isLeftOut(shapes: readonly unknown[], index: number): boolean {
  const item = shapes[index];
  const modifier = isRecord(item) ? MODIFIERS[String(item.ty)] : undefined;
  const before = shapes.slice(0, index);
  if (modifier === undefined) return true;
  if ((item as LottieNode).ty === 'op' && isDrawnAlike(before, item as LottieNode)) return false;
  return modified(before, item as LottieNode, modifier) === null;
}

/** Returns null if the modifier depends on the results of other modifiers, or if the renderer draws it correctly. */
function modified(
  shapes: readonly unknown[],
  item: LottieNode,
  { keys, change }: (typeof MODIFIERS)[string],
): unknown[] | null {
  if (item.ty === 'op' && (isDrawnAlike(shapes, item) || shapes.some(isTrim))) return null;
  const changed: unknown[] = [];
  for (const shape of shapes) {
    if (!isRecord(shape) || !CHANGING.has(shape.ty)) changed.push(shape);
    else if (shape.ty === 'gr') {
      const it = Array.isArray(shape.it) ? modified(shape.it, item, { keys, change }) : [];
      if (it === null) return null;
      changed.push({ ...shape, it });
    } else if (shape.hd === true) changed.push(shape);
    else {
      const values = (time: number): Values => {
        return (key) => propertyValue(item[key], time)?.[0] ?? 0;
      };
      const path = asPath(
        shape,
        keys.map((key) => item[key]),
        (path, time) => change(path, values(time), item),
      );
      if (path === null) return null;
      changed.push(path);
    }
  }
  return changed;
}

/** Returns whether the renderer offsets paths as After Effects does: those that are closed and have mitred corners. */
function isDrawnAlike(shapes: readonly unknown[], { lj }: LottieNode): boolean {
  return lj !== JOINS.round && lj !== JOINS.bevel && !shapes.some(isOpen);
}

/** Returns whether a shape is a path that is open at some time, or a group with such a path. */
function isOpen(shape: unknown): boolean {
  if (!isRecord(shape) || shape.hd === true) return false;
  if (shape.ty === 'gr') return Array.isArray(shape.it) && shape.it.some(isOpen);
  return shape.ty === 'sh' && JSON.stringify(shape.ks).includes('"c":false');
}

function isTrim(shape: unknown): boolean {
  return isRecord(shape) && shape.ty === 'tm' && shape.hd !== true;
}

/** Paths, groups, and modifiers whose result is no path of the document. Trimming and repeating may also be applied afterwards. */
const CHANGING = new Set<unknown>(['gr', 'sh', 'rc', 'el', 'sr', 'mm', 'tw', ...Object.keys(MODIFIERS)]);

/** Rounds the corners that have no handles. @see Lottie specification 1.0.1, "Rounded Corners" */
function rounded(path: KeyframePath, radius: number): KeyframePath {
  const count = path.v.length;
  if (radius <= 0 || count < 2) return path;
  const out = { c: path.c, v: [] as number[][], i: [] as number[][], o: [] as number[][] };
  const add = (v: Point, i: Point, o: Point): void => {
    out.v.push([...v]);
    out.i.push([...i]);
    out.o.push([...o]);
  };
  for (let index = 0; index < count; index++) {
    const [here, into, from] = [pointAt(path.v, index), pointAt(path.i, index), pointAt(path.o, index)];
    const isEnd = !path.c && (index === 0 || index === count - 1);
    if (isEnd || [...into, ...from].some((value) => Math.abs(value) > 1e-6)) {
      add(here, into, from);
      continue;
    }
    for (const [side, neighbour] of [pointAt(path.v, index - 1), pointAt(path.v, index + 1)].entries()) {
      const away: Point = [neighbour[0] - here[0], neighbour[1] - here[1]];
      const distance = Math.hypot(...away);
      const share = distance === 0 ? 0 : Math.min(distance / 2, radius) / distance;
      const handle: Point = [-away[0] * share * CIRCLE, -away[1] * share * CIRCLE];
      const at: Point = [here[0] + away[0] * share, here[1] + away[1] * share];
      add(at, side === 0 ? [0, 0] : handle, side === 0 ? handle : [0, 0]);
    }
  }
  return out;
}

/** Moves vertices to the centre of all, and handles away from it. @see Lottie specification 1.0.1, "Pucker / Bloat" */
function puckered(path: KeyframePath, share: number): KeyframePath {
  const count = path.v.length;
  if (share === 0 || count === 0) return path;
  const middle = [0, 1].map((axis) => path.v.reduce((sum, point) => sum + (point[axis] ?? 0), 0) / count);
  const moved = (value: number, axis: number, by: number): number => value + (middle[axis]! - value) * by;
  const v = path.v.map((point) => point.map((value, axis) => moved(value, axis, share)));
  const handles = (list: KeyframePath['v']): number[][] =>
    list.map((handle, index) =>
      handle.map((value, axis) => moved(value + (path.v[index]?.[axis] ?? 0), axis, -share) - v[index]![axis]!),
    );
  return { c: path.c, v, i: handles(path.i), o: handles(path.o) };
}

/** Adds ridges to each segment. @see Lottie specification 1.0.1, "Zig Zag" */
function zigzag(path: KeyframePath, size: number, ridges: number, isSmooth: boolean): KeyframePath {
  const count = path.v.length;
  const segments = path.c ? count : count - 1;
  if (segments < 1) return path;
  const out = { c: path.c, v: [] as number[][], i: [] as number[][], o: [] as number[][] };
  let side = -1;
  const add = (at: Point, along: Point, before: number, after: number): void => {
    const length = Math.hypot(...along) || 1;
    const [x, y] = [along[0] / length, along[1] / length];
    out.v.push([at[0] + y * side * size, at[1] - x * side * size]);
    out.i.push([-x * before, -y * before]);
    out.o.push([x * after, y * after]);
  };
  const handle = (from: Point, to: Point): number =>
    isSmooth ? Math.hypot(to[0] - from[0], to[1] - from[1]) / ((ridges + 1) * 2) : 0;
  const corner = (index: number): void => {
    const [before, at, after] = [pointAt(path.v, index - 1), pointAt(path.v, index), pointAt(path.v, index + 1)];
    add(at, [after[0] - before[0], after[1] - before[1]], handle(before, at), handle(at, after));
  };
  corner(0);
  for (let segment = 0; segment < segments; segment++) {
    side = -side;
    const [from, to] = [pointAt(path.v, segment), pointAt(path.v, segment + 1)];
    const [leaving, arriving] = [pointAt(path.o, segment), pointAt(path.i, segment + 1)];
    // Without a handle, a third of the way: the ridges of a straight segment are evenly spaced.
    const third = (handle: Point, axis: number, sign: number): number =>
      handle.some((value) => Math.abs(value) > 1e-6) ? handle[axis]! : ((to[axis]! - from[axis]!) / 3) * sign;
    const curve = [0, 1].map((axis) => {
      const [start, end] = [from[axis]!, to[axis]!];
      return [start, start + third(leaving, axis, 1), end + third(arriving, axis, -1), end];
    });
    for (let ridge = 1; ridge <= ridges; ridge++) {
      const t = ridge / (ridges + 1);
      const [x, y] = curve.map((points) => bezier(points, t));
      const [dx, dy] = curve.map((points) => slope(points, t));
      add([x!, y!], [dx!, dy!], handle(from, to), handle(from, to));
      side = -side;
    }
    corner(segment + 1);
  }
  return out;
}

function bezier([a = 0, b = 0, c = 0, d = 0]: readonly number[], t: number): number {
  const s = 1 - t;
  return s * s * s * a + 3 * s * s * t * b + 3 * s * t * t * c + t * t * t * d;
}

function slope([a = 0, b = 0, c = 0, d = 0]: readonly number[], t: number): number {
  const s = 1 - t;
  return 3 * (s * s * (b - a) + 2 * s * t * (c - b) + t * t * (d - c));
}

/** Goes round at both ends. */
function pointAt(points: KeyframePath['v'], index: number): Point {
  const [x = 0, y = 0] = points[(index + points.length) % points.length] ?? [];
  return [x, y];
}
