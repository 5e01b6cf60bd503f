import { describe, expect, it } from 'vitest';
import { drawingForm } from '../../../../src/template/lottie/drawing-form/drawing-form.ts';
import { propertyValue } from '../../../../src/template/lottie/property-value.ts';
import { fill, lottie, rectangle, shapeLayer, still, TRANSFORM } from '../../../support/lottie-documents.ts';

const EASE = { o: { x: 0, y: 0 }, i: { x: 1, y: 1 } };
const RED = fill([1, 0, 0, 1]);
const star = (changes: object) => ({
  ty: 'sr',
  nm: 'star',
  sy: 1,
  d: 1,
  p: still([50, 40]),
  pt: still(5),
  r: still(0),
  ir: still(10),
  is: still(0),
  or: still(30),
  os: still(0),
  ...changes,
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
    const animation = lottie([shapeLayer('a', [rectangle(0, 0, 9, 9), star({}), RED]), { td: 1 }]);
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
    const os = { a: 1, k: [{ t: 10, s: [0], ...EASE }, { t: 20, s: [100] }] }; // biome-ignore format: a property
    const frames = pathOf(star({ os })).ks.k as { t: number; s: { o: number[][] }[] }[];
    expect(frames.map(({ t }) => t)).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
    expect(frames[5]!.s[0]!.o[0]![0]).toBeCloseTo((Math.PI * 30 * 0.5) / 10, 6);
  });

  it('gives a star whose number of points changes as many vertices in each frame', () => {
    const pt = { a: 1, k: [{ t: 0, s: [4], ...EASE }, { t: 2, s: [6] }] }; // biome-ignore format: a property
    const frames = pathOf(star({ pt, os: still(40) })).ks.k as { h: number; s: { v: number[][]; o: number[][] }[] }[];
    expect(frames.map(({ h, s }) => [h, s[0]!.v.length, s[0]!.o.length])).toEqual([[1, 12, 12], [1, 12, 12], [undefined, 12, 12]]); // biome-ignore format: a table
    expect(frames[0]!.s[0]!.v.at(-1)).toEqual(frames[0]!.s[0]!.v[7]);
  });

  describe('of paths that modifiers change', () => {
    interface Path {
      readonly c: boolean;
      readonly v: number[][];
      readonly i: number[][];
      readonly o: number[][];
    }
    const shapesOf = (...shapes: object[]) => {
      const { layers } = drawingForm(lottie([shapeLayer('s', [...shapes, RED])]));
      return (layers[0] as Shaped).shapes[0]!.it;
    };
    const pathAfter = (...shapes: object[]) => {
      const [path, next] = shapesOf(...shapes);
      expect([path!.ty, next]).toEqual(['sh', RED]);
      return path!.ks.k as Path;
    };
    const zeros = (count: number) => Array.from({ length: count }, () => [0, 0]);
    const open = { ty: 'sh', ks: still({ c: false, v: [[0, 0], [40, 0], [40, 40]], i: zeros(3), o: zeros(3) }) }; // biome-ignore format: three points

    it('rounds corners that have no handles, at most to the middle of a side', () => {
      const corners = pathAfter(open, { ty: 'rd', r: still(10) });
      expect(corners.v).toEqual([[0, 0], [30, 0], [40, 10], [40, 40]]); // biome-ignore format: four points
      expect([...corners.o[1]!, ...corners.i[2]!].map((value) => Math.round(value * 1000) + 0)).toEqual([
        5519, 0, 0, -5519,
      ]);
      expect(pathAfter(open, { ty: 'rd', r: still(500) }).v[1]).toEqual([20, 0]);
      expect(pathAfter(rectangle(0, 0, 20, 10), { ty: 'rd', r: still(2) }).v).toHaveLength(8);
    });

    it('moves vertices to their centre and handles away from it', () => {
      const bloated = pathAfter(rectangle(0, 0, 20, 10), { ty: 'pb', a: still(50) });
      const xs = bloated.v.map(([x]) => x!);
      expect([Math.max(...xs) - Math.min(...xs), bloated.v.length]).toEqual([10, 4]);
      expect(bloated.o.map(([dx]) => Math.abs(dx!))).toEqual([10, 10, 10, 10]);
    });

    it('adds ridges on alternating sides of a segment', () => {
      const line = { ty: 'sh', ks: still({ c: false, v: [[0, 0], [30, 0]], i: zeros(2), o: zeros(2) }) }; // biome-ignore format: two points
      const { v, o } = pathAfter(line, { ty: 'zz', s: still(4), r: still(2), pt: still(1) });
      expect(v.map((point) => point.map((value) => Math.round(value) + 0))).toEqual([[0, 0], [10, -4], [20, 4], [30, 0]]); // biome-ignore format: four points
      expect(o.flat().every((value) => value === 0)).toBe(true);
      const smooth = pathAfter(line, { ty: 'zz', s: still(4), r: still(2), pt: still(2) });
      expect(smooth.o[1]!.map((value) => value + 0)).toEqual([5, 0]);
    });

    it('follows the keyframes of the path and of the modifier', () => {
      const r = { a: 1, k: [{ t: 0, s: [0], ...EASE }, { t: 10, s: [10] }] }; // biome-ignore format: a property
      const { k } = shapesOf(open, { ty: 'rd', r })[0]!.ks as { k: { t: number; s: [Path] }[] };
      expect(k.map(({ t }) => t)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      expect(k[5]!.s[0].v[1]).toEqual([35, 0]);
      // Without a radius there are fewer vertices.
      expect(k[0]!.s[0].v).toHaveLength(4);
    });

    it('changes the paths of groups, and nothing behind the modifier or switched off', () => {
      const group = { ty: 'gr', it: [open, { ty: 'tr' }] };
      const shapes = shapesOf(group, { ty: 'rd', r: still(10) }, open) as unknown as { it: { ks: { k: Path } }[] }[];
      expect(shapes[0]!.it[0]!.ks.k.v).toHaveLength(4);
      expect(shapes[1]).toBe(open);
      expect(shapesOf(open, { ty: 'rd', hd: true, r: still(10) })[0]).toBe(open);
    });

    it('leaves modifiers after merged paths to the renderer', () => {
      const shapes = [open, { ty: 'mm', mm: 1 }, { ty: 'rd', r: still(10) }];
      expect(shapesOf(...shapes).slice(0, 4)).toEqual([...shapes, RED]);
    });
  });

  it('draws masks that lighten or darken as masks that add or intersect', () => {
    const modes = ['l', 'd', 's'].map((mode) => ({ mode, pt: still(0), o: still(100) }));
    const [layer] = drawingForm(lottie([shapeLayer('s', [RED], { masksProperties: modes })])).layers;
    expect((layer as { masksProperties: { mode: string }[] }).masksProperties.map(({ mode }) => mode)).toEqual(['a', 'i', 's']); // biome-ignore format: a list
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

  describe('of motion paths', () => {
    const moved = (frame: object, next: object, more: object = {}) => {
      const p = {
        a: 1,
        k: [
          { t: 0, ...EASE, ...frame },
          { t: 10, ...next },
        ],
      };
      const layer = shapeLayer('s', [rectangle(0, 0, 9, 9), RED], { ...more, ks: { ...TRANSFORM, p } });
      const [drawn] = drawingForm(lottie([layer])).layers as { ks: { p: { k: object[] } } }[];
      return { p, drawn: drawn!.ks.p };
    };

    it.each([
      ['beyond its ends', { s: [10, 20], to: [0, -30], ti: [0, 90] }, { s: [10, 50] }],
      ['in three dimensions', { s: [10, 20, 0], to: [3, 0, 0], ti: [-3, 0, 0] }, { s: [50, 20, 0] }],
    ])('draws a straight line with handles %s without them', (_, frame, next) => {
      const { drawn } = moved(frame, next);
      expect(drawn.k).toEqual([
        { t: 0, ...EASE, s: frame.s },
        { t: 10, ...next },
      ]);
    });

    it.each([
      ['that bends', { s: [10, 20], to: [5, -30], ti: [0, 9] }, { s: [10, 50] }],
      ['that ends where it starts', { s: [10, 20], to: [0, -30], ti: [0, -30] }, { s: [10, 20] }],
      ['with a depth', { s: [10, 20, 5], to: [0, -30, 0], ti: [0, 90, 0] }, { s: [10, 50, 5] }],
      ['whose end is stored with its start', { s: [10, 20], e: [10, 50], to: [0, -30], ti: [0, 90] }, {}],
    ])('adds a keyframe for each frame of a path %s', (_, frame, next) => {
      const { p, drawn } = moved(frame, next);
      expect(drawn.k).toHaveLength(11);
      for (let t = 0; t <= 10; t++) expect(propertyValue(drawn, t)).toEqual(propertyValue(p, t));
    });

    it('adds no keyframe next to one that lies a fraction of a frame beside', () => {
      const p = { a: 1, k: [{ t: 1.9999995, s: [0, 0], to: [5, -30], ti: [0, 9], ...EASE }, { t: 5.0000004, s: [10, 50] }] }; // biome-ignore format: a property
      const layer = shapeLayer('s', [rectangle(0, 0, 9, 9), RED], { ks: { ...TRANSFORM, p } });
      const [drawn] = drawingForm(lottie([layer])).layers as { ks: { p: { k: { t: number }[] } } }[];
      expect(drawn!.ks.p.k.map(({ t }) => t)).toEqual([1.9999995, 3, 4, 5.0000004]);
    });

    it('moves along the length of the path, not of its handles', () => {
      // By the parameter of the curve, a tenth of the time would be 3 % of the way.
      const uneven = { s: [0, 0], to: [0, 0], ti: [0, 0.001], o: { x: 0, y: 0 }, i: { x: 1, y: 1 } };
      const { drawn } = moved(uneven, { s: [100, 0] });
      expect((drawn.k as unknown as { s: number[] }[]).map(({ s }) => Math.round(s[0]!))).toEqual([
        0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100,
      ]);
    });

    it('stays at the ends of the path where the easing goes beyond them', () => {
      const beyond = { s: [0, 0], to: [0, 30], ti: [0, 30], o: { x: 0.2, y: -1 }, i: { x: 0.8, y: 2 } };
      const { drawn } = moved(beyond, { s: [100, 0] });
      const at = (t: number) => (drawn.k[t] as { s: number[] }).s;
      expect([at(1), at(9)]).toEqual([[0, 0], [100, 0]]); // biome-ignore format: two points
    });

    it('turns an orientation, which moves along no path, without one', () => {
      const or = { a: 1, k: [{ t: 0, s: [10, 20, 0], to: [5, -30, 0], ti: [0, 9, 0], ...EASE }, { t: 9, s: [10, 50, 0] }] }; // biome-ignore format: a property
      const layer = shapeLayer('s', [rectangle(0, 0, 9, 9), RED], { ks: { ...TRANSFORM, or } });
      const [drawn] = drawingForm(lottie([layer])).layers as { ks: { or: { k: { s: number[] }[] } } }[];
      const { k } = drawn!.ks.or;
      expect([k.length, Math.round(k[3]!.s[1]!), k[9]!.s]).toEqual([10, 30, [10, 50, 0]]);
    });

    it('keeps the path of a layer that turns along it', () => {
      const { p, drawn } = moved({ s: [10, 20], to: [5, -30], ti: [0, 9] }, { s: [10, 50] }, { ao: 1 });
      expect(drawn).toBe(p);
    });
  });

  it('shows the last frame of a layer that is remapped to its end', () => {
    const remapped = (tm: object) => {
      const [layer] = drawingForm({ ...lottie([{ ty: 0, op: 60, tm }]), fr: 30 }).layers;
      return (layer as { tm: unknown }).tm;
    };
    expect(propertyValue(remapped(still(2)), 0)![0]).toBeCloseTo(2 - 1e-4, 6);
    const swing = { a: 1, k: [{ t: 0, s: [0], e: [2], ...EASE }, { t: 10, s: [2], ...EASE }, { t: 20, s: [1] }] }; // biome-ignore format: a property
    expect([0, 10, 20].map((t) => propertyValue(remapped(swing), t)![0])).toEqual([0, 2 - 1e-4, 1]);
    const within = { a: 1, k: [{ t: 0, s: [0], ...EASE }, { t: 10, s: [1.9] }] }; // biome-ignore format: a property
    expect(remapped(within)).toBe(within);
  });

  it('turns the axis of a skew round in layers and groups, also a moving one', () => {
    const sa = { a: 1, k: [{ t: 0, s: [10], ...EASE }, { t: 10, s: [20] }] }; // biome-ignore format: a property
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

  it('removes hd from mattes, which would be drawn themselves', () => {
    const off = { ty: 4, td: 1, hd: true };
    const on = { ty: 4, td: 1, hd: false };
    const { layers } = drawingForm(lottie([off, on, { ty: 4, hd: true }]));
    expect(layers.map((layer) => (layer as { hd?: boolean }).hd)).toEqual([undefined, undefined, true]);
  });

  describe('of fills with a blend mode', () => {
    const blend = { ...RED, bm: 3 };
    const half = { ks: { ...TRANSFORM, o: still(50) } };
    const masksOf = (layer: object, isInside = false) => {
      const document = lottie(isInside ? [] : [layer]);
      const drawn = drawingForm({ ...document, assets: isInside ? [{ id: 'inner', layers: [layer] }] : [] });
      const [first] = (isInside ? drawn.assets![0]!.layers : drawn.layers) as {
        masksProperties?: { mode: string }[];
      }[];
      return first!.masksProperties?.map(({ mode }) => mode);
    };
    const box = (paint: object, more: object = {}) => shapeLayer('s', [rectangle(0, 0, 9, 9), paint], more);
    const mask = (mode: string) => ({ masksProperties: [{ mode, o: still(100), pt: still({ c: true, v: [], i: [], o: [] }) }] }); // biome-ignore format: a mask

    it.each([
      ['in a precomposition', masksOf(box(blend), true), ['a']],
      ['of a translucent layer', masksOf(box(blend, half)), ['a']],
      ['of a masked layer', masksOf(box(blend, mask('s'))), ['s', 'i']],
      ['of a layer whose mask is off', masksOf(box(blend, mask('n'))), ['n', 'a']],
    ])('paints the layer apart with a mask: %s', (_, masks, expected) => {
      expect(masks).toEqual(expected);
    });

    it.each([
      ['of a layer that lottie-web does not paint apart', masksOf(box(blend))],
      ['that is normal', masksOf(box({ ...RED, bm: 0 }, half))],
      ['that is switched off', masksOf(box({ ...blend, hd: true }, half))],
    ])('changes nothing for a blend mode %s', (_, masks) => {
      expect(masks).toBeUndefined();
    });
  });

  it('turns a star with a broken number of points into one with whole points', () => {
    const { ty, ks } = pathOf(star({ pt: still(5.8) }));
    expect([ty, (ks.k as { v: unknown[] }).v.length]).toEqual(['sh', 10]);
  });
});

describe('drawingForm() of the number of copies', () => {
  const countOf = (c: object) => {
    const repeater = { ty: 'rp', c, o: still(0), m: 1, tr: { ...TRANSFORM, so: still(100), eo: still(100) } };
    const { layers } = drawingForm(lottie([shapeLayer('s', [rectangle(0, 0, 9, 9), RED, repeater])]));
    return (layers[0] as { shapes: { it: { c: { k: unknown } }[] }[] }).shapes[0]!.it[2]!.c;
  };

  it('counts a copy that has begun', () => {
    expect(countOf(still(2.2)).k).toBe(3);
    const moving = { a: 1, k: [{ t: 0, s: [0], ...EASE }, { t: 4, s: [2] }] }; // biome-ignore format: a property
    expect(countOf(moving).k).toEqual([0, 1, 1, 2, 2].map((count, t) => ({ t, s: [count], h: 1 })));
  });

  it('keeps whole copies', () => {
    const whole = still(3);
    expect(countOf(whole)).toBe(whole);
  });
});

describe('drawingForm() of gradients', () => {
  const stopsOf = (k: unknown, p: number) => {
    const gradient = { ty: 'gf', o: still(100), r: 1, t: 1, s: still([0, 0]), e: still([9, 0]), g: { p, k } };
    const { layers } = drawingForm(lottie([shapeLayer('s', [rectangle(0, 0, 9, 9), gradient])]));
    return (layers[0] as { shapes: { it: { g: { k: { k: unknown } } }[] }[] }).shapes[0]!.it[1]!.g.k;
  };
  const [black, white] = [[0, 0, 0], [1, 1, 1]] as const; // biome-ignore format: two colours

  it('moves stops at the same offset apart, within the gradient', () => {
    const sharp = [0, ...black, 0, ...white, 0.5, ...white, 0.5, ...black, 1, ...black, 1, ...white];
    const { k } = stopsOf(still(sharp), 6) as { k: number[] };
    expect(k.filter((_, at) => at % 4 === 0)).toEqual([0, 0.0001, 0.5, 0.5001, 0.9999, 1]);
    expect(k.filter((_, at) => at % 4 !== 0)).toEqual(sharp.filter((_, at) => at % 4 !== 0));
  });

  it('moves the stops of opacity apart too, and those of keyframes', () => {
    const sharp = [0, ...black, 1, ...white, 0, 1, 0.5, 1, 0.5, 0, 1, 0];
    const { k } = stopsOf({ a: 1, k: [{ t: 0, s: sharp, ...EASE }, { t: 9, s: sharp }] }, 2) as { k: { s: number[] }[] }; // biome-ignore format: a property
    for (const { s } of k) expect(s.slice(8)).toEqual([0, 1, 0.5, 1, 0.5001, 0, 1, 0]);
  });

  it('changes nothing where the stops are apart', () => {
    const smooth = still([0, ...black, 1, ...white]);
    expect(stopsOf(smooth, 2)).toBe(smooth);
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
    const { v } = masked(still(10), circle).pt.k as typeof circle;
    expect(v).toHaveLength(16);
    for (const [x, y] of v) expect(Math.hypot(x!, y!)).toBeCloseTo(20, 1);
    // Of a path that moves, each vertex stays.
    const moving = [{ t: 0, s: [circle], ...EASE }, { t: 9, s: [circle] }]; // biome-ignore format: two frames
    const { k } = masked(still(10), moving).pt as unknown as { k: { s: [typeof circle] }[] };
    expect(k.map(({ s: [path] }) => path.v.flat().map(Math.round))).toEqual([[0, -20, 20, 0, 0, 20, -20, 0], [0, -20, 20, 0, 0, 20, -20, 0]]); // biome-ignore format: two paths
    expect(k[0]!.s[0].o[0]![0]).toBeCloseTo(2 * h, 6);
  });

  it('animates the path where the expansion moves', () => {
    const { pt } = masked({ a: 1, k: [{ t: 0, s: [0], ...EASE }, { t: 9, s: [5] }] }); // biome-ignore format: a property
    expect(pt.k).toMatchObject([{ t: 0, s: [square], ...EASE }, { t: 9, s: [{ v: [[5, 5], [35, 5], [35, 35], [5, 35]] }] }]); // biome-ignore format: two frames
  });
});
