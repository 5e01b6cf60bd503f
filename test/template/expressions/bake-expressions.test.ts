import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  bakeExpressions,
  type Evaluate,
  restoreExpressions,
  THINNING_ERROR,
} from '../../../src/template/expressions/bake-expressions.ts';
import { initPackage, isPackage } from '../../../src/template/init/init-package.ts';
import { propertyValue } from '../../../src/template/lottie/property-value.ts';
import { findUnsupported } from '../../../src/template/lottie/unsupported/find-unsupported.ts';
import type { LottieDocument } from '../../../src/template/render-input.ts';
import { evaluator } from '../../support/evaluator.ts';
import { runs } from '../../support/full-run.ts';
import {
  FONTS,
  fill,
  lottie,
  rectangle,
  shapeLayer,
  sourceOf,
  still,
  TRANSFORM,
  textLayer,
} from '../../support/lottie-documents.ts';
import { animated } from './conformance.ts';

const slider = (name: string, value: number) => ({ ty: 5, nm: name, ix: 1, np: 3, mn: 'ADBE Slider Control', en: 1, ef: [{ ty: 0, nm: 'Slider', mn: 'ADBE Slider Control-0001', ix: 1, v: still(value) }] }); // biome-ignore format: an effect
const boxLayer = (name: string, ks: object, changes: object = {}) =>
  shapeLayer(name, [rectangle(0, 0, 20, 10), fill([1, 0, 0, 1])], { ks: { ...TRANSFORM, ...ks }, ...changes });

let evaluate: Evaluate;
beforeAll(async () => {
  evaluate = await evaluator();
});

/** Returns the rotation of the first layer at a frame, after baking its expression. */
function rotationAt(frame: number, x: string, r: object = still(10), changes: object = {}): number | null {
  const helper = boxLayer('helper', { p: animated([0, 0, 0, 0], [30, 60, 90, 0]), r: still(30) }, { ef: [slider('Amount', 7)] }); // biome-ignore format: a layer
  const animation = lottie([boxLayer('box', { r: { ...r, x }, p: still([50, 40, 0]) }, changes), helper], {
    nm: 'main',
  });
  const [result] = bakeExpressions(animation, evaluate);
  if (result!.failure !== null) throw new Error(result!.failure);
  return propertyValue((animation.layers[0] as { ks: { r: unknown } }).ks.r, frame)![0] ?? null;
}

