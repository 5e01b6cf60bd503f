import { isRecord } from '../../../kernel/json.ts';
import type { LottieNode } from '../lottie-layers.ts';
import { keyTimes, propertyValue, staysWithin } from '../property-value.ts';

/** Longest animation that is sampled at each frame. */
const MAX_FRAMES = 3600;

interface SampledKeyframe {
  readonly t: number;
  readonly s: readonly number[];
}

/**
 * Returns a property with changed values: constant, or with a keyframe at each frame if the change affects any frame of an animation.
 * Returns the property itself if the change affects none, and for animations that are too long.
 *
 * @param isJump returns whether the values between two adjacent frames must not be interpolated; never when absent
 */
export function withChangedValues(
  property: LottieNode,
  change: (values: readonly number[], time: number) => readonly number[],
  isJump: (from: readonly number[], to: readonly number[], time: number) => boolean = () => false,
): LottieNode {
  const times = keyTimes(property);
  if (times.length === 0) {
    const values = propertyValue(property, 0);
    if (values === null) return property;
    const changed = change(values, 0);
    return isEqual(values, changed)
      ? property
      : { ...property, k: typeof property.k === 'number' ? changed[0] : changed };
  }
  const frames = sampled(times, (time) => propertyValue(property, time), change);
  return frames === null ? property : { ...property, a: 1, k: withEasing(frames, isJump) };
}

/** @returns null if the change affects no frame, or if there are too many frames */
function sampled(
  times: readonly number[],
  valueAt: (time: number) => readonly number[] | null,
  change: (values: readonly number[], time: number) => readonly number[],
): SampledKeyframe[] | null {
  const [first, last] = [Math.floor(Math.min(...times)), Math.ceil(Math.max(...times))];
  if (last - first > MAX_FRAMES) return null;
  let isChanged = false;
  const frames: SampledKeyframe[] = [];
  for (let t = first; t <= last; t++) {
    const values = valueAt(t);
    if (values === null) return null;
    const s = change(values, t);
    isChanged ||= !isEqual(values, s);
    frames.push({ t, s });
  }
  return isChanged ? frames : null;
}

function withEasing(
  frames: readonly SampledKeyframe[],
  isJump: (from: readonly number[], to: readonly number[], time: number) => boolean,
): object[] {
  return frames.map((frame, index) => {
    const next = frames[index + 1];
    if (next === undefined) return frame;
    return isJump(frame.s, next.s, frame.t) ? { ...frame, h: 1 } : { ...frame, o: { x: 0, y: 0 }, i: { x: 1, y: 1 } };
  });
}

function isEqual(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false;
  return a.every((value, index) => value === b[index]);
}

/** Limits values to a range, as After Effects and lottie-web do. */
function withinLimits(property: LottieNode, min: number, max: number): LottieNode {
  // Spares the values at each frame: most animations stay within.
  if (keyTimes(property).length > 0 && staysWithin(property, min, max)) return property;
  return withChangedValues(property, (values) => limited(values, min, max));
}

function limited(values: readonly number[], min: number, max: number): number[] {
  const within: number[] = [];
  for (const value of values) within.push(Math.min(max, Math.max(min, value)));
  return within;
}

/**
 * Returns a shape whose trim ends lie in 0..100 % and whose gradient stops lie in 0..1. An easing that overshoots exceeds them: the
 * renderer goes round to the other end of the path then, and fades gradients too early. Other shapes are returned as they are.
 */
export function withLimitedShape(shape: LottieNode): LottieNode {
  if (shape.ty === 'tm') {
    const [s, e] = [shape.s, shape.e].map((end) => (isRecord(end) ? withinLimits(end, 0, 100) : end));
    return s === shape.s && e === shape.e ? shape : { ...shape, s, e };
  }
  const { g } = shape;
  if ((shape.ty !== 'gf' && shape.ty !== 'gs') || !isRecord(g) || !isRecord(g.k) || !hasOpacities(g)) return shape;
  const k = withinLimits(g.k, 0, 1);
  return k === g.k ? shape : { ...shape, g: { ...g, k } };
}

/** Returns whether the stops of a gradient have opacities, behind offset, red, green and blue of each. */
function hasOpacities({ p, k }: LottieNode): boolean {
  return (propertyValue(k, 0)?.length ?? 0) > 4 * Number(p);
}

/** Difference in degrees between two frames from which a skew is not interpolated, because it passes 90° between them. */
const SKEW_JUMP = 90;

/** Returns a transform with a skew between -90° and 90°. A skew has the period of its tangent, 180°; the renderer stops at 85°. */
export function withLimitedSkew(transform: LottieNode): LottieNode {
  const { sk } = transform;
  if (!isRecord(sk) || sk.k === 0) return transform;
  const within = (angle: number): number => (Math.abs(angle) <= 90 ? angle : angle - 180 * Math.round(angle / 180));
  const limited = withChangedValues(
    sk,
    (values) => values.map(within),
    ([from = 0], [to = 0]) => Math.abs(to - from) > SKEW_JUMP,
  );
  return limited === sk ? transform : { ...transform, sk: limited };
}

/** Largest skew in degrees that the renderer draws. */
const MAX_SKEW = 85;

/** Returns whether a transform has a skew that the renderer stops, other than while it passes 90°. */
export function isSteep(transform: LottieNode): boolean {
  const { sk } = withLimitedSkew(transform);
  const times = keyTimes(transform.sk);
  const angles = (times.length === 0 ? [0] : times).map((time) => propertyValue(sk, time)?.[0] ?? 0);
  return angles.some((angle) => Math.abs(angle) > MAX_SKEW);
}
