import { type KeyframePath, signedArea } from './path-points.ts';
import { CIRCLE } from './shape-paths.ts';
import { cross, dot, length, minus, normal, type Point, plus, times } from './vectors.ts';

/** Start, handle of the start, handle of the end, end. */
type Curve = readonly [Point, Point, Point, Point];

/** How corners and ends are filled: as `lj` of Offset Paths. */
export const JOINS = { miter: 1, round: 2, bevel: 3 } as const;

/** Number of pieces of a curve that are moved separately. */
const PIECES = 4;
/** Distance in pixels below which points are the same. */
const SAME = 1e-6;

interface Join {
  /** `lj`. */
  readonly join: number;
  /** Longest mitre, as a multiple of the distance. */
  readonly miterLimit: number;
}

/**
 * Returns the outline at a distance around a path, closed: outside of a closed path, or inside if the distance is negative, and all
 * around an open path. Loops within curves that bend more sharply than the distance stay.
 *
 * @see Tiller and Hanson, "Offsets of Two-Dimensional Profiles", IEEE Computer Graphics and Applications 4 (1984)
 */
export function offsetPath(path: KeyframePath, amount: number, join: Join): KeyframePath {
  const curves = curvesOf(path);
  if (amount === 0 || curves.length === 0) return path;
  const sides = path.c ? curves : [...curves, ...curves.toReversed().map(reversed)];
  const distance = path.c ? amount * (Math.sign(signedArea(path)) || 1) : Math.abs(amount);
  const moved = sides.map((curve) => movedCurve(curve, distance));
  const outline: Curve[] = [];
  for (const [index, curve] of sides.entries()) {
    const next = (index + 1) % sides.length;
    const joined = joinedCorner(
      { curve, moved: moved[index]! },
      { curve: sides[next]!, moved: moved[next]! },
      distance,
      join,
    );
    [moved[index], moved[next]] = [joined.before, joined.after];
    outline.push(...(index === 0 ? [] : moved[index]!), ...joined.between);
  }
  // The first curve begins where the last ends.
  return pathOf([...moved[0]!, ...outline]);
}

function curvesOf({ c, v, i, o }: KeyframePath): Curve[] {
  const at = (list: KeyframePath['v'], index: number): Point => [list[index]?.[0] ?? 0, list[index]?.[1] ?? 0];
  const count = c ? v.length : v.length - 1;
  return Array.from({ length: Math.max(0, count) }, (_, index): Curve => {
    const next = (index + 1) % v.length;
    const [start, end] = [at(v, index), at(v, next)];
    return [start, plus(start, at(o, index)), plus(end, at(i, next)), end];
  }).filter((curve) => !curve.every((point) => isSame(point, curve[0])));
}

function reversed([a, b, c, d]: Curve): Curve {
  return [d, c, b, a];
}

function movedCurve(curve: Curve, distance: number): Curve[] {
  if (isStraight(curve)) {
    const by = times(normal(directionOf(curve)), distance);
    const [from, to] = [plus(curve[0], by), plus(curve[3], by)];
    return [[from, from, to, to]];
  }
  const pieces: Curve[] = [];
  let rest = curve;
  for (let left = PIECES; left > 1; left--) {
    const [first, second] = split(rest, 1 / left);
    pieces.push(first);
    rest = second;
  }
  return [...pieces, rest].map((piece) => {
    const from = plus(piece[0], times(normal(directionOf(piece)), distance));
    const to = plus(piece[3], times(normal(times(directionOf(reversed(piece)), -1)), distance));
    const chord = length(minus(piece[3], piece[0]));
    const ratio = chord < SAME ? 1 : length(minus(to, from)) / chord;
    return [
      from,
      plus(from, times(minus(piece[1], piece[0]), ratio)),
      plus(to, times(minus(piece[2], piece[3]), ratio)),
      to,
    ];
  });
}

interface Side {
  readonly curve: Curve;
  readonly moved: Curve[];
}

