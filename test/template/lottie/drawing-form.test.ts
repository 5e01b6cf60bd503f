import { describe, expect, it } from 'vitest';
import { drawingForm } from '../../../src/template/lottie/drawing-form.ts';
import { propertyValue } from '../../../src/template/lottie/property-value.ts';
import { fill, lottie, rectangle, shapeLayer, still, TRANSFORM } from '../../support/lottie-documents.ts';

const EASE = { o: { x: 0, y: 0 }, i: { x: 1, y: 1 } };
const RED = fill([1, 0, 0, 1]);
const star = (changes: object) => ({
  ...{ ty: 'sr', nm: 'star', sy: 1, d: 1, p: still([50, 40]), pt: still(5), r: still(0) },
  ...{ ir: still(10), is: still(0), or: still(30), os: still(0), ...changes },
});

interface Shaped {
  readonly shapes: { it: { ty: string; ks: { k: unknown } }[] }[];
}

function pathOf(shape: object) {
  const { layers } = drawingForm(lottie([shapeLayer('s', [shape, RED])]));
  return (layers[0] as Shaped).shapes[0]!.it[0]!;
}

describe('drawingForm()', () => {
  it('does not copy layers that need no change', () => {
    const animation = lottie([shapeLayer('a', [rectangle(0, 0, 9, 9), star({}), RED]), { td: 1, hd: false }]);
    const { layers } = drawingForm(animation);
    expect(layers.map((layer, index) => layer === animation.layers[index])).toEqual([true, true]);
  });

  it('turns a star with rounded points into a path with a handle on each point', () => {
    const { ty, ks } = pathOf(star({ os: still(50) }));
    const { v, o, i } = ks.k as Record<'v' | 'o' | 'i', number[][]>;
    expect([ty, v.length]).toEqual(['sh', 10]);
    expect(v[0]!.map(Math.round)).toEqual([50, 10]);
    // 2π · 30 / 20 · 50 %, along the tangent of the circle
    expect(o[0]![0]).toBeCloseTo((Math.PI * 30 * 0.5) / 10, 6);
    expect(i[0]![0]).toBeCloseTo(-(Math.PI * 30 * 0.5) / 10, 6);
    expect(Math.hypot(...o[1]!)).toBeCloseTo(0, 6);
  });

  it('turns a polygon counterclockwise where its direction is reversed', () => {
    const forward = pathOf(star({ sy: 2, pt: still(6), os: still(30) })).ks.k as { v: number[][] };
    const reversed = pathOf(star({ sy: 2, pt: still(6), os: still(30), d: 3 })).ks.k as { v: number[][] };
    expect(forward.v).toHaveLength(6);
    expect(reversed.v[1]![0]).toBeCloseTo(100 - forward.v[1]![0]!, 6);
  });

  it('turns a reversed star into a path, because a trim starts elsewhere', () => {
    expect(pathOf(star({ d: 3 })).ty).toBe('sh');
  });

  it('gives a moving star a path for each frame', () => {
    const os = { a: 1, k: [{ t: 10, s: [0], ...EASE }, { t: 20, s: [100] }] }; // biome-ignore format: one property
    const frames = pathOf(star({ os })).ks.k as { t: number; s: { o: number[][] }[] }[];
    expect(frames.map(({ t }) => t)).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
    expect(frames[5]!.s[0]!.o[0]![0]).toBeCloseTo((Math.PI * 30 * 0.5) / 10, 6);
  });

  it('gives a star whose number of points changes as many vertices in each frame', () => {
    const pt = { a: 1, k: [{ t: 0, s: [4], ...EASE }, { t: 2, s: [6] }] }; // biome-ignore format: one property
    const frames = pathOf(star({ pt, os: still(40) })).ks.k as { h: number; s: { v: number[][]; o: number[][] }[] }[];
    expect(frames.map(({ h, s }) => [h, s[0]!.v.length, s[0]!.o.length])).toEqual([[1, 12, 12], [1, 12, 12], [undefined, 12, 12]]); // biome-ignore format: a table
    expect(frames[0]!.s[0]!.v.at(-1)).toEqual(frames[0]!.s[0]!.v[7]);
  });

  describe('of keyframes whose dimensions ease differently', () => {
    const scaled = (s: object) => {
      const layer = shapeLayer('s', [rectangle(0, 0, 9, 9), RED], { ks: { ...TRANSFORM, s } });
      const [drawn] = drawingForm(lottie([layer])).layers as { ks: { s: { k: Frame[] } } }[];
      return { drawn: drawn!.ks.s };
    };
    const handles = (...y: number[]) => ({
      o: { x: y.map(() => 0.5), y: y.map(() => 0) },
      i: { x: y.map(() => 0.5), y },
    });
    const animated = (...k: object[]) => ({ a: 1, k });
    interface Frame {
      readonly t: number;
      readonly s: number[];
      readonly i?: { readonly y: unknown };
    }

    it('adds a keyframe for each frame with the same values', () => {
      const s = animated({ t: 0.5, s: [0, 0, 100], ...handles(1, 0.3, 1) }, { t: 5, s: [100, 100, 100] });
      const { drawn } = scaled(s);
      expect(drawn.k.map(({ t }) => t)).toEqual([0.5, 1, 2, 3, 4, 5]);
      for (const t of [0.5, 1, 2, 3, 4, 5]) expect(propertyValue(drawn, t)).toEqual(propertyValue(s, t));
      expect(drawn.k[2]!.s[0]).not.toBeCloseTo(drawn.k[2]!.s[1]!, 0);
    });

    it('keeps two keyframes where one dimension changes, with its easing', () => {
      const s = animated({ t: 0, s: [100, 0, 100], ...handles(1, 0.3, 1) }, { t: 5, s: [100, 100, 100] });
      expect(scaled(s).drawn.k).toMatchObject([{ t: 0, i: { x: 0.5, y: 0.3 } }, { t: 5 }]);
    });

    it.each([
      [
        'the third dimension of a scale differs',
        animated({ t: 0, s: [0, 0, 0], ...handles(1, 1, 0.3) }, { t: 5, s: [9, 9, 9] }),
      ],
      ['nothing changes', animated({ t: 0, s: [9, 9, 9], ...handles(1, 0.3, 1) }, { t: 5, s: [9, 9, 9] })],
      ['the value is held', animated({ t: 0, s: [0, 0, 9], h: 1, ...handles(1, 0.3, 1) }, { t: 5, s: [9, 9, 9] })],
    ])('changes nothing where %s', (_, s) => {
      expect(scaled(s).drawn).toBe(s);
    });

    it('keeps the end of documents that store it in the keyframe before', () => {
      const s = animated({ t: 0, s: [0, 0, 100], e: [100, 50, 100], ...handles(1, 0.3, 1) }, { t: 3 });
      expect(scaled(s).drawn.k.at(-1)).toEqual({ t: 3, s: [100, 50, 100] });
    });

    it('applies to the properties of shapes', () => {
      const size = animated({ t: 0, s: [10, 10], ...handles(1, 0.3) }, { t: 4, s: [50, 50] });
      const rectangleForm = pathOf({ ty: 'rc', p: still([0, 0]), s: size, r: still(0) }) as unknown as {
        s: { k: Frame[] };
      };
      expect(rectangleForm.s.k).toHaveLength(5);
    });
  });

  it('turns the axis of a skew round in layers and groups, also a moving one', () => {
    const sa = { a: 1, k: [{ t: 0, s: [10], ...EASE }, { t: 10, s: [20] }] }; // biome-ignore format: one property
    const layer = shapeLayer('s', [rectangle(0, 0, 9, 9), RED], { ks: { ...TRANSFORM, sk: still(15), sa } });
    const { layers } = drawingForm(lottie([layer]));
    expect(propertyValue((layers[0] as { ks: { sa: unknown } }).ks.sa, 5)).toEqual([-15]);
    expect(layer).toMatchObject({ ks: { sa } });
  });

  it('shows layers whose inverted matte paints nothing', () => {
    const bare = { ...shapeLayer('matte', [rectangle(0, 0, 9, 9)]), td: 1, ind: 7 };
    const painted = { ...shapeLayer('matte', [rectangle(0, 0, 9, 9), RED]), td: 1 };
    const modes = (...layers: object[]) =>
      drawingForm(lottie(layers)).layers.map((layer) => (layer as { tt?: number }).tt);
    const below = (tt: number, more: object = {}) => ({ ...shapeLayer('below', [RED]), tt, ...more });
    expect(modes(bare, below(2))).toEqual([undefined, 0]);
    expect(modes(bare, painted, below(4, { tp: 7 }))).toEqual([undefined, undefined, 0]);
    expect(modes(painted, below(2))).toEqual([undefined, 2]);
    expect(modes(bare, below(1))).toEqual([undefined, 1]);
  });

  it('shows mattes that are switched off', () => {
    const { layers } = drawingForm(
      lottie([
        { ty: 4, td: 1, hd: true },
        { ty: 4, hd: true },
      ]),
    );
    expect(layers).toMatchObject([{ hd: false }, { hd: true }]);
  });
});

