import { describe, expect, it } from 'vitest';
import { findUnsupported } from '../../../../src/template/lottie/unsupported/find-unsupported.ts';
import { pictureRepairs } from '../../../../src/template/template-package.ts';
import { REPAIRED_FEATURES } from '../../../field/repaired-features.ts';
import { fill, lottie, rectangle, shapeLayer, still, TRANSFORM } from '../../../support/lottie-documents.ts';

const SHAPES = [rectangle(0, 0, 9, 9), fill([1, 0, 0, 1])];

describe('pictureRepairs()', () => {
  it.each(Object.entries(REPAIRED_FEATURES))('names the repair of: %s', (_, layers) => {
    expect(pictureRepairs(lottie(layers))).toHaveLength(1);
  });

  it('names nothing in documents that were drawn right', () => {
    const so = { so: still(100), eo: still(40) };
    const right = [
      shapeLayer('s', [...SHAPES, { ty: 'rp', c: still(3), o: still(0), m: 1, tr: { ...TRANSFORM, ...so } }]),
      shapeLayer('t', [...SHAPES, { ty: 'tm', s: still(0), e: still(100), o: still(-360), m: 1 }]),
      shapeLayer('k', SHAPES, { ks: { ...TRANSFORM, sk: still(-85), sa: still(400) } }),
      { ty: 1, sw: 9, sh: 9, sc: '#AbCdEf', ks: TRANSFORM },
    ];
    expect(pictureRepairs(lottie(right))).toEqual([]);
  });

  it('names a repeater only if it is drawn otherwise', () => {
    const tr = { ...TRANSFORM, so: still(100), eo: still(0) };
    const shapes = [...SHAPES, { ty: 'rp', c: still(3), o: still(0), m: 1, tr }, fill([0, 1, 0, 1])];
    expect(pictureRepairs(lottie([shapeLayer('s', shapes)]))).toEqual([]);
  });
});

describe('findUnsupported() reports', () => {
  const found = (layer: object) =>
    findUnsupported(lottie([layer])).map(({ feature, what, pointer }) => `${feature}: ${what} ${pointer}`);

  it.each([
    ['red', ['solid_color: colour red /layers/0/sc']],
    ['rgba(1, 2, 3, 0.5)', ['solid_color: colour rgba(1, 2, 3, 0.5) /layers/0/sc']],
    ['#12', ['solid_color: colour #12 /layers/0/sc']],
    ['#1234', []],
    ['', []],
  ])('a solid whose colour is %j', (sc, findings) => {
    expect(found({ ty: 1, sw: 9, sh: 9, sc, ks: TRANSFORM })).toEqual(findings);
  });

  it.each([
    [85, []],
    [88, ['steep_skew: skew /layers/0/ks/sk']],
    [-89.5, ['steep_skew: skew /layers/0/ks/sk']],
    [265, []],
    [271, ['steep_skew: skew /layers/0/ks/sk']],
  ])('a skew of %d° if it is drawn with 85°', (angle, findings) => {
    expect(found(shapeLayer('s', SHAPES, { ks: { ...TRANSFORM, sk: still(angle) } }))).toEqual(findings);
  });
});
