import type { LottieDocument } from '../../src/template/render-input.ts';
import { placed, rectangleLayer } from '../engine/inputs.ts';
import { REPAIRED_FEATURES } from './repaired-features.ts';

/** One feature of animations in its own document: 160 × 90 pixels, 20 frames. */
export interface Feature {
  readonly name: string;
  readonly document: LottieDocument;
}

const fixed = (k: unknown): object => ({ a: 0, k });
const EASE = { o: { x: 0.4, y: 0 }, i: { x: 0.6, y: 1 } };
/** Animates from one value to another over the whole length. */
const from = (start: readonly number[], end: readonly number[]): object => ({
  a: 1,
  k: [
    { t: 0, s: start, ...EASE },
    { t: 19, s: end },
  ],
});

const RED = [0.9, 0.2, 0.2, 1];
const BLUE = [0.2, 0.4, 0.9, 1];
const rectangle = { ty: 'rc', p: fixed([80, 45]), s: fixed([70, 40]), r: fixed(0) };
const ellipse = { ty: 'el', p: fixed([80, 45]), s: fixed([70, 50]) };
const star = {
  ty: 'sr',
  sy: 1,
  d: 1,
  p: fixed([80, 45]),
  pt: fixed(5),
  r: fixed(10),
  ir: fixed(18),
  is: fixed(0),
  or: fixed(38),
  os: fixed(0),
};
const polygon = { ty: 'sr', sy: 2, d: 1, p: fixed([80, 45]), pt: fixed(6), r: fixed(0), or: fixed(36), os: fixed(0) };
const curve = (closed: boolean): object => ({
  ty: 'sh',
  ks: fixed({ c: closed, v: [[30, 70], [80, 20], [130, 70]], i: [[0, 0], [-25, 0], [0, -30]], o: [[0, -30], [25, 0], [0, 0]] }), // biome-ignore format: three points
});
const fill = (c: unknown = RED): object => ({ ty: 'fl', c: fixed(c), o: fixed(100), r: 1 });
const stroke = (width: number, changes: object = {}): object => ({
  ty: 'st',
  c: fixed(BLUE),
  o: fixed(100),
  w: fixed(width),
  lc: 2,
  lj: 2,
  ...changes,
});
const turned = (changes: object = {}): object => ({ ty: 'tr', ...placed(0, 0, changes) });

/** Named like Bodymovin does: lottie-web does not draw a stroke whose dashes share a name. */
const dash = (n: 'd' | 'g' | 'o', v: object, number = 1): object => ({
  n,
  v,
  nm: `${{ d: 'dash', g: 'gap', o: 'offset' }[n]}${number === 1 ? '' : number}`,
});

function shapes(ind: number, items: readonly object[], changes: object = {}): object {
  const group = { ty: 'gr', it: [...items, turned()] };
  return { ty: 4, ind, ip: 0, op: 20, st: 0, ks: placed(), shapes: [group], ...changes };
}

const ground = rectangleLayer(90, [0, 0, 160, 90], [0.95, 0.93, 0.85]);
const spinning = { ks: placed(80, 45, { a: fixed([80, 45, 0]), r: from([0], [120]) }) };

function document(layers: readonly unknown[], changes: object = {}): LottieDocument {
  return {
    v: '5.12.1',
    w: 160,
    h: 90,
    fr: 20,
    ip: 0,
    op: 20,
    ddd: 0,
    assets: [],
    layers: [...layers, ground],
    ...changes,
  };
}

const stops = [0, 1, 0.9, 0.3, 0.5, 0.8, 0.2, 0.5, 1, 0.2, 0.3, 0.9];
const gradient = (t: 1 | 2, alpha: readonly number[] = []): object => ({
  ty: 'gf',
  t,
  o: fixed(100),
  r: 1,
  s: fixed([50, 30]),
  e: fixed([110, 60]),
  h: fixed(0),
  a: fixed(0),
  g: { p: 3, k: fixed([...stops, ...alpha]) },
});

const sharpGradient = {
  ty: 'gf',
  t: 1,
  o: fixed(100),
  r: 1,
  s: fixed([45, 45]),
  e: fixed([115, 45]),
  g: {
    p: 4,
    k: fixed([0, ...RED.slice(0, 3), 0.5, ...RED.slice(0, 3), 0.5, ...BLUE.slice(0, 3), 1, ...BLUE.slice(0, 3)]),
  },
};

const mask = (mode: string, changes: object = {}): object => ({
  mode,
  inv: false,
  o: fixed(100),
  x: fixed(0),
  pt: fixed({ c: true, v: [[60, 20], [120, 30], [100, 75], [50, 65]], i: Array(4).fill([0, 0]), o: Array(4).fill([0, 0]) }), // biome-ignore format: four points
  ...changes,
});
const masked = (...masks: object[]): LottieDocument =>
  document([shapes(1, [rectangle, fill()], { ...spinning, hasMask: true, masksProperties: masks })]);

