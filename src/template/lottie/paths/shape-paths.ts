import { isRecord } from '../../../kernel/json.ts';
import type { LottieNode } from '../lottie-layers.ts';
import { isSet, propertyValue } from '../property-value.ts';
import { isPath, type KeyframePath, sampledPath } from './path-points.ts';

/** Share of a radius by which handles draw a quarter of a circle. */
export const CIRCLE = 0.5519;

/** Properties that the path of each shape depends on. */
const PROPERTIES: Readonly<Record<string, readonly string[]>> = {
  sh: ['ks'],
  rc: ['p', 's', 'r'],
  el: ['p', 's'],
  sr: ['pt', 'p', 'r', 'or', 'os', 'ir', 'is'],
};

/**
 * Returns whether a shape is a star or polygon that the renderer draws differently: with sharp points instead of rounded ones, in the other
 * direction, or with a number of points that is rounded instead of cut off.
 */
export function isDifferentStar(shape: LottieNode): boolean {
  if (shape.ty !== 'sr') return false;
  const isWhole = isRecord(shape.pt) && Number.isInteger(shape.pt.k);
  return shape.d === 3 || !isWhole || [shape.os, shape.is].some((property) => isSet(property));
}

/**
 * Returns a rectangle, ellipse, star, polygon or path as a changed path. An animated path has a keyframe at each frame. Null for
 * other shapes, and for animations that are too long.
 *
 * @param furtherProperties also decide how the path changes
 */
export function asPath(
  shape: LottieNode,
  furtherProperties: readonly unknown[] = [],
  change: (path: KeyframePath, time: number) => KeyframePath = (path) => path,
): LottieNode | null {
  const keys = PROPERTIES[String(shape.ty)];
  if (keys === undefined) return null;
  const outlineProperties = keys.map((key) => shape[key]);
  if (shape.ty === 'sh' && !hasPaths(shape.ks)) return null;
  const ks = sampledPath([...outlineProperties, ...furtherProperties], (time) => change(outline(shape, time), time));
  if (ks === null) return null;
  const { nm, hd, ix, ind } = shape;
  const path = { ty: 'sh', nm, hd, ix, ind, ks };
  return Object.fromEntries(Object.entries(path).filter(([, value]) => value !== undefined));
}

/** Returns the outline that lottie-web draws. @see Lottie specification 1.0.1, "Shapes" */
function outline(shape: LottieNode, time: number): KeyframePath {
  const at = (key: string): readonly number[] => propertyValue(shape[key], time) ?? [0];
  switch (shape.ty) {
    case 'sh':
      return pathOf(shape.ks as LottieNode, time);
    case 'sr':
      return star(shape, at);
    case 'rc':
      return directed(rectangle(at('p'), at('s'), at('r')[0]!), shape.d);
    default:
      return directed(ellipse(at('p'), at('s')), shape.d);
  }
}

function hasPaths(ks: unknown): ks is LottieNode {
  if (!isRecord(ks)) return false;
  if (isPath(ks.k)) return true;
  return (
    Array.isArray(ks.k) && ks.k.length > 1 && ks.k.every((frame) => isRecord(frame) && typeof frame.t === 'number')
  );
}

/** Returns the path of a property between its keyframes. */
function pathOf({ k }: LottieNode, time: number): KeyframePath {
  if (isPath(k)) return k;
  const frames = k as readonly LottieNode[];
  const paths = frames.map(({ s }, index) => pathIn(s) ?? pathIn(frames[index - 1]?.e));
  // The index of the keyframe, eased to the index of the next keyframe.
  const position = { k: frames.map(({ t, h, o, i }, index) => ({ t, h, o, i, s: [index] })) };
  const index = Math.max(
    0,
    frames.findLastIndex(({ t }) => (t as number) <= time),
  );
  const share = (propertyValue(position, time)?.[0] ?? index) - index;
  const from = paths[index] ?? EMPTY;
  const to = paths[index + 1] ?? pathIn(frames[index]!.e) ?? from;
  const mixed = (key: 'v' | 'i' | 'o'): number[][] =>
    from[key].map((point, at) => point.map((value, axis) => value + ((to[key][at]?.[axis] ?? value) - value) * share));
  return share === 0 ? from : { c: from.c, v: mixed('v'), i: mixed('i'), o: mixed('o') };
}

