import { describe, expect, it } from 'vitest';
import { withShortestTurns } from '../../../../src/template/lottie/drawing-form/orientation.ts';

const EASE = { o: { x: 0.167, y: 0.167 }, i: { x: 0.833, y: 0.833 } };
const frames = (...list: [t: number, s: number[], more?: object][]) => ({
  a: 1,
  k: list.map(([t, s, more]) => ({ t, s, ...EASE, ...more })),
});
const turned = (property: { k: object[] }) => {
  const { k } = withShortestTurns(property) as unknown as { k: { t: number; s: number[] }[] };
  return k.map(({ t, s }) => [t, ...s.map((angle) => Math.round(angle * 100) / 100)]);
};

describe('withShortestTurns()', () => {
  it('turns the shorter way round', () => {
    expect(turned(frames([0, [0, 0, 350]], [2, [0, 0, 10]]))).toEqual([
      [0, 0, 0, 350],
      [1, 0, 0, 360],
      [2, 0, 0, 10],
    ]);
  });

  it('turns about one axis between orientations that differ in several angles', () => {
    // From upright to a third of a turn about (1, 1, 1), which maps x to y: half of it is a sixth of a turn.
    const [, half] = turned(frames([0, [0, 0, 0]], [2, [90, 0, 90]]));
    const [x, y, z] = half!.slice(1).map((degrees) => (degrees * Math.PI) / 180);
    const cosines =
      Math.cos(x!) * Math.cos(y!) + Math.cos(x!) * Math.cos(z!) - Math.sin(x!) * Math.sin(y!) * Math.sin(z!);
    // The trace of a matrix is 1 plus twice the cosine of its angle.
    expect(cosines + Math.cos(y!) * Math.cos(z!)).toBeCloseTo(1 + 2 * Math.cos(Math.PI / 3), 3);
    expect(half![1]).toBeCloseTo(half![3]!, 1);
  });

  it('keeps what a path has left in keyframes out, and holds and close keyframes as they are', () => {
    const held = frames([0, [0, 0, 0], { to: [9, 0, 0], ti: [9, 0, 0], h: 1 }], [9, [0, 90, 0]], [10.0001, [0, 90, 0]]);
    const { k } = withShortestTurns(held) as unknown as { k: Record<string, unknown>[] };
    expect(k.map(({ t, to, h }) => [t, to, h])).toEqual([
      [0, undefined, 1],
      [9, undefined, undefined],
      [10.0001, undefined, undefined],
    ]);
  });

  it('returns orientations that do not move, and those of old documents, as they are', () => {
    for (const same of [
      { a: 0, k: [0, 30, 0] },
      { a: 1, k: [{ t: 0, s: [0, 0, 0], e: [0, 9, 0] }, { t: 9 }] },
    ]) {
      expect(withShortestTurns(same)).toBe(same);
    }
  });
});