const matted = (tt: number): LottieDocument =>
  document([
    shapes(1, [star, fill([0.7, 0.7, 0.7, 1])], { td: 1, ...spinning }),
    shapes(2, [rectangle, fill(BLUE)], { tt, tp: 1 }),
  ]);

const blended = (bm: number): LottieDocument =>
  document([shapes(1, [ellipse, fill([0.9, 0.5, 0.2, 1])], { bm, ...spinning }), shapes(2, [rectangle, fill(BLUE)])]);

/** Grows at once along one axis and slowly along the other. */
const scaledApart = {
  a: 1,
  k: [
    { t: 0, s: [40, 40, 100], o: { x: [0, 0.8, 0], y: [0.9, 0, 0] }, i: { x: [0.1, 1, 1], y: [1, 0.4, 1] } },
    { t: 20, s: [130, 160, 100] },
  ],
};

const modified = (modifier: object): LottieDocument => document([shapes(1, [star, modifier, fill(), stroke(3)])]);

const effect = (ty: number, values: readonly object[]): LottieDocument =>
  document([shapes(1, [star, fill()], { ...spinning, ef: [{ ty, nm: 'effect', en: 1, ef: values }] })]);
const value = (ty: number, v: unknown): object => ({ ty, nm: 'value', v: fixed(v) });

const dashed = (d: readonly object[], modifiers: readonly object[] = []): LottieDocument =>
  document([shapes(1, [curve(false), ...modifiers, stroke(4, { lc: 1, d })])]);

const inner = { id: 'inner', layers: [shapes(1, [ellipse, fill(BLUE)], { ks: placed(0, 0, { p: from([-50, 0, 0], [50, 0, 0]) }) })] }; // biome-ignore format: one layer
const nested = (changes: object): LottieDocument =>
  document([{ ty: 0, ind: 1, refId: 'inner', w: 160, h: 90, ip: 0, op: 20, st: 0, ks: placed(), ...changes }], {
    assets: [inner],
  });

const BLENDS = ['multiply', 'screen', 'overlay', 'darken', 'lighten', 'colour dodge', 'colour burn', 'hard light', 'soft light', 'difference', 'exclusion', 'hue', 'saturation', 'colour', 'luminosity', 'add'] as const; // biome-ignore format: a list