describe('drawingForm() of masks', () => {
  const square = { c: true, v: [[10, 10], [30, 10], [30, 30], [10, 30]], i: Array(4).fill([0, 0]), o: Array(4).fill([0, 0]) }; // biome-ignore format: four points
  const masked = (x: object, k: unknown = square) => {
    const mask = { mode: 'a', inv: false, o: still(100), x, pt: { a: 0, k } };
    const { layers } = drawingForm(lottie([shapeLayer('s', [RED], { hasMask: true, masksProperties: [mask] })]));
    return (layers[0] as { masksProperties: { x: object; pt: { k: unknown } }[] }).masksProperties[0]!;
  };

  it('moves the edges of an expanded mask outwards, whatever its direction', () => {
    const { x, pt } = masked(still(5));
    expect(x).toEqual(still(0));
    expect((pt.k as typeof square).v).toEqual([[5, 5], [35, 5], [35, 35], [5, 35]]); // biome-ignore format: four points
    const reversed = masked(still(-5), { ...square, v: [...square.v].reverse() });
    expect((reversed.pt.k as typeof square).v).toEqual([[15, 25], [25, 25], [25, 15], [15, 15]]); // biome-ignore format: four points
  });

  it('keeps a circle round', () => {
    const [r, h] = [10, 5.523];
    const circle = { c: true, v: [[0, -r], [r, 0], [0, r], [-r, 0]], o: [[h, 0], [0, h], [-h, 0], [0, -h]], i: [[-h, 0], [0, -h], [h, 0], [0, h]] }; // biome-ignore format: four points
    const { v, o } = masked(still(10), circle).pt.k as typeof circle;
    expect(v.flat().map(Math.round)).toEqual([0, -20, 20, 0, 0, 20, -20, 0]);
    expect(o[0]![0]).toBeCloseTo(2 * h, 6);
  });

  it('animates the path where the expansion moves', () => {
    const { pt } = masked({ a: 1, k: [{ t: 0, s: [0], ...EASE }, { t: 9, s: [5] }] }); // biome-ignore format: one property
    expect(pt.k).toMatchObject([{ t: 0, s: [square], ...EASE }, { t: 9, s: [{ v: [[5, 5], [35, 5], [35, 35], [5, 35]] }] }]); // biome-ignore format: two frames
  });
});