/** Returns two moved sides and the curves between them. Straight sides end where they meet. */
function joinedCorner(
  { curve, moved }: Side,
  next: Side,
  distance: number,
  { join, miterLimit }: Join,
): { before: Curve[]; between: Curve[]; after: Curve[] } {
  const [end, start] = [moved.at(-1)![3], next.moved[0]![0]];
  const apart = { before: moved, between: [line(end, start)], after: next.moved };
  if (isSame(end, start)) return { ...apart, between: [] };
  const [into, out] = [times(directionOf(reversed(curve)), -1), directionOf(next.curve)];
  const corner = curve[3];
  const cosine = dot(into, out);
  const isBack = cosine < SAME - 1;
  const meeting = isBack ? corner : plus(corner, times(plus(normal(into), normal(out)), distance / (1 + cosine)));
  const isInside = !isBack && cross(into, out) * distance < 0;
  const isPointed = !isBack && join === JOINS.miter && Math.sqrt(2 / (1 + cosine)) <= miterLimit;
  if ((isInside || isPointed) && isStraight(curve) && isStraight(next.curve)) {
    return { before: [line(moved[0]![0], meeting)], between: [], after: [line(meeting, next.moved[0]![3])] };
  }
  if (isInside) return apart;
  if (join === JOINS.round) return { ...apart, between: arc(corner, end, start, distance) };
  return isPointed ? { ...apart, between: [line(end, meeting), line(meeting, start)] } : apart;
}

/** Returns an arc around a corner, in pieces of at most a quarter of a circle. */
function arc(around: Point, from: Point, to: Point, distance: number): Curve[] {
  const [a, b] = [minus(from, around), minus(to, around)];
  const angle = Math.atan2(cross(a, b), dot(a, b));
  const turn = Math.abs(Math.abs(angle) - Math.PI) < 1e-3 ? Math.sign(distance) * Math.PI : angle;
  const count = Math.ceil(Math.abs(turn) / (Math.PI / 2) - 1e-3);
  const step = turn / count;
  const handle = (CIRCLE * Math.tan(step / 4)) / Math.tan(Math.PI / 8);
  const at = (index: number): Point => {
    const [cos, sin] = [Math.cos(step * index), Math.sin(step * index)];
    return [a[0] * cos - a[1] * sin, a[0] * sin + a[1] * cos];
  };
  return Array.from({ length: count }, (_, index): Curve => {
    const [start, end] = [at(index), at(index + 1)];
    return [
      plus(around, start),
      plus(around, plus(start, times([-start[1], start[0]], handle))),
      plus(around, plus(end, times([end[1], -end[0]], handle))),
      plus(around, end),
    ];
  });
}

function pathOf(curves: readonly Curve[]): KeyframePath {
  const before = (index: number): Curve => curves[(index + curves.length - 1) % curves.length]!;
  return {
    c: true,
    v: curves.map(([start]) => [...start]),
    o: curves.map(([start, handle]) => [...minus(handle, start)]),
    i: curves.map((_, index) => [...minus(before(index)[2], before(index)[3])]),
  };
}

function split([a, b, c, d]: Curve, share: number): [Curve, Curve] {
  const between = (from: Point, to: Point): Point => plus(from, times(minus(to, from), share));
  const [ab, bc, cd] = [between(a, b), between(b, c), between(c, d)];
  const [abc, bcd] = [between(ab, bc), between(bc, cd)];
  const middle = between(abc, bcd);
  return [[a, ab, abc, middle], [middle, bcd, cd, d]]; // biome-ignore format: two curves
}

function line(from: Point, to: Point): Curve {
  return [from, from, to, to];
}

function isStraight([a, b, c, d]: Curve): boolean {
  const along = minus(d, a);
  return (
    length(along) > SAME && [b, c].every((point) => Math.abs(cross(along, minus(point, a))) < SAME * length(along))
  );
}

/** Returns the direction in which a curve starts. */
function directionOf([start, ...handlesAndEnd]: Curve): Point {
  const away = handlesAndEnd.map((point) => minus(point, start)).find((vector) => length(vector) > SAME) ?? [1, 0];
  return times(away, 1 / length(away));
}

function isSame(a: Point, b: Point): boolean {
  return length(minus(a, b)) < SAME;
}