const EMPTY: KeyframePath = { c: false, v: [], i: [], o: [] };

function pathIn(value: unknown): KeyframePath | null {
  const path: unknown = Array.isArray(value) ? value[0] : value;
  return isPath(path) ? path : null;
}

/** From the upper right corner, clockwise. */
function rectangle([x = 0, y = 0]: readonly number[], size: readonly number[], roundness: number): KeyframePath {
  const [a, b] = [(size[0] ?? 0) / 2, (size[1] ?? 0) / 2];
  const corners = [[a, -b], [a, b], [-a, b], [-a, -b]] as const; // biome-ignore format: a list
  const radius = Math.min(Math.abs(a), Math.abs(b), Math.max(0, roundness));
  if (radius === 0) {
    const zeros = corners.map(() => [0, 0]);
    return { c: true, v: corners.map(([cx, cy]) => [x + cx, y + cy]), i: zeros, o: zeros };
  }
  const path = { c: true, v: [] as number[][], i: [] as number[][], o: [] as number[][] };
  const handle = radius * CIRCLE;
  for (const [index, [cx, cy]] of corners.entries()) {
    // Directions into the corner and out of it, clockwise.
    const [into, out] = [SIDES[(index + 3) % 4]!, SIDES[index]!];
    path.v.push(
      [x + cx - into[0] * radius, y + cy - into[1] * radius],
      [x + cx + out[0] * radius, y + cy + out[1] * radius],
    );
    path.i.push([0, 0], [-out[0] * handle, -out[1] * handle]);
    path.o.push([into[0] * handle, into[1] * handle], [0, 0]);
  }
  // It starts behind the first corner.
  for (const list of [path.v, path.i, path.o]) list.push(list.shift()!);
  return path;
}

/** Directions of the sides from the upper right corner, clockwise. */
const SIDES = [[0, 1], [-1, 0], [0, -1], [1, 0]] as const; // biome-ignore format: a list

/** From the top, clockwise. */
function ellipse([x = 0, y = 0]: readonly number[], size: readonly number[]): KeyframePath {
  const [a, b] = [(size[0] ?? 0) / 2, (size[1] ?? 0) / 2];
  const out = [[a * CIRCLE, 0], [0, b * CIRCLE], [-a * CIRCLE, 0], [0, -b * CIRCLE]]; // biome-ignore format: a list
  const v = [[x, y - b], [x + a, y], [x, y + b], [x - a, y]]; // biome-ignore format: a list
  return { c: true, v, o: out, i: out.map(([dx = 0, dy = 0]) => [-dx, -dy]) };
}

/** Reverses a path if `d` is 3. It starts at the same vertex. */
function directed(path: KeyframePath, direction: unknown): KeyframePath {
  if (direction !== 3) return path;
  const turned = <Item>([first, ...rest]: readonly Item[]): Item[] => [first!, ...rest.reverse()];
  return { c: path.c, v: turned(path.v), i: turned(path.o), o: turned(path.i) };
}

/** @see Lottie specification 1.0.1, "PolyStar" */
function star({ sy, d }: LottieNode, at: (key: string) => readonly number[]): KeyframePath {
  const isStar = sy === 1;
  const [position, rotation] = [at('p'), at('r')[0]!];
  const points = Math.max(1, Math.floor(at('pt')[0]!)) * (isStar ? 2 : 1);
  const turn = d === 3 ? -1 : 1;
  const path = { c: true, v: [] as number[][], i: [] as number[][], o: [] as number[][] };
  for (let index = 0; index < points; index++) {
    const isOuter = !isStar || index % 2 === 0;
    const radius = at(isOuter ? 'or' : 'ir')[0]!;
    const roundness = at(isOuter ? 'os' : 'is')[0]! / 100;
    const handle = ((2 * Math.PI * radius) / (points * (isStar ? 2 : 4))) * roundness * turn;
    const angle = -Math.PI / 2 + (rotation * Math.PI) / 180 + ((2 * Math.PI * index) / points) * turn;
    const [x, y] = [Math.cos(angle), Math.sin(angle)];
    const away = radius === 0 ? 0 : Math.sign(radius);
    path.v.push([radius * x + position[0]!, radius * y + (position[1] ?? 0)]);
    path.o.push([-y * away * handle, x * away * handle]);
    path.i.push([y * away * handle, -x * away * handle]);
  }
  return path;
}
