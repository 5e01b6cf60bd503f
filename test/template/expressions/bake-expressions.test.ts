import { beforeAll, describe, expect, it } from 'vitest';
import {
  bakeExpressions,
  type Evaluate,
  restoreExpressions,
} from '../../../src/template/expressions/bake-expressions.ts';
import { initPackage, isPackage } from '../../../src/template/init/init-package.ts';
import { findUnsupported } from '../../../src/template/lottie/find-unsupported.ts';
import { propertyValue } from '../../../src/template/lottie/property-value.ts';
import type { LottieDocument } from '../../../src/template/scene.ts';
import { evaluator } from '../../support/evaluator.ts';
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

const EASE = { o: { x: 0, y: 0 }, i: { x: 1, y: 1 } };
const animated = (...keys: [frame: number, ...value: number[]][]) => ({
  a: 1,
  k: keys.map(([t, ...s]) => ({ t, s, ...EASE })),
});
const slider = (name: string, value: number) => ({ ty: 5, nm: name, ix: 1, np: 3, mn: 'ADBE Slider Control', en: 1, ef: [{ ty: 0, nm: 'Slider', mn: 'ADBE Slider Control-0001', ix: 1, v: still(value) }] }); // biome-ignore format: one effect
const boxLayer = (name: string, ks: object, changes: object = {}) =>
  shapeLayer(name, [rectangle(0, 0, 20, 10), fill([1, 0, 0, 1])], { ks: { ...TRANSFORM, ...ks }, ...changes });

let evaluate: Evaluate;
beforeAll(async () => {
  evaluate = await evaluator();
});

/** Returns the rotation of the first layer at a frame, after baking its expression. */
function rotationAt(frame: number, x: string, r: object = still(10), changes: object = {}): number | null {
  const helper = boxLayer('helper', { p: animated([0, 0, 0, 0], [30, 60, 90, 0]), r: still(30) }, { ef: [slider('Amount', 7)] }); // biome-ignore format: one layer
  const animation = lottie([boxLayer('box', { r: { ...r, x }, p: still([50, 40, 0]) }, changes), helper], {
    nm: 'main',
  });
  const [result] = bakeExpressions(animation, evaluate);
  if (result!.failure !== null) throw new Error(result!.failure);
  return propertyValue((animation.layers[0] as { ks: { r: unknown } }).ks.r, frame)![0] ?? null;
}

const SWING = animated([0, 0], [10, 20], [20, 0]);
const RISE = animated([10, 0], [20, 30]);

