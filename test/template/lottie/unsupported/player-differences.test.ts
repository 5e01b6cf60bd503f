import { describe, expect, it } from 'vitest';
import { findUnsupported } from '../../../../src/template/lottie/unsupported/find-unsupported.ts';
import { fill, lottie, rectangle, shapeLayer, still, TRANSFORM, textLayer } from '../../../support/lottie-documents.ts';

const SHAPES = [rectangle(100, 50, 120, 60), fill([1, 0.3, 0.1, 1])];
const EASE = { o: { x: 0.3, y: 0 }, i: { x: 0.6, y: 1 } };
const moving = (start: number[], end: number[], more: object = {}) => ({
  a: 1,
  k: [
    { t: 0, s: start, ...EASE, ...more },
    { t: 20, s: end },
  ],
});
const square = { c: true, v: [[0, 0], [9, 0], [9, 9]], i: Array(3).fill([0, 0]), o: Array(3).fill([0, 0]) }; // biome-ignore format: three points
const mask = (mode: string, inv = false) => ({ mode, inv, pt: still(square), o: still(100), x: still(0) });
const effect = (ty: number, ...values: number[]) => [
  { ty, nm: 'effect', en: 1, ef: values.map((value) => ({ ty: 0, v: still(value) })) },
];
const layer = (changes: object) => shapeLayer('s', SHAPES, changes);
const scaled = (percent: number) => ({ ...TRANSFORM, s: still([percent, percent, 100]) });
const text = (changes: object, style: object) => textLayer('s', 'Hello', changes, style);
const animated = (a: object, style: object = {}, words = 'Hello') => {
  const textNode = textLayer('s', words, {}, style) as { t: object };
  return { ...textNode, t: { ...textNode.t, a: [{ s: {}, a }] } };
};
const ellipse = { ty: 'el', p: still([0, 0]), s: still([9, 9]) };
const merged = (mm: number, ...paths: object[]) => shapeLayer('s', [...paths, { ty: 'mm', mm }, SHAPES[1]!]);
const free = { ty: 'sh', ks: still(square) };
const repeated = (tr: object) =>
  shapeLayer('s', [...SHAPES, { ty: 'rp', c: still(3), o: still(0), tr: { ...TRANSFORM, ...tr } }]);
const baked = (expression: string, k: unknown) => ({ ...moving([0], [0]), k, baked: { expression, k: 0 } });
const swings = (...values: number[]) => values.map((value, t) => ({ t, s: [value], ...EASE }));

const differences = (...layers: object[]) =>
  findUnsupported(lottie(layers)).map(({ feature, what, pointer }) => `${feature} ${what} ${pointer}`);

