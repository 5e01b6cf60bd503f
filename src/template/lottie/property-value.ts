import { isNumberList, isRecord } from '../../kernel/json.ts';
import type { LottieNode } from './lottie-layers.ts';

type Numbers = readonly number[];

interface Keyframe {
  readonly t: number;
  readonly value: Numbers | null;
  readonly isHeld: boolean;
  /** Handles of the easing curve: a point per dimension, or a single point for all. */
  readonly out: unknown;
  readonly in: unknown;
  /** Handles of a spatial path, relative to its ends; null for a straight line. */
  readonly path: SpatialPath | null;
}

interface SpatialPath {
  readonly out: Numbers;
  readonly in: Numbers;
}

/**
 * Returns the value of a property at a time of its layer's composition, with easing. Null for values that are not
 * numbers.
 *
 * @see Lottie specification 1.0.1: "Animated properties", "Easing handles"
 */
export function propertyValue(property: unknown, time: number): Numbers | null {
  if (!isRecord(property)) return null;
  const frames = keyframesOf(property);
  if (frames.length === 0) return numbersIn(property.k);
  const next = frames.findIndex(({ t }) => t > time);
  if (next === 0) return frames[0]!.value;
  const from = frames[next === -1 ? frames.length - 1 : next - 1]!;
  const { value } = from;
  const to = next === -1 ? null : frames[next]!;
  if (to === null || value === null || from.isHeld) return value;
  const target = to.value ?? value;
  const share = (time - from.t) / (to.t - from.t);
  if (from.path !== null) return pointAlong(value, target, from.path, easedAt(from, share, 0));
  const values: number[] = [];
  for (const [index, start] of value.entries()) {
    values.push(start + ((target[index] ?? start) - start) * easedAt(from, share, index));
  }
  return values;
}

function easedAt({ out, in: into }: Keyframe, share: number, index: number): number {
  return easedShare(share, handleAt(out, index, 0), handleAt(into, index, 1));
}

/** Points that a spatial path is measured by, as in lottie-web. */
const PATH_POINTS = 150;

/** Returns the point at a share of the length of a path. Shares beyond 0..1 give its ends. */
function pointAlong(start: Numbers, end: Numbers, path: SpatialPath, share: number): Numbers {
  const { points, lengths } = measured(start, end, path);
  const length = share * lengths.at(-1)!;
  if (length <= 0) return points[0]!;
  const next = lengths.findIndex((reached) => reached > length);
  if (next === -1) return points.at(-1)!;
  const within = (length - lengths[next - 1]!) / (lengths[next]! - lengths[next - 1]!);
  return points[next - 1]!.map((from, index) => from + (points[next]![index]! - from) * within);
}

interface MeasuredPath {
  readonly points: readonly Numbers[];
  /** Length of the path up to each point. */
  readonly lengths: readonly number[];
}

/** Cached, because a path gives a point for each frame. */
const paths = new WeakMap<SpatialPath, MeasuredPath>();

function measured(start: Numbers, end: Numbers, path: SpatialPath): MeasuredPath {
  const same = paths.get(path);
  if (same !== undefined) return same;
  const points = Array.from({ length: PATH_POINTS }, (_, step) =>
    start.map((from, index) => {
      const to = end[index] ?? from;
      return bezier(step / (PATH_POINTS - 1), from, from + (path.out[index] ?? 0), to + (path.in[index] ?? 0), to);
    }),
  );
  let length = 0;
  const lengths = points.map((point, step) => {
    const before = points[step - 1] ?? point;
    length += Math.hypot(...point.map((value, index) => value - before[index]!));
    return length;
  });
  const measuredPath = { points, lengths };
  paths.set(path, measuredPath);
  return measuredPath;
}

/** Returns the times of a property's keyframes; empty if it is not animated. */
export function keyTimes(property: unknown): number[] {
  return isRecord(property) ? keyframesOf(property).map(({ t }) => t) : [];
}

/**
 * Returns whether the values of an animation certainly stay within a range at each frame: its keyframes are within, and its
 * easing does not overshoot. Returns false for keyframes between two frames, because rounding may exceed the range close to them.
 */
export function staysWithin(property: unknown, min: number, max: number): boolean {
  const frames = isRecord(property) ? keyframesOf(property) : [];
  const isWithin = (number: number): boolean => number >= min && number <= max;
  const isShare = (number: number): boolean => number >= 0 && number <= 1;
  return frames.every(
    ({ t, value, path, out, in: into }, at) =>
      Number.isInteger(t) &&
      t >= (frames[at - 1]?.t ?? t) &&
      path === null &&
      value?.every(
        (number, index) =>
          isWithin(number) && handleAt(out, index, 0).every(isShare) && handleAt(into, index, 1).every(isShare),
      ) === true,
  );
}

/** Cached, because each property is evaluated at many times. */
const known = new WeakMap<object, Keyframe[]>();

/** Old documents store a keyframe's end value in the keyframe before it. */
function keyframesOf(property: Record<string, unknown>): Keyframe[] {
  if (!Array.isArray(property.k)) return [];
  const same = known.get(property);
  if (same !== undefined) return same;
  const found: Keyframe[] = [];
  let end: Numbers | null = null;
  for (const frame of property.k as unknown[]) {
    if (!isRecord(frame) || typeof frame.t !== 'number') continue;
    const value: Numbers | null = numbersIn(frame.s) ?? end;
    const [out, into] = [numbersIn(frame.to), numbersIn(frame.ti)];
    const isCurved = out !== null && into !== null && [...out, ...into].some((part) => part !== 0);
    const path = isCurved ? { out, in: into } : null;
    found.push({ t: frame.t, value, isHeld: frame.h === 1, out: frame.o, in: frame.i, path });
    end = numbersIn(frame.e);
  }
  known.set(property, found);
  return found;
}

function numbersIn(value: unknown): Numbers | null {
  if (typeof value === 'number') return [value];
  return isNumberList(value) && value.length > 0 ? value : null;
}

/** @param otherwise both coordinates of the handle of a straight line */
function handleAt(node: unknown, index: number, otherwise: number): [x: number, y: number] {
  if (!isRecord(node)) return [otherwise, otherwise];
  const at = (value: unknown): number => {
    const number = Array.isArray(value) ? (value[index] ?? value[0]) : value;
    return typeof number === 'number' ? number : otherwise;
  };
  return [at(node.x), at(node.y)];
}

/** Returns the y of the easing curve at x = `share`, found by bisection. */
function easedShare(share: number, out: readonly [number, number], into: readonly [number, number]): number {
  if (out[0] === out[1] && into[0] === into[1]) return share;
  let low = 0;
  let high = 1;
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (bezier(middle, 0, out[0], into[0], 1) < share) low = middle;
    else high = middle;
  }
  return bezier((low + high) / 2, 0, out[1], into[1], 1);
}

/** Takes numbers and not a list, which it would be given forty times for each value. */
function bezier(t: number, a: number, b: number, c: number, d: number): number {
  const s = 1 - t;
  return s * s * s * a + 3 * s * s * t * b + 3 * s * t * t * c + t * t * t * d;
}

/** Returns whether a property is present and not constantly 0. */
export function isSet(property: unknown): boolean {
  return isRecord(property) && property.k !== 0 && property.k !== undefined;
}

/** Field of a property that keeps the expression its keyframes were baked from. */
export const SOURCE = 'baked';

/** Returns whether an expression of a property is evaluated again for each video. */
export function isLive(property: LottieNode): boolean {
  return isRecord(property[SOURCE]) && property[SOURCE].live === true;
}
