import { isRecord } from '../../../kernel/json.ts';
import { keyTimes } from '../property-value.ts';

type Points = readonly (readonly number[])[];

/** A path of a keyframe: vertices, and their tangents relative to them. */
export interface KeyframePath {
  readonly c: boolean;
  readonly v: Points;
  readonly i: Points;
  readonly o: Points;
}

export function isPath(value: unknown): value is KeyframePath {
  return isRecord(value) && [value.v, value.i, value.o].every(Array.isArray);
}

/** Longest animation that is sampled at each frame. */
const MAX_FRAMES = 3600;

/**
 * Returns a path property that follows other properties: constant, or with a keyframe at each frame from their first keyframe to
 * their last. Null if that takes too many frames.
 *
 * @param properties that the path depends on
 * @param pathAt returns the path at a time of the composition
 */
export function sampledPath(properties: readonly unknown[], pathAt: (time: number) => KeyframePath): object | null {
  const times = properties.flatMap(keyTimes);
  if (times.length < 2) return { a: 0, k: pathAt(times[0] ?? 0) };
  const [first, last] = [Math.floor(Math.min(...times)), Math.ceil(Math.max(...times))];
  if (last - first > MAX_FRAMES) return null;
  const paths = Array.from({ length: last - first + 1 }, (_, index) => pathAt(first + index));
  const most = Math.max(...paths.map(({ v }) => v.length));
  // Paths with different numbers of vertices are not interpolated.
  const isHeld = paths.some(({ v }) => v.length !== most);
  const between = isHeld ? { h: 1 } : { o: { x: 0, y: 0 }, i: { x: 1, y: 1 } };
  const frames = paths.map((path, index) => {
    const frame = { t: first + index, s: [withPoints(path, most)] };
    return index < paths.length - 1 ? { ...frame, ...between } : frame;
  });
  return { a: 1, k: frames };
}

/**
 * Returns a path with more vertices that looks the same, because the renderer draws nothing where the number of vertices
 * changes between keyframes. Repeats the last vertex.
 */
export function withPoints(path: KeyframePath, count: number): KeyframePath {
  const missing = count - path.v.length;
  const last = path.v.at(-1);
  if (missing <= 0 || last === undefined) return path;
  const zeros = Array.from({ length: missing }, () => [0, 0]);
  return {
    c: path.c,
    v: [...path.v, ...zeros.map(() => last)],
    i: [...path.i, ...zeros],
    // The last of the repeated vertices leads on.
    o: [...path.o.slice(0, -1), ...zeros, path.o.at(-1)!],
  };
}

/** Returns twice the area of a path without its tangents: positive for clockwise paths, with y downwards. */
export function signedArea({ v }: KeyframePath): number {
  return v.reduce((sum, [x = 0, y = 0], index) => {
    const [nextX = 0, nextY = 0] = v[(index + 1) % v.length]!;
    return sum + x * nextY - nextX * y;
  }, 0);
}