describe('findUnsupported() of what other players draw otherwise', () => {
  it.each<[string, object]>([
    [
      'rotation around z without the other axes /layers/0/ks/rz',
      layer({ ks: { ...TRANSFORM, rz: moving([0], [90]) } }),
    ],
    [
      'Drop Shadow of a layer that is scaled or turned /layers/0/ef/0',
      layer({ ks: scaled(20), ef: effect(25, 0, 255, 90, 10, 0) }),
    ],
    ['Gaussian Blur of a layer that is scaled or turned /layers/0/ef/0', layer({ ks: scaled(300), ef: effect(29, 9) })],
    [
      'Drop Shadow of a layer that is scaled or turned /layers/0/ef/0',
      layer({ ks: { ...TRANSFORM, r: moving([0], [90]) }, ef: effect(25, 0, 255, 90, 5, 0) }),
    ],
    ['feathered mask /layers/0/masksProperties/0', layer({ masksProperties: [{ ...mask('a'), f: still([9, 9]) }] })],
    ['inverted mask /layers/0/masksProperties/0', layer({ masksProperties: [mask('a', true)] })],
    ['inverted luma matte /layers/0', layer({ tt: 4, tp: 2 })],
    ['blend mode Add /layers/0', layer({ bm: 16 })],
    ['Tint of luminance /layers/0/ef/0', layer({ ef: effect(20, 0, 0, 100) })],
    ['Tritone of luminance /layers/0/ef/0', layer({ ef: effect(23, 0, 0, 0) })],
    ['inverted mask /layers/0/masksProperties/1', layer({ masksProperties: [mask('a'), mask('s', true)] })],
    [
      'mask with the mode Difference among others /layers/0/masksProperties/1',
      layer({ masksProperties: [mask('a'), mask('f')] }),
    ],
    ['justified text /layers/0/t/d', text({}, { j: 4 })],
    ['justified text /layers/0/t/d', text({}, { j: 3, sz: [90, 90], ps: [0, 0] })],
    ['fill over the stroke of a text /layers/0/t/d', text({}, { sc: [1, 0, 0], sw: 2, of: false })],
    ['tracking of a text that is not on the left /layers/0/t/a/0/a/t', animated({ t: still(20) }, { j: 2 })],
    ['joined letters that are animated /layers/0/t/d', animated({ o: still(20) }, {}, 'आपका')],
    [
      'motion path that swings back /layers/0/ks/p',
      layer({
        ks: {
          ...TRANSFORM,
          p: moving([0, 0, 0], [90, 0, 0], { o: { x: 0.5, y: -0.5 }, to: [9, 40, 0], ti: [0, 9, 0] }),
        },
      }),
    ],
    [
      'corners of Offset Paths /layers/0/shapes/0/it/2',
      shapeLayer('s', [...SHAPES, { ty: 'op', a: still(5), lj: 1, ml: still(4) }]),
    ],
    ['Merge Paths, Subtract /layers/0/shapes/0/it/2', merged(3, ellipse, ellipse)],
    ['Repeater that turns and stretches /layers/0/shapes/0/it/2', repeated({ r: still(20), s: still([90, 50]) })],
    ['random movement /layers/0/ks/r', layer({ ks: { ...TRANSFORM, r: baked('wiggle(2, 30)', swings(0, 12, -9)) } })],
    [
      'random movement /layers/0/ks/p',
      layer({ ks: { ...TRANSFORM, p: baked('[random(9), 0]', [{ t: 0, s: [0, 0] }, { t: 1, s: [9, 0] }]) } }), // biome-ignore format: a layer
    ],
  ])('reports %s', (expected, candidate) => {
    expect(differences(candidate)).toEqual([`other_players ${expected}`]);
  });

  it('reports a layer that is taken for a matte without the mark of one', () => {
    const below = layer({ tt: 1 });
    expect(differences(layer({}), below)).toEqual(['other_players matte without the mark of one /layers/0']);
    expect(differences(layer({ td: 1 }), below, layer({}), layer({ tt: 1, tp: 1 }))).toEqual([]);
  });

  it.each<[string, object]>([
    [
      'rotations around all axes',
      layer({ ddd: 1, ks: { ...TRANSFORM, rx: still(0), ry: still(0), rz: moving([0], [90]), or: still([0, 0, 0]) } }),
    ],
    ['effects of layers that are not scaled', layer({ ef: effect(25, 0, 255, 90, 30, 9) })],
    [
      'effects of solids that are scaled',
      { ty: 1, nm: 's', sw: 9, sh: 9, sc: '#ffffff', ip: 0, op: 60, st: 0, ks: scaled(300), ef: effect(29, 90) },
    ],
    ['a shadow that is hardly moved', layer({ ks: scaled(90), ef: effect(25, 0, 255, 90, 10, 0) })],
    ['masks that are alone', layer({ masksProperties: [mask('f'), mask('n', true)] })],
    [
      'an inverted mask that runs counterclockwise',
      layer({ masksProperties: [{ ...mask('a', true), pt: still({ ...square, v: square.v.toReversed() }) }] }),
    ],
    ['point texts with the last line on the left', text({}, { j: 3 })],
    ['a stroke over the fill, and a thin one below it', text({}, { sc: [1, 0, 0], sw: 0.5, of: false })],
    ['tracking of texts on the left', animated({ t: still(20) })],
    ['letters that stand apart', animated({ o: still(20) })],
    [
      'motion paths that go beyond their end',
      layer({
        ks: {
          ...TRANSFORM,
          p: moving([0, 0, 0], [90, 0, 0], { i: { x: 0.5, y: 1.5 }, to: [9, 40, 0], ti: [0, 9, 0] }),
        },
      }),
    ],
    ['merged paths of drawing programs', merged(4, free, free)],
    ['copies that turn, or stretch', repeated({ r: still(20), s: still([90, 90]) })],
    ['a merge of one shape', merged(3, ellipse)],
    ['random movement that is not seen', layer({ ks: { ...TRANSFORM, r: baked('wiggle(2, 1)', swings(0, 1, -1)) } })],
    ['expressions without random numbers', layer({ ks: { ...TRANSFORM, r: baked('time * 90', swings(0, 90)) } })],
  ])('reports nothing of %s', (_, candidate) => {
    expect(differences(candidate)).toEqual([]);
  });
});