describe('bakeExpressions()', () => {
  it.each(['random(10)', 'wiggle(3, 20)', 'gaussRandom(0, 5)', 'noise(time * 9) * 50', 'temporalWiggle(2, 1)'])(
    'gives %s the same values in every evaluation',
    (x) => {
      const r = x.startsWith('temporal') ? animated([0, 0], [59, 50]) : still(10);
      const values = [0, 7, 14, 21].map((frame) => rotationAt(frame, `var $bm_rt; $bm_rt = ${x};`, r));
      expect(new Set(values).size).toBeGreaterThan(2);
      expect([0, 7, 14, 21].map((frame) => rotationAt(frame, `var $bm_rt; $bm_rt = ${x};`, r))).toEqual(values);
    },
  );

  it('keeps a timeless seed and moves wiggle within its amplitude', () => {
    const code = 'var $bm_rt; seedRandom(5, true); $bm_rt = random(0, 90);';
    expect(rotationAt(0, code)).toBe(rotationAt(31, code));
    for (let frame = 0; frame < 60; frame += 7) {
      const value = rotationAt(frame, 'var $bm_rt; $bm_rt = wiggle(3, 20);')!;
      expect(Math.abs(value - 10)).toBeLessThanOrEqual(20.1);
    }
  });

  it('bakes paths, colours, effects and words', () => {
    const shape = shapeLayer('shape', [
      { ty: 'sh', ks: { ...still({ c: true, v: [[0, 0], [10, 0], [10, 10]], i: [[0, 0], [0, 0], [0, 0]], o: [[0, 0], [0, 0], [0, 0]] }), x: 'var $bm_rt; $bm_rt = createPath([[0, 0], [time * 30, 0], [5, 5]], [], [], false);' } }, // biome-ignore format: a path
      fill([1, 0, 0, 1], { c: { ...still([1, 0, 0, 1]), x: 'var $bm_rt; $bm_rt = [0, time / 2, 0, 1];' } }),
    ]);
    const words = textLayer('words', 'none');
    Object.assign((words as { t: { d: object } }).t.d, { x: "var $bm_rt; $bm_rt = 'No. ' + Math.floor(time);" });
    const animation = lottie([shape, words], { fonts: FONTS });
    expect(bakeExpressions(animation, evaluate).map(({ failure }) => failure)).toEqual([null, null, null]);
    const [path, color] = (animation.layers[0] as { shapes: { it: { ks: { k: unknown[] }; c: unknown }[] }[] }).shapes[0]!.it; // biome-ignore format: a cast
    expect(path!.ks.k).toMatchObject([
      { t: 0, s: [{ c: false, v: [[0, 0], [0, 0], [5, 5]] }] }, // biome-ignore format: a path
      { t: 59, s: [{ v: [[0, 0], [59, 0], [5, 5]] }] }, // biome-ignore format: a path
    ]);
    expect(propertyValue(color!.c, 30)![1]).toBeCloseTo(0.5, 2);
    const { d } = (animation.layers[1] as { t: { d: { k: { t: number; s: { t: string; f: string } }[] } } }).t;
    expect(d.k.map(({ t, s }) => [t, s.t, s.f])).toEqual([
      [0, 'No. 0', 'Test-Regular'],
      [30, 'No. 1', 'Test-Regular'],
    ]);
  });

  it('places the opacity of a group in the tree of properties', () => {
    const o = { ...still(100), x: 'var $bm_rt; $bm_rt = thisProperty.propertyGroup(2).propertyIndex * 10;' };
    const group = { ty: 'gr', nm: 'group', ix: 4, it: [rectangle(0, 0, 20, 10), { ty: 'tr', ...TRANSFORM, o }] };
    const animation = lottie([{ ...shapeLayer('box', []), shapes: [group] }]);
    expect(bakeExpressions(animation, evaluate)).toMatchObject([{ layer: 'box', failure: null }]);
    const [box] = animation.layers as { shapes: { it: { o: unknown }[] }[] }[];
    expect(propertyValue(box!.shapes[0]!.it[1]!.o, 0)).toEqual([40]);
  });

  it('thins keyframes up to the documented error of a unit', async () => {
    const wave = fc.record({
      size: fc.double({ min: 0.1, max: 2000, noNaN: true }),
      speed: fc.double({ min: 0.1, max: 40, noNaN: true }),
      slope: fc.double({ min: -500, max: 500, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(wave, async ({ size, speed, slope }) => {
        const at = (frame: number) => size * Math.sin((frame / 30) * speed) + (slope * frame) / 30;
        const x = `var $bm_rt; $bm_rt = ${size} * Math.sin(time * ${speed}) + ${slope} * time;`;
        const color = `var $bm_rt; $bm_rt = [0.5 + Math.sin(time * ${speed}) / 2, time / 2, 0, 1];`;
        const animation = lottie([
          boxLayer('box', { r: { ...still(0), x } }),
          shapeLayer('paint', [fill([1, 0, 0, 1], { c: { ...still([1, 0, 0, 1]), x: color } })]),
        ]);
        bakeExpressions(animation, evaluate);
        const [{ ks }, { shapes }] = animation.layers as unknown as [{ ks: { r: { k: unknown[] } } }, { shapes: { it: { c: object }[] }[] }]; // biome-ignore format: a cast
        for (let frame = 0; frame < 60; frame++) {
          expect(Math.abs(propertyValue(ks.r, frame)![0]! - at(frame))).toBeLessThanOrEqual(THINNING_ERROR + 1e-5);
          const red = 0.5 + Math.sin((frame / 30) * speed) / 2;
          expect(Math.abs(propertyValue(shapes[0]!.it[0]!.c, frame)![0]! - red)).toBeLessThanOrEqual(1 / 512 + 1e-5);
        }
      }),
      { numRuns: runs(12) },
    );
  });

  it('reports an expression that differs between two uses of its composition', () => {
    const x = "var $bm_rt; $bm_rt = comp('main').layer('mover').rotation;";
    const comp = (ind: number) => ({ ty: 0, ind, nm: `use ${ind}`, refId: 'a', w: 200, h: 100, ip: 0, op: 60, st: ind * 10, sr: 1, ks: TRANSFORM }); // biome-ignore format: a layer
    const mover = boxLayer('mover', { r: animated([0, 0], [60, 60]) });
    const layers = [boxLayer('inner', { r: { ...still(0), x } }, { ind: 1 })];
    const animation: LottieDocument = lottie([comp(1), comp(2), mover], { nm: 'main', assets: [{ id: 'a', layers }] });
    expect(bakeExpressions(animation, evaluate)[0]!.failure).toMatch(/differs between/);
  });
});

describe('bakeExpressions() of selectors', () => {
  it('reports an expression that chooses letters, with its layer', () => {
    const selector = { t: 1, b: 1, sh: 1, r: 1, s: still(0), e: still(100), o: still(0), a: { ...still(100), x: '$bm_rt = 50 * textIndex / textTotal;' } }; // biome-ignore format: a selector
    const words = textLayer('words', 'Hello') as { t: object };
    const layer = { ...words, t: { ...words.t, a: [{ s: selector, a: { o: still(0) } }] } };
    const animation = lottie([layer], { fonts: FONTS });
    expect(bakeExpressions(animation, evaluate)).toMatchObject([{ layer: 'words', failure: expect.any(String) }]);
    expect(findUnsupported(animation).map(({ feature, pointer }) => [feature, pointer])).toEqual([
      ['expression', '/layers/0/t/a/0/s/a'],
    ]);
  });
});

describe('restoreExpressions()', () => {
  it('restores what bakeExpressions() replaced, so that it can be baked again', () => {
    const animation = lottie([boxLayer('box', { r: { ...still(3), x: 'var $bm_rt; $bm_rt = value + time;' } })]);
    const before = structuredClone(animation);
    bakeExpressions(animation, evaluate);
    expect(animation).not.toEqual(before);
    const baked = structuredClone(animation);
    expect(restoreExpressions(animation)).toBe(1);
    expect(animation).toEqual(before);
    bakeExpressions(animation, evaluate);
    expect(animation).toEqual(baked);
  });

  it('is part of initPackage(), so that a package can be baked again', () => {
    const layer = boxLayer('box', { r: { ...still(3), x: 'var $bm_rt; $bm_rt = value + time;' } });
    const first = initPackage(sourceOf(lottie([layer])), { colorLayers: 1, evaluate });
    if (!isPackage(first)) throw new Error(first.problems.join());
    const again = initPackage(sourceOf(first.animation), { colorLayers: 1, evaluate });
    expect(isPackage(again) && again.animation.layers).toEqual(first.animation.layers);
    expect(first.notes.map(({ message }) => message)).toContain('1 expression became keyframes');
  });
});
