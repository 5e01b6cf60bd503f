import { describe, expect, it } from 'vitest';
import { withSetMattes } from '../../../../src/template/lottie/drawing-form/set-matte.ts';
import { findUnsupported } from '../../../../src/template/lottie/unsupported/find-unsupported.ts';
import { fill, lottie, rectangle, shapeLayer, still } from '../../../support/lottie-documents.ts';

const SHAPES = [rectangle(0, 0, 9, 9), fill([1, 0, 0, 1])];
const values = (...list: number[]) => list.map((value) => ({ ty: 0, v: still(value) }));
const setMatte = (...list: number[]) => ({
  ty: 28,
  nm: 'Set Matte',
  mn: 'ADBE Set Matte3',
  en: 1,
  ef: values(...list),
});
const blur = { ty: 29, nm: 'blur', mn: 'ADBE Gaussian Blur 2', en: 1, ef: values(9, 1, 0) };
const layersOf = (effect: object, changes: object = {}) =>
  lottie([shapeLayer('a', SHAPES, { ef: [effect, blur], ...changes }), shapeLayer('b', SHAPES, { hd: true })]).layers;
const mattes = (layers: readonly unknown[]) =>
  (withSetMattes(layers) as Record<string, unknown>[]).map(({ nm, ind, td, tt, hd, ef }) => [nm, ind, td, tt, hd, ef]);

describe('withSetMattes()', () => {
  it('puts a copy of the named layer above the layer, as its matte', () => {
    const layers = layersOf(setMatte(2, 4, 0));
    expect(mattes(layers)).toEqual([
      ['b', 3, 1, undefined, undefined, undefined],
      ['a', 1, undefined, 1, undefined, [blur]],
      ['b', 2, undefined, undefined, true, undefined],
    ]);
  });

  it.each([
    [[2, 4, 1], 2],
    [[2, 5, 0], 3],
    [[2, 5, 1], 4],
  ])('takes alpha or luminance, plain or inverted: %j', (values, tt) => {
    expect((withSetMattes(layersOf(setMatte(...values)))[1] as { tt: number }).tt).toBe(tt);
  });

  it.each<[string, readonly unknown[]]>([
    ['names no layer', layersOf(setMatte(7, 4, 0))],
    ['takes a colour channel', layersOf(setMatte(2, 1, 0))],
    ['is switched off', layersOf({ ...setMatte(2, 4, 0), en: 0 })],
    ['has a track matte beside it', layersOf(setMatte(2, 4, 0), { tt: 1 })],
  ])('leaves an effect as it is that %s', (_, layers) => {
    expect(withSetMattes(layers)).toBe(layers);
  });

  it('is what decides whether the effect is reported', () => {
    const reported = (...list: number[]) =>
      findUnsupported(lottie(layersOf(setMatte(...list)) as object[])).map(({ what }) => what);
    expect([reported(2, 4, 0), reported(2, 1, 0)]).toEqual([[], ['Set Matte']]);
  });
});
