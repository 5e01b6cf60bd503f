import { isNumberList, isRecord } from '../../../kernel/json.ts';
import { type LottieNode, mapped } from '../lottie-layers.ts';

type Point = readonly number[];

/**
 * Returns a property without the handles of motion paths that are straight lines. Where such handles reach past the ends of the
 * line, the renderer moves beyond the ends and back, and an easing beyond 0..1 stops at the ends. lottie-web ignores the handles.
 * Unchanged properties are not copied.
 */
export function withoutStraightPaths(property: LottieNode): LottieNode {
  if (!Array.isArray(property.k)) return property;
  const frames: readonly unknown[] = property.k;
  const k = mapped(frames, (frame, index) => {
    if (!isStraight(frame, frames[index + 1])) return frame;
    const { to, ti, ...straight } = frame;
    return straight;
  });
  return k === frames ? property : { ...property, k };
}

/** Documents that store the end of a keyframe in the keyframe itself are left as they are after the last value, as lottie-web does. */
function isStraight({ s, to, ti }: LottieNode, next: unknown): boolean {
  const ends = [s, isRecord(next) ? next.s : undefined, to, ti];
  if (!ends.every(isPoint)) return false;
  const [start, end, out, into] = ends as [Point, Point, Point, Point];
  if (start.length !== end.length || start.every((value, axis) => value === end[axis])) return false;
  return isOnLine(start, end, plus(start, out)) && isOnLine(start, end, plus(end, into));
}

function isPoint(value: unknown): value is Point {
  return isNumberList(value) && (value.length === 2 || value.length === 3);
}

function plus(point: Point, handle: Point): Point {
  return point.map((value, axis) => value + (handle[axis] ?? 0));
}

/** Returns whether three points are on one line, with the tolerance of lottie-web. Points with a depth never are. */
function isOnLine(a: Point, b: Point, c: Point): boolean {
  if ([a, b, c].some(([, , z = 0]) => z !== 0)) return false;
  const [[ax = 0, ay = 0], [bx = 0, by = 0], [cx = 0, cy = 0]] = [a, b, c];
  return Math.abs(ax * by + ay * cx + bx * cy - cx * by - cy * ax - bx * ay) < 0.001;
}
