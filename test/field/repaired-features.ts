import { defined } from '../../src/kernel/defined.ts';
import { placed, rectangleLayer } from '../engine/inputs.ts';

/** Layers of documents that were drawn wrong without a finding. Shared with tests of pixels: 160 × 90 pixels, 20 frames. */
type Layers = readonly object[];

const fixed = (k: unknown, a: unknown = 0): object => ({ a, k });
/** Overshoots at both ends. */
const BACK = { o: { x: 0.3, y: -0.8 }, i: { x: 0.7, y: 1.8 } };
const moving = (
  start: readonly number[],
  end: readonly number[],
  easing: object = BACK,
): { a: number; k: unknown } => ({
  a: 1,
  k: [
    { t: 0, s: start, ...easing },
    { t: 19, s: end },
  ],
});
const LINE = { o: { x: 0, y: 0 }, i: { x: 1, y: 1 } };

const box = (x: number, y: number, width: number, height: number): object => ({
  ty: 'rc',
  d: 1,
  p: fixed([x, y]),
  s: fixed([width, height]),
  r: fixed(0),
});
const white = { ty: 'fl', c: fixed([1, 1, 1, 1]), o: fixed(100), r: 1 };
const line = { ty: 'st', c: fixed([1, 1, 1, 1]), o: fixed(100), w: fixed(6), lc: 1, lj: 1 };

function shapes(items: readonly object[], changes: object = {}): object {
  const group = { ty: 'gr', it: [...items, { ty: 'tr', ...placed() }] };
  return { ty: 4, ind: 1, ip: 0, op: 20, st: 0, ks: placed(), shapes: [group], ...changes };
}

/** Copies of a box of 30 × 40 pixels, 40 pixels apart. */
function repeated(count: unknown, start: unknown, end: unknown, changes: object = {}): Layers {
  const property = (value: unknown): object => (typeof value === 'number' ? fixed(value) : (value as object));
  const tr = { ...placed(40), so: property(start), eo: property(end) };
  const repeater = { ty: 'rp', c: property(count), o: fixed(0), m: 1, tr, ...changes };
  return [shapes([box(20, 45, 30, 40), white, repeater])];
}

const skewed = (sk: object): Layers => [
  shapes([box(80, 45, 40, 40), white], { ks: placed(80, 45, { a: fixed([80, 45, 0]), sk, sa: fixed(0) }) }),
];

function solid(sc: string | undefined): Layers {
  const layer = { ty: 1, ind: 1, ip: 0, op: 20, st: 0, ks: placed(30, 20), sw: 60, sh: 40 };
  return [{ ...layer, ...defined({ sc }) }, rectangleLayer(80, [0, 0, 160, 90], [0, 0.5, 0])];
}

const trimmed = (trim: object): Layers => [
  shapes([box(80, 45, 60, 60), { ty: 'tm', o: fixed(0), m: 1, ...trim }, line]),
];

const gradient = {
  ty: 'gf',
  t: 1,
  o: fixed(100),
  r: 1,
  s: fixed([30, 45]),
  e: fixed([130, 45]),
  g: { p: 2, k: moving([0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1], [0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0]) },
};

/** Position and rotation with marks that are neither 0 nor 1. */
function marked(a: unknown, position: unknown): Layers {
  return [shapes([box(40, 45, 40, 20), white], { ks: placed(0, 0, { p: fixed(position, a), r: fixed(0, a) }) })];
}

export const REPAIRED_FEATURES: Readonly<Record<string, Layers>> = {
  'repeater, fading to nothing': repeated(3, 100, 0),
  'repeater, fading from little to nothing': repeated(3, 20, 0),
  'repeater, fading in': repeated(3, 20, 100),
  'repeater, opacity moving': repeated(3, moving([100], [0], LINE), moving([0], [60], LINE)),
  'repeater, number of copies moving': repeated(moving([1], [4], LINE), 100, 20),
  'repeater, everything moving': repeated(moving([1], [4], LINE), 100, moving([0], [60], LINE), {
    o: moving([0], [0.5], LINE),
  }),
  'skew of a half turn': skewed(fixed(180)),
  'skew of more than a half turn': skewed(fixed(215)),
  'skew turning round': skewed(moving([0], [360], LINE)),
  'solid without a colour': solid(undefined),
  'solid with an empty colour': solid(''),
  'solid with a short colour': solid('#f80'),
  'solid with a translucent colour': solid('#ff880080'),
  'still properties with an unusual mark': marked(2, [60, 0, 0]),
  'moving properties with an unusual mark': marked('1', moving([0, 0, 0], [60, 0, 0], LINE).k),
  'trim paths, overshooting': trimmed({ s: fixed(0), e: moving([0], [100]) }),
  'trim paths, start overshooting': trimmed({ s: moving([100], [0]), e: fixed(100) }),
  'gradient with opacity, overshooting': [shapes([box(80, 45, 100, 60), gradient])],
};
