import { describe, expect, it } from 'vitest';
import { JOINS, offsetPath } from '../../../../src/template/lottie/paths/offset-path.ts';
import { type KeyframePath, signedArea } from '../../../../src/template/lottie/paths/path-points.ts';

const zeros = (count: number) => Array.from({ length: count }, () => [0, 0]);
const polygon = (c: boolean, ...v: number[][]): KeyframePath => ({ c, v, i: zeros(v.length), o: zeros(v.length) });
const SQUARE = polygon(true, [0, 0], [100, 0], [100, 100], [0, 100]);
const MITER = { join: JOINS.miter, miterLimit: 4 };
const rounded = (v: KeyframePath['v']) => v.map((point) => point.map((value) => Math.round(value * 100) / 100 + 0));
const around = (path: KeyframePath, [x, y]: readonly [number, number]) =>
  path.v.map(([px = 0, py = 0]) => Math.hypot(px - x, py - y));

describe('offsetPath()', () => {
  it.each([
    ['clockwise', SQUARE],
    ['counterclockwise', { ...SQUARE, v: SQUARE.v.toReversed() }],
  ])('moves the sides of a %s path outwards, and mitres its corners', (_, square) => {
    const { c, v } = offsetPath(square, 10, MITER);
    const corners = new Set(rounded(v).map((point) => point.join()));
    for (const corner of ['-10,-10', '110,-10', '110,110', '-10,110']) expect(corners).toContain(corner);
    expect([c, Math.abs(signedArea({ c, v, i: [], o: [] }) / 2)]).toEqual([true, 120 * 120]);
  });

  it('moves them inwards if the distance is negative, and cuts overlapping sides off', () => {
    expect(rounded(offsetPath(SQUARE, -10, MITER).v)).toEqual([[10, 10], [90, 10], [90, 90], [10, 90]]); // biome-ignore format: four corners
  });

  it('bevels corners that are sharper than the limit', () => {
    expect(offsetPath(SQUARE, 10, { ...MITER, miterLimit: 1.4 }).v).toHaveLength(8);
    expect(offsetPath(SQUARE, 10, { ...MITER, join: JOINS.bevel }).v).toHaveLength(8);
  });

  it('rounds corners by quarters of circles', () => {
    const { v, o } = offsetPath(SQUARE, 10, { ...MITER, join: JOINS.round });
    expect(v).toHaveLength(8);
    expect(o.filter((handle) => Math.abs(Math.hypot(...handle) - 5.519) < 0.001)).toHaveLength(4);
  });

  it('goes around an open path, with round ends', () => {
    const path = offsetPath(polygon(false, [0, 0], [100, 0]), 10, { ...MITER, join: JOINS.round });
    const xs = path.v.map(([x]) => Math.round(x!));
    expect([path.c, Math.min(...xs), Math.max(...xs)]).toEqual([true, -10, 110]);
  });

  it('keeps the distance to a circle', () => {
    const handle = 55.19;
    const circle: KeyframePath = {
      c: true,
      v: [[0, -100], [100, 0], [0, 100], [-100, 0]], // biome-ignore format: four points
      o: [
        [handle, 0],
        [0, handle],
        [-handle, 0],
        [0, -handle],
      ],
      i: [[-handle, 0], [0, -handle], [handle, 0], [0, handle]], // biome-ignore format: four handles
    };
    for (const radius of around(offsetPath(circle, 20, MITER), [0, 0])) expect(radius).toBeCloseTo(120, 0);
  });

  it('returns the path itself without a distance, or without a length', () => {
    const point = polygon(false, [5, 5], [5, 5]);
    expect([offsetPath(SQUARE, 0, MITER), offsetPath(point, 9, MITER)]).toEqual([SQUARE, point]);
  });
});
