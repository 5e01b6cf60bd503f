import { isRecord } from '../../json.ts';
import type { LottieNode } from './lottie-layers.ts';
import { type KeyframePath, withPoints } from './path-points.ts';
import { keyTimes, propertyValue } from './property-value.ts';

/** Longest animation of a star that is sampled at each frame. */
const MOST_FRAMES = 3600;
const PROPERTIES = ['pt', 'p', 'r', 'or', 'os', 'ir', 'is'] as const;

type StarValues = Readonly<Record<(typeof PROPERTIES)[number], readonly number[]>>;

/** Returns whether a shape is a star or polygon whose rounded points the renderer draws sharp, or whose direction it ignores. */
export function isRoundedStar(shape: LottieNode): boolean {
  return shape.ty === 'sr' && (shape.d === 3 || [shape.os, shape.is].some((property) => isSet(property)));
}

/**
 * Returns a star or polygon as a path. Where it moves, the path has a keyframe at each frame.
 *
 * @param star accepted by `isRoundedStar`
 */
export function starPath(star: LottieNode): LottieNode {
  const { nm, hd, ix, ind } = star;
  const path = { ...{ ty: 'sh', nm, hd, ix, ind }, ks: pathOf(star) };
  return Object.fromEntries(Object.entries(path).filter(([, value]) => value !== undefined));
}

function pathOf(star: LottieNode): object {
  const times = PROPERTIES.flatMap((key) => keyTimes(star[key]));
  const [first, last] = [Math.floor(Math.min(...times)), Math.ceil(Math.max(...times))];
  if (times.length < 2 || last - first > MOST_FRAMES) return { a: 0, k: outline(star, valuesAt(star, times[0] ?? 0)) };
  const frames = Array.from({ length: last - first + 1 }, (_, index) => {
    return { t: first + index, s: [outline(star, valuesAt(star, first + index))] };
  });
  const most = Math.max(...frames.map(({ s }) => s[0]!.v.length));
  const isHeld = frames.some(({ s }) => s[0]!.v.length !== most);
  for (const { s } of frames) s[0] = withPoints(s[0]!, most);
  const between = isHeld ? { h: 1 } : { o: { x: 0, y: 0 }, i: { x: 1, y: 1 } };
  return { a: 1, k: frames.map((frame, index) => (index < frames.length - 1 ? { ...frame, ...between } : frame)) };
}

function valuesAt(star: LottieNode, time: number): StarValues {
  return Object.fromEntries(PROPERTIES.map((key) => [key, propertyValue(star[key], time) ?? [0]])) as StarValues;
}

/**
 * Returns the outline that lottie-web draws.
 *
 * @see Lottie specification 1.0.1, "PolyStar"
 */
function outline({ sy, d }: LottieNode, { pt, p, r, or, os, ir, is }: StarValues): KeyframePath {
  const isStar = sy === 1;
  const points = Math.max(1, Math.floor(pt[0]!)) * (isStar ? 2 : 1);
  const turn = d === 3 ? -1 : 1;
  const path = { c: true, v: [] as number[][], i: [] as number[][], o: [] as number[][] };
  for (let index = 0; index < points; index++) {
    const isOuter = !isStar || index % 2 === 0;
    const radius = isOuter ? or[0]! : ir[0]!;
    const roundness = (isOuter ? os[0]! : is[0]!) / 100;
    const handle = ((2 * Math.PI * radius) / (points * (isStar ? 2 : 4))) * roundness * turn;
    const angle = -Math.PI / 2 + (r[0]! * Math.PI) / 180 + ((2 * Math.PI * index) / points) * turn;
    const [x, y] = [Math.cos(angle), Math.sin(angle)];
    const away = radius === 0 ? 0 : Math.sign(radius);
    path.v.push([radius * x + p[0]!, radius * y + (p[1] ?? 0)]);
    path.o.push([-y * away * handle, x * away * handle]);
    path.i.push([y * away * handle, -x * away * handle]);
  }
  return path;
}

/** Returns whether a property is present and not constantly 0. */
function isSet(property: unknown): boolean {
  return isRecord(property) && property.k !== 0 && property.k !== undefined;
}
