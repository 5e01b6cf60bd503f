import { type PathValue, type Property, still } from './keyframes.ts';

/** An item of a shape layer. */
export type Shape = Readonly<Record<string, unknown>>;

/** A rectangle around its position; `round` is the corner radius, at most half of the shorter side is used. */
export function rectangle(position: Property, size: Property, round: Property = still(0)): Shape {
  return { ty: 'rc', d: 1, p: position, s: size, r: round };
}

/** An ellipse around its position; `size` is both diameters. */
export function ellipse(position: Property, size: Property): Shape {
  return { ty: 'el', d: 1, p: position, s: size };
}

export function path(shape: Property): Shape {
  return { ty: 'sh', ind: 0, ks: shape };
}

/** A straight or bent line through points. */
export function polyline(points: readonly (readonly [number, number])[], closed = false): PathValue {
  const rest = points.map(() => [0, 0]);
  return { c: closed, v: points, i: rest, o: rest };
}

/** A box in a layer's pixels, from its top left corner. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The outline of a box, for a mask. */
export function rectanglePath({ x, y, width, height }: Box): PathValue {
  const corners: [number, number][] = [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
  ];
  return polyline(corners, true);
}

/** How far a handle reaches from the end of a quarter of a circle, in radii. */
const QUARTER = 0.5523;

/** The same with rounded corners; a radius of more than half of the shorter side counts as that. */
export function roundedPath({ x, y, width, height }: Box, radius: number): PathValue {
  const round = Math.min(radius, width / 2, height / 2);
  const reach = round * QUARTER;
  const [right, bottom] = [x + width, y + height];
  const points = [
    { at: [x, y + round], into: [0, 0], out: [0, -reach] },
    { at: [x + round, y], into: [-reach, 0], out: [0, 0] },
    { at: [right - round, y], into: [0, 0], out: [reach, 0] },
    { at: [right, y + round], into: [0, -reach], out: [0, 0] },
    { at: [right, bottom - round], into: [0, 0], out: [0, reach] },
    { at: [right - round, bottom], into: [reach, 0], out: [0, 0] },
    { at: [x + round, bottom], into: [0, 0], out: [-reach, 0] },
    { at: [x, bottom - round], into: [0, reach], out: [0, 0] },
  ];
  return {
    c: true,
    v: points.map(({ at }) => at),
    i: points.map(({ into }) => into),
    o: points.map(({ out }) => out),
  };
}

export function fill(color: Property, opacity: Property = still(100)): Shape {
  return { ty: 'fl', c: color, o: opacity, r: 1 };
}

/** A stroke with round caps and joins. */
export function stroke(color: Property, width: number, opacity: Property = still(100)): Shape {
  return { ty: 'st', c: color, o: opacity, w: still(width), lc: 2, lj: 2 };
}

/** Keeps the part of the outlines between two percentages; `offset` turns it, in degrees. */
export function trim(start: Property, end: Property, offset: Property = still(0)): Shape {
  return { ty: 'tm', s: start, e: end, o: offset, m: 1 };
}

/** A vertical or slanted linear gradient of a single colour between two values of alpha (0..1). */
export function fade(
  [red, green, blue]: readonly [number, number, number],
  from: { readonly at: readonly [number, number]; readonly alpha: number },
  to: { readonly at: readonly [number, number]; readonly alpha: number },
): Shape {
  const stops = [0, red, green, blue, 1, red, green, blue, 0, from.alpha, 1, to.alpha];
  return { ty: 'gf', t: 1, s: still(from.at), e: still(to.at), g: { p: 2, k: still(stops) }, o: still(100), r: 1 };
}

/** Items that are drawn and painted together, in place. */
export function group(...items: readonly Shape[]): Shape {
  const identity = { ty: 'tr', p: still([0, 0]), a: still([0, 0]), s: still([100, 100]), r: still(0), o: still(100) };
  return { ty: 'gr', it: [...items, identity] };
}