describe('bakeExpressions()', () => {
  it.each<[x: string, frame: number, value: number, r?: object]>([
    ['time * 30', 12, 12],
    ['value + time', 30, 11],
    ['index', 0, 1],
    ['thisLayer.index + thisComp.layer("helper").index', 0, 3],
    ['thisComp.width + thisComp.height', 0, 300],
    ['thisComp.duration', 0, 2],
    ['thisComp.numLayers', 0, 2],
    ['thisComp.layer("helper").transform.rotation + 1', 0, 31],
    ['thisComp.layer("helper").transform.position[1]', 15, 45],
    ['thisComp.layer(2).position.valueAtTime(0.5)[0]', 0, 30],
    ['thisComp.layer("helper").effect("Amount")("Slider") * 2', 0, 14],
    ['thisComp.layer("helper").toComp([10, 0, 0])[0]', 0, 10 * Math.cos(Math.PI / 6)],
    ['thisComp.layer("helper").fromComp([0, 0, 0])[0]', 30, -(60 * Math.cos(Math.PI / 6) + 90 * Math.sin(Math.PI / 6))],
    ['loopOut()', 25, 10, SWING],
    ['loopOut("cycle")', 25, 10, SWING],
    ['loopOut("pingpong")', 25, 15, RISE],
    ['loopOut("offset")', 25, 45, RISE],
    ['loopOut("continue")', 30, 60, RISE],
    ['loopOutDuration("cycle", 1/3)', 25, 10, SWING],
    ['loopIn("cycle")', 5, 15, RISE],
    ['loopIn("pingpong")', 5, 15, RISE],
    ['valueAtTime(0.5)', 0, 15, RISE],
    ['key(2).value[0] + key(1).time', 0, 30 + 1 / 3, RISE],
    ['nearestKey(0.6).index', 0, 2, RISE],
    ['numKeys', 0, 2, RISE],
    ['linear(time, 0, 1, 0, 100)', 15, 50],
    ['linear(0.25, 0, 8)', 0, 2],
    ['ease(time, 0, 1, 0, 100)', 15, 50.2],
    ['easeIn(time, 0, 1, 0, 100)', 30, 100],
    ['easeOut(time, 0, 1, 0, 100)', 0, 0],
    ['clamp(time * 100, 5, 60)', 59, 60],
    ['Math.round(Math.sin(Math.PI / 2) * 10)', 0, 10],
    ['degreesToRadians(180) + radiansToDegrees(Math.PI)', 0, 180 + Math.PI],
    ['degrees_to_radians(180)', 0, Math.PI],
    ['length([3, 4]) + length([0, 0], [6, 8])', 0, 15],
    ['normalize([3, 4])[1]', 0, 0.8],
    ['$bm_sum([1, 2], [3, 4])[1] + $bm_mul([1, 2], 3)[1]', 0, 12],
    ['rgbToHsl([1, 0, 0, 1])[1] + hslToRgb([0, 1, 0.5, 1])[0]', 0, 2],
    ['framesToTime(30) + timeToFrames(1)', 0, 31],
    ['var $bm_rt; posterizeTime(2); $bm_rt = time * 10;', 20, 5],
    ['inPoint + outPoint', 0, 2],
    ['var $bm_rt; if (time < 1) { $bm_rt = 5; } else { $bm_rt = 9; }', 40, 9],
    ['var $bm_rt; var t = 0; for (var i = 0; i < 4; i++) t += i; $bm_rt = t;', 0, 6],
    ['name.length', 0, 3],
    ['hasParent ? 1 : 2', 0, 2],
    ['var $bm_rt; amount = 4; $bm_rt = amount * 2;', 0, 8],
    ['comp("main").layer("helper").index', 0, 2],
  ])('evaluates %s', (x, frame, value, r = still(10)) => {
    const code = x.startsWith('var $bm_rt') ? x : `var $bm_rt; $bm_rt = ${x};`;
    expect(rotationAt(frame, code, r)).toBeCloseTo(value, 1);
  });

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
      { ty: 'sh', ks: { ...still({ c: true, v: [[0, 0], [10, 0], [10, 10]], i: [[0, 0], [0, 0], [0, 0]], o: [[0, 0], [0, 0], [0, 0]] }), x: 'var $bm_rt; $bm_rt = createPath([[0, 0], [time * 30, 0], [5, 5]], [], [], false);' } }, // biome-ignore format: one path
      fill([1, 0, 0, 1], { c: { ...still([1, 0, 0, 1]), x: 'var $bm_rt; $bm_rt = [0, time / 2, 0, 1];' } }),
    ]);
    const words = textLayer('words', 'none');
    Object.assign((words as { t: { d: object } }).t.d, { x: "var $bm_rt; $bm_rt = 'No. ' + Math.floor(time);" });
    const animation = lottie([shape, words], { fonts: FONTS });
    expect(bakeExpressions(animation, evaluate).map(({ failure }) => failure)).toEqual([null, null, null]);
    const [path, color] = (animation.layers[0] as { shapes: { it: { ks: { k: unknown[] }; c: unknown }[] }[] }).shapes[0]!.it; // biome-ignore format: one cast
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

  it('thins keyframes up to a twentieth of a unit', () => {
    const x = 'var $bm_rt; $bm_rt = 10 * Math.sin(time * 3);';
    const animation = lottie([boxLayer('box', { r: { ...still(0), x } })]);
    bakeExpressions(animation, evaluate);
    const { r } = (animation.layers[0] as { ks: { r: { k: unknown[] } } }).ks;
    expect(r.k.length).toBeLessThan(35);
    for (let frame = 0; frame < 60; frame++) {
      expect(Math.abs(propertyValue(r, frame)![0]! - 10 * Math.sin(frame / 10))).toBeLessThanOrEqual(0.051);
    }
  });

  it.each([
    ['$bm_rt = missing.value;', /missing/],
    ['$bm_rt = ;', /SyntaxError/],
    ['$bm_rt = 0 / 0;', /no number/],
    ['while (true) {}', /too long/],
    ['for (;;) { try { while (true) {} } catch (error) {} }', /too long/],
    ["var a = 'x'; while (true) a += a;", /out of memory|too long|string|Range/i],
    ['$bm_rt = thisLayer.sourceRectAtTime().width;', /sourceRectAtTime of a shape layer/],
    ['function f() { return f() + 1; } $bm_rt = f();', /stack|Internal|Range/],
    ["$bm_rt = 'a'.repeat(1e9);", /string|memory|Range|number/i],
  ])('reports an expression that cannot be evaluated: %s', async (x, reason) => {
    const strict = await evaluator({ memoryBytes: 16 * 1024 * 1024, steps: 1000, stepsPerFrame: 100 });
    const good = 'var $bm_rt; $bm_rt = time * 30;';
    const animation = lottie([
      boxLayer('bad', { r: { ...still(3), x: `var $bm_rt; ${x}` } }),
      boxLayer('good', { r: { ...still(0), x: good } }),
    ]);
    const [bad, other] = bakeExpressions(animation, strict);
    expect(bad).toMatchObject({ layer: 'bad', pointer: '/layers/0/ks/r', failure: expect.stringMatching(reason) });
    expect(other!.failure).toBeNull();
    expect(findUnsupported(animation)).toMatchObject([{ feature: 'expression', layer: 'bad' }]);
  });

  it.each([
    'Object.prototype.toString = Array.prototype.push = JSON.parse = function () { throw 1; }; $bm_rt = 4;',
    "Object.defineProperty(Object.prototype, 'v', { get: function () { return 'x'; } }); $bm_rt = 4;",
    'JSON.stringify = function () { return \'{"instances":[{"id":0,"samples":[{"time":0,"value":"x"}]}]}\'; }; $bm_rt = 1;',
    'globalThis.player.results = function () { return 7; }; $bm_rt = 1;',
  ])('accepts only valid values from a hostile script: %s', (x) => {
    const animation = lottie([boxLayer('box', { r: { ...still(3), x: `var $bm_rt; ${x}` } })]);
    const before = structuredClone(animation);
    const [result] = bakeExpressions(animation, evaluate);
    if (result!.failure === null)
      expect(propertyValue((animation.layers[0] as { ks: { r: unknown } }).ks.r, 5)).toEqual([4]); // biome-ignore format: one line
    else expect(animation).toEqual(before);
  });

  it('gives scripts no way out of the sandbox', () => {
    const names = ['process', 'require', 'fetch', 'XMLHttpRequest', 'WebAssembly', 'Worker', 'std', 'os'];
    const x = `var $bm_rt; $bm_rt = ${names.map((name) => `(typeof ${name} === 'undefined' || ${name} === null ? 0 : 1)`).join(' + ')};`;
    expect(rotationAt(0, x)).toBe(0);
    expect(rotationAt(0, 'var $bm_rt; $bm_rt = new Function("return typeof process")() === "undefined" ? 1 : 0;')).toBe(
      1,
    );
  });

  it('reports an expression that differs between two uses of its composition', () => {
    const x = "var $bm_rt; $bm_rt = comp('main') ? time * 30 : 0;";
    const inner = [
      boxLayer('inner', { r: { ...still(0), x: x.replace("comp('main') ? time * 30 : 0", 'random(360)') } }),
    ];
    const comp = (ind: number) => ({ ty: 0, ind, nm: `use ${ind}`, refId: 'a', w: 200, h: 100, ip: 0, op: 60, st: 0, sr: 1, ks: TRANSFORM }); // biome-ignore format: one layer
    const animation: LottieDocument = lottie([comp(1), comp(2)], { nm: 'main', assets: [{ id: 'a', layers: inner }] });
    expect(bakeExpressions(animation, evaluate)[0]!.failure).toMatch(/differs between/);
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
