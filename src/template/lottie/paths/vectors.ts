/** A point of a path, or a vector between two of them, in pixels, with y downwards. */
export type Point = readonly [x: number, y: number];

/** Returns the direction to the left, which is outside of a clockwise path. */
export function normal([x, y]: Point): Point {
  return [y, -x];
}

export function plus(a: Point, b: Point): Point {
  return [a[0] + b[0], a[1] + b[1]];
}

export function minus(a: Point, b: Point): Point {
  return [a[0] - b[0], a[1] - b[1]];
}

export function times(a: Point, factor: number): Point {
  return [a[0] * factor, a[1] * factor];
}

export function dot(a: Point, b: Point): number {
  return a[0] * b[0] + a[1] * b[1];
}

export function cross(a: Point, b: Point): number {
  return a[0] * b[1] - a[1] * b[0];
}

export function length(a: Point): number {
  return Math.hypot(...a);
}