const DOCUMENTS: Readonly<Record<string, LottieDocument>> = {
  rectangle: document([shapes(1, [{ ...rectangle, r: fixed(12) }, fill()], spinning)]),
  ellipse: document([shapes(1, [ellipse, fill()], spinning)]),
  star: document([shapes(1, [star, fill()], spinning)]),
  'star with rounded points': document([shapes(1, [{ ...star, is: fixed(40), os: fixed(60) }, fill()])]),
  'star, reversed and trimmed': document([
    shapes(1, [{ ...star, d: 3 }, { ty: 'tm', s: fixed(10), e: from([20], [70]), o: fixed(0), m: 1 }, stroke(4)]),
  ]),
  polygon: document([shapes(1, [polygon, fill()], spinning)]),
  path: document([shapes(1, [curve(true), fill()], spinning)]),
  'several shapes, even-odd fill': document([shapes(1, [ellipse, rectangle, { ...fill(), r: 2 }])]),
  'stroke, round': document([shapes(1, [curve(false), stroke(9)])]),
  'stroke, mitre and butt': document([shapes(1, [star, stroke(5, { lc: 1, lj: 1, ml: 6 })])]),
  'stroke, dashed': dashed([dash('d', fixed(12)), dash('g', fixed(6)), dash('o', fixed(4))]),
  'stroke, dashed, two kinds of dashes': dashed([
    ...[dash('d', fixed(12)), dash('g', fixed(6)), dash('d', fixed(3), 2), dash('g', fixed(6), 2), dash('o', fixed(0))],
  ]),
  'stroke, dashed, all of it moving': dashed([
    ...[dash('d', from([4], [20])), dash('g', from([3], [12])), dash('o', from([0], [54]))],
  ]),
  'stroke, dashed and trimmed': dashed(
    [dash('d', fixed(12)), dash('g', fixed(6)), dash('o', fixed(0))],
    [{ ty: 'tm', s: fixed(10), e: from([20], [95]), o: fixed(0), m: 1 }],
  ),
  'stroke, dashed, without an offset': dashed([dash('d', fixed(12)), dash('g', fixed(6))]),
  'stroke, dashed, dashes alone': dashed([dash('d', fixed(12))]),
  'colour with an opacity of its own': document([shapes(1, [rectangle, fill([0.9, 0.2, 0.2, 0.4])])]),
  'linear gradient': document([shapes(1, [rectangle, gradient(1)])]),
  'radial gradient': document([shapes(1, [rectangle, gradient(2)])]),
  'gradient with opacity': document([shapes(1, [rectangle, gradient(1, [0, 1, 0.5, 0.4, 1, 0])])]),
  'gradient, sharp edges': document([shapes(1, [rectangle, sharpGradient])]),
  'trim paths': document([
    shapes(1, [curve(false), { ty: 'tm', s: fixed(10), e: from([20], [95]), o: fixed(0), m: 1 }, stroke(6)]),
  ]),
  'trim paths, wrapped round': document([
    shapes(1, [ellipse, { ty: 'tm', s: fixed(0), e: fixed(40), o: from([0], [300]), m: 1 }, stroke(6)]),
  ]),
  repeater: document([
    shapes(1, [
      { ty: 'rc', p: fixed([20, 45]), s: fixed([14, 40]), r: fixed(2) },
      fill(),
      { ty: 'rp', c: fixed(5), o: fixed(0), m: 1, tr: { ...placed(26, 0, { r: fixed(8) }), so: fixed(100), eo: fixed(30) } }, // biome-ignore format: one item
    ]),
  ]),
  'round corners': modified({ ty: 'rd', r: fixed(10) }),
  'pucker and bloat': modified({ ty: 'pb', a: fixed(30) }),
  'offset path': modified({ ty: 'op', a: fixed(5), lj: 1, ml: fixed(4) }),
  'offset path, bevelled and inwards': modified({ ty: 'op', a: fixed(-4), lj: 3, ml: fixed(4) }),
  'zig zag': modified({ ty: 'zz', r: fixed(3), s: fixed(4), pt: fixed(1) }),
  'zig zag, smooth and moving': modified({ ty: 'zz', r: fixed(2), s: from([0], [9]), pt: fixed(2) }),
  'round corners of rectangles, ellipses and paths': document([
    shapes(1, [rectangle, ellipse, curve(true), { ty: 'rd', r: from([2], [30]) }, stroke(4)]),
  ]),
  'mask, add': masked(mask('a')),
  'mask, subtract': masked(mask('s')),
  'mask, intersect': masked(mask('a'), mask('i', { o: fixed(100) })),
  'mask, inverted': masked(mask('a', { inv: true })),
  'mask, feathered': masked(mask('a', { f: fixed([8, 8]) })),
  'mask, expanded': masked(mask('a', { x: fixed(5) })),
  'matte, alpha': matted(1),
  'matte, alpha inverted': matted(2),
  'matte, alpha inverted, with hd': document([
    shapes(1, [star, fill()], { td: 1, hd: false, ...spinning }),
    shapes(2, [rectangle, fill(BLUE)], { tt: 2 }),
  ]),
  'matte, alpha inverted, without a paint': document([
    shapes(1, [star], { td: 1 }),
    shapes(2, [rectangle, fill(BLUE)], { tt: 2, tp: 1 }),
  ]),
  'matte, luma': matted(3),
  'matte, luma inverted': matted(4),
  ...Object.fromEntries(BLENDS.map((name, index) => [`blend mode, ${name}`, blended(index + 1)])),
  'blend mode of a fill in a translucent layer': document([
    shapes(1, [star, { ...fill(), bm: 1 }], { ks: placed(0, 0, { o: fixed(60) }) }),
    shapes(2, [rectangle, fill(BLUE)]),
  ]),
  'opacity of a layer': document([shapes(1, [star, fill()], { ks: placed(0, 0, { o: from([10], [90]) }) })]),
  'scale, eased differently along each axis': document([
    shapes(1, [star, fill()], { ks: placed(80, 45, { a: fixed([80, 45, 0]), s: scaledApart }) }),
  ]),
  'scale and anchor': document([
    shapes(1, [star, fill()], {
      ks: placed(80, 45, { a: fixed([80, 45, 0]), s: from([40, 120, 100], [130, 60, 100]) }),
    }),
  ]),
  skew: document([
    shapes(1, [rectangle, fill()], { ks: placed(80, 45, { a: fixed([80, 45, 0]), sk: fixed(25), sa: fixed(30) }) }),
  ]),
  parent: document([
    { ty: 3, ind: 5, ip: 0, op: 20, st: 0, ks: placed(80, 45, { r: from([0], [90]) }) },
    shapes(1, [star, fill()], { parent: 5, ks: placed(-80, -45) }),
  ]),
  'solid layer': document([{ ty: 1, ind: 1, ip: 0, op: 20, st: 0, ...spinning, sw: 160, sh: 90, sc: '#3366cc' }]),
  'curved motion path': document([
    shapes(1, [{ ty: 'el', p: fixed([0, 0]), s: fixed([24, 24]) }, fill()], {
      ks: placed(0, 0, { p: { a: 1, k: [{ t: 0, s: [20, 70, 0], to: [30, -70, 0], ti: [-30, -70, 0], ...EASE }, { t: 19, s: [140, 70, 0] }] } }), // biome-ignore format: one property
    }),
  ]),
  'straight motion path, handles beyond its end': document([
    shapes(1, [{ ty: 'el', p: fixed([0, 0]), s: fixed([24, 24]) }, fill()], {
      ks: placed(0, 0, { p: { a: 1, k: [{ t: 0, s: [20, 45, 0], to: [60, 0, 0], ti: [70, 0, 0], ...EASE }, { t: 19, s: [100, 45, 0] }] } }), // biome-ignore format: one property
    }),
  ]),
  'motion path, almost straight': document([
    shapes(1, [{ ty: 'el', p: fixed([0, 0]), s: fixed([2.4, 2.4]) }, fill()], {
      parent: 2,
      ks: placed(0, 0, { p: { a: 1, k: [{ t: 0, s: [2, 4.5, 0], to: [8, -0.4, 0], ti: [0, 0, 0], ...EASE }, { t: 19, s: [14, 4.5, 0] }] } }), // biome-ignore format: one property
    }),
    { ty: 3, ind: 2, ip: 0, op: 20, st: 0, ks: placed(0, 0, { s: fixed([1000, 1000, 100]) }) },
  ]),
  'auto-orient along the path': document([
    shapes(1, [{ ty: 'rc', p: fixed([0, 0]), s: fixed([30, 12]), r: fixed(0) }, fill()], {
      ao: 1,
      ks: placed(0, 0, { p: { a: 1, k: [{ t: 0, s: [20, 70, 0], to: [30, -70, 0], ti: [-30, -70, 0], ...EASE }, { t: 19, s: [140, 70, 0] }] } }), // biome-ignore format: one property
    }),
  ]),
  'hold keyframes': document([
    shapes(1, [star, fill()], {
      ks: placed(0, 0, {
        o: {
          a: 1,
          k: [
            { t: 0, s: [100], h: 1 },
            { t: 8, s: [30], h: 1 },
          ],
        },
      }),
    }),
  ]),
  'precomposition, later and slower': nested({ st: 3, sr: 1.5 }),
  'time remapping': nested({ tm: from([0.8], [0]) }),
  'time remapping, to the end': nested({ tm: fixed(1) }),
  'layer in three dimensions': document(
    [shapes(1, [rectangle, fill()], { ddd: 1, ks: { ...placed(80, 45, { a: fixed([80, 45, 0]) }), r: undefined, rx: fixed(0), ry: from([0], [60]), rz: fixed(15), or: fixed([0, 0, 0]) } })], // biome-ignore format: one layer
    { ddd: 1 },
  ),
  'orientation that moves in several axes': document(
    [shapes(1, [rectangle, fill()], { ddd: 1, ks: { ...placed(80, 45, { a: fixed([80, 45, 0]) }), r: undefined, rx: fixed(0), ry: fixed(0), rz: fixed(0), or: { a: 1, k: [{ t: 0, s: [320, 30, 100], o: { x: 0.167, y: 0.167 }, i: { x: 0.833, y: 0.833 } }, { t: 19, s: [20, 330, 250] }] } } })], // biome-ignore format: one layer
    { ddd: 1 },
  ),
  'effect, Set Matte': document([
    shapes(1, [rectangle, fill(BLUE)], { ef: [{ ty: 28, nm: 'effect', mn: 'ADBE Set Matte3', en: 1, ef: [value(10, 2), value(7, 4), value(7, 0)] }] }), // biome-ignore format: one layer
    shapes(2, [star, fill()], spinning),
  ]),
  'effect, tint': effect(20, [value(2, [0.1, 0.1, 0.4, 1]), value(2, [1, 0.9, 0.5, 1]), value(0, 100)]),
  'effect, fill': effect(21, [value(10, 0), value(7, 0), value(2, [0.1, 0.6, 0.3, 1]), value(7, 0), value(0, 0), value(0, 0), value(0, 1)]), // biome-ignore format: one effect
  'effect, tritone': effect(23, [value(2, [1, 1, 0.8, 1]), value(2, [0.6, 0.3, 0.2, 1]), value(2, [0.1, 0, 0.2, 1])]),
  'effect, drop shadow': effect(25, [value(2, [0, 0, 0, 1]), value(0, 160), value(1, 135), value(0, 8), value(0, 6)]),
  'effect, Gaussian blur': effect(29, [value(0, 12), value(7, 1), value(7, 0)]),
};

const REPAIRED = Object.entries(REPAIRED_FEATURES).map(([name, layers]) => [name, document(layers)] as const);

const ALL = [...Object.entries(DOCUMENTS), ...REPAIRED];
export const FEATURES: readonly Feature[] = ALL.map(([name, one]) => ({ name, document: one }));
