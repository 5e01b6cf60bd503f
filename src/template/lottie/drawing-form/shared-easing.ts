import { isNumberList, isRecord } from '../../../kernel/json.ts';
import type { LottieNode } from '../lottie-layers.ts';
import { propertyValue } from '../property-value.ts';

/** Longest time between two keyframes that is sampled at each frame. */
const MAX_FRAMES = 3600;
/** Time between two keyframes, in frames, below which the renderer merges them and leaves out the property. */
const CLOSE = 0.001;

/**
 * Returns a property whose keyframes ease all dimensions alike and have no curved motion path. The renderer applies the easing of
 * the first dimension to all dimensions, draws curves within half a pixel of a line as lines, and measures them wrong. Adds a
 * keyframe at each frame where dimensions ease differently and along curves. Unchanged properties are not copied.
 *
 * @param dimensions number of dimensions that are drawn
 * @param isOriented whether a layer turns along the curves, which are kept then
 */
export function withSharedEasing(property: LottieNode, dimensions: number, isOriented = false): LottieNode {
  if (!Array.isArray(property.k) || !property.k.every(isKeyframe)) return property;
  const frames = property.k;
  let isChanged = false;
  const eased = frames.flatMap((frame, index): Keyframe[] => {
    const next = frames[index + 1];
    if (next === undefined || frame.h === 1) return [frame];
    if (hasPath(frame)) {
      const sampled = isOriented ? null : sampledBetween(property, frame, next);
      isChanged ||= sampled !== null;
      return sampled ?? [frame];
    }
    const [start, end] = [propertyValue(property, frame.t), endOf(frame, next)];
    if (start === null || end === null || start.length < 2) return [frame];
    const changing = start.flatMap((value, at) => (at < dimensions && value !== end[at] ? [at] : []));
    const curves = new Set(changing.map((at) => JSON.stringify(curveOf(frame, at))));
    if (curves.size === 0 || (curves.size === 1 && curves.has(JSON.stringify(curveOf(frame, 0))))) return [frame];
    isChanged = true;
    if (curves.size === 1) return [{ ...frame, ...curveOf(frame, changing[0]!) }];
    return sampledBetween(property, frame, next) ?? [frame];
  });
  return isChanged
    ? { ...property, k: eased.map((frame, index) => withValue(frame, eased[index - 1], frames)) }
    : property;
}

/** Returns a keyframe for each frame up to the next keyframe; null if there are too many frames. */
function sampledBetween(property: LottieNode, frame: Keyframe, next: Keyframe): Keyframe[] | null {
  return timesBetween(frame.t, next.t)?.map((t) => ({ t, s: propertyValue(property, t), ...STRAIGHT })) ?? null;
}

/** Returns a time and the frames between it and another time; null if there are too many. Omits frames too close to either time. */
export function timesBetween(from: number, to: number): number[] | null {
  const [first, last] = [Math.floor(from + CLOSE) + 1, Math.ceil(to - CLOSE) - 1];
  if (last - from > MAX_FRAMES) return null;
  return [from, ...Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at)];
}

type Keyframe = LottieNode & { readonly t: number };

/** Easing of a line. */
export const STRAIGHT = { o: { x: 0, y: 0 }, i: { x: 1, y: 1 } };

function isKeyframe(frame: unknown): frame is Keyframe {
  return isRecord(frame) && typeof frame.t === 'number';
}

function hasPath({ to, ti }: Keyframe): boolean {
  return [to, ti].some((tangent) => Array.isArray(tangent) && tangent.some((part) => part !== 0));
}

/** Old documents store a keyframe's end value in the keyframe itself. */
function endOf({ e }: Keyframe, { s }: Keyframe): readonly number[] | null {
  const end = s ?? e;
  return isNumberList(end) ? end : null;
}

/** Gives the last keyframe of an old document the value that the keyframe before it stored. */
function withValue(frame: Keyframe, previous: Keyframe | undefined, frames: readonly Keyframe[]): Keyframe {
  if (frame.s !== undefined || previous === undefined) return frame;
  const storedEnd = frames[frames.findIndex(({ t }) => t === frame.t) - 1]?.e;
  return storedEnd === undefined ? frame : { ...frame, s: storedEnd };
}

/** Returns the easing of a dimension in the form for all dimensions. */
function curveOf({ o, i }: Keyframe, dimension: number): { o: object; i: object } {
  const at = (handle: unknown, otherwise: number): object => {
    if (!isRecord(handle)) return { x: otherwise, y: otherwise };
    const of = (value: unknown): unknown => (Array.isArray(value) ? (value[dimension] ?? value[0]) : value);
    return { x: of(handle.x), y: of(handle.y) };
  };
  return { o: at(o, 0), i: at(i, 1) };
}
