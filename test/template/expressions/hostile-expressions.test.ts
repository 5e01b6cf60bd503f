import { beforeAll, describe, expect, it } from 'vitest';
import { bakeExpressions, type Evaluate } from '../../../src/template/expressions/bake-expressions.ts';
import { propertyValue } from '../../../src/template/lottie/property-value.ts';
import { findUnsupported } from '../../../src/template/lottie/unsupported/find-unsupported.ts';
import type { LottieDocument } from '../../../src/template/render-input.ts';
import { evaluator } from '../../support/evaluator.ts';
import { fill, lottie, rectangle, shapeLayer, still, TRANSFORM } from '../../support/lottie-documents.ts';

const layer = (name: string, x: string) =>
  shapeLayer(name, [rectangle(0, 0, 20, 10), fill([1, 0, 0, 1])], { ks: { ...TRANSFORM, r: { ...still(3), x } } });

/** An animation with an expression and an ordinary one behind it. */
function pair(code: string): LottieDocument {
  return lottie([layer('bad', `var $bm_rt; ${code}`), layer('good', 'var $bm_rt; $bm_rt = time * 30;')]);
}

function rotation(animation: LottieDocument, index: number, frame: number): number {
  return propertyValue((animation.layers[index] as { ks: { r: unknown } }).ks.r, frame)![0]!;
}

let strict: Evaluate;
beforeAll(async () => {
  strict = await evaluator({ memoryBytes: 16 * 1024 * 1024, steps: 1000, stepsPerFrame: 100 });
});

describe('bakeExpressions() of hostile expressions', () => {
  it.each<[what: string, code: string, reason: RegExp]>([
    ['an unknown name', '$bm_rt = missing.value;', /missing/],
    ['a syntax error', '$bm_rt = ;', /SyntaxError/],
    ['no number', '$bm_rt = 0 / 0;', /no number/],
    ['no value', 'var a = 1;', /undefined|no value/],
    ['an unsupported function', '$bm_rt = thisLayer.sampleImage([0, 0])[0];', /sampleImage/],
    ['an endless loop', 'while (true) {}', /too long/],
    ['an endless loop that catches everything', 'for (;;) { try { while (true) {} } catch (error) {} }', /too long/],
    ['an endless loop in finally', 'try { throw 1; } finally { for (;;) {} }', /too long/],
    ['an endless generator', 'function* g() { for (;;) yield 1; } for (var a of g()) {}', /too long/],
    ['an endless iterator', 'var a = [...{ [Symbol.iterator]: () => ({ next: () => ({ done: false, value: 1 }) }) }];', /too long|memory/],
    ['an endless getter', 'var o = { get valueOf() { for (;;) {} } }; $bm_rt = +o;', /too long/],
    ['an endless comparison', '[3, 2, 1].sort(function () { for (;;) {} });', /too long/],
    ['an endless regular expression', '$bm_rt = /^(a+)+$/.test("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab") ? 1 : 0;', /too long|stack|no value/],
    ['a proxy that never answers', 'var p = new Proxy({}, { get() { for (;;) {} } }); $bm_rt = p.x;', /too long/],
    ['a growing text', "var a = 'x'; while (true) a += a;", /memory|too long|string/i],
    ['a huge text', "$bm_rt = 'a'.repeat(1e9);", /string|memory|Range|number/i],
    ['a growing array', 'var a = []; for (;;) a.push([a, a, a, a]);', /memory|too long/],
    ['a huge array', 'var a = new Array(4e9).fill(0); $bm_rt = a.length;', /memory|length|Range|too long/i],
    ['a huge buffer', '$bm_rt = new ArrayBuffer(2e9).byteLength;', /memory|length|Range/i],
    ['a huge map', 'var m = new Map(); for (var i = 0; ; i++) m.set(i, "value " + i);', /memory|too long/],
    ['a huge whole number', 'var n = 10n; for (;;) n = n * n;', /memory|too long|BigInt|large/i],
    ['a deep recursion', 'function f() { return f() + 1; } $bm_rt = f();', /stack|Internal|Range/],
    ['a deep recursion of two', 'var f = () => g(); var g = () => f(); $bm_rt = f();', /stack|Internal|Range/],
    ['a deep structure', 'var a = []; for (var i = 0; i < 1e5; i++) a = [a]; $bm_rt = JSON.stringify(a).length;', /stack|Internal|Range|memory|circular/i],
    ['the constructor of functions', '$bm_rt = this.constructor.constructor("return process")().pid;', /process/],
    ['a function from text', '$bm_rt = new Function("return require(\'fs\')")().length;', /require/],
    ['an import', 'import("fs").then(function () {}); $bm_rt = await 1;', /SyntaxError|Error/],
    ['the clock', '$bm_rt = new Date().getTime();', /Date is not supported/],
    ['the clock of today', '$bm_rt = Date.now();', /Date is not supported/],
    ['a thrown object without a text', 'throw { toString: function () { for (;;) {} } };', /.+/],
  ])('reports %s by its layer, and evaluates the others', (_, code, reason) => {
    const animation = pair(code);
    const [bad, good] = bakeExpressions(animation, strict);
    expect(bad).toMatchObject({ layer: 'bad', pointer: '/layers/0/ks/r', failure: expect.stringMatching(reason) });
    expect(good!.failure).toBeNull();
    expect(rotation(animation, 1, 30)).toBeCloseTo(30, 1);
    const finding = { feature: 'expression', what: expect.stringMatching(reason), layer: 'bad' };
    expect(findUnsupported(animation)).toMatchObject([finding]);
  }); // biome-ignore format: a table

  it.each([
    ['a changed prototype', 'Object.prototype.toString = Array.prototype.push = function () { throw 1; }; $bm_rt = 4;'],
    ['a getter on all objects', "Object.defineProperty(Object.prototype, 'v', { get: function () { return 'x'; } });"],
    ['a new member of all arrays', 'Array.prototype.k = 7; Function.prototype.x = "1"; $bm_rt = 4;'],
    ['a changed serialiser', 'JSON.stringify = function () { return "{}"; }; $bm_rt = 4;'],
    ['a changed player', 'player.results = function () { return 7; }; player.frame = null; $bm_rt = 4;'],
    ['a changed global', 'globalThis.Math = null; globalThis.Array = null; Object.freeze(globalThis); $bm_rt = 4;'],
    ['a getter on a global', "Object.defineProperty(globalThis, 'player', { get: function () { return null; } });"],
    ['a changed scope', '$scope = function () { return {}; }; $bm_rt = 4;'],
    [
      'a promise that never ends',
      'Promise.resolve().then(function f() { return Promise.resolve().then(f); }); $bm_rt = 4;',
    ],
    ['a timer', 'setTimeout(function () { for (;;) {} }, 0); $bm_rt = 4;'],
    ['the locale', '$bm_rt = (1234.5).toLocaleString().length > 0 ? 4 : 5;'],
  ])('lets %s change no value of another expression', (_, code) => {
    const animation = pair(code);
    const [bad, good] = bakeExpressions(animation, strict);
    expect(good!.failure).toBeNull();
    for (const frame of [0, 17, 45]) expect(rotation(animation, 1, frame)).toBeCloseTo(frame, 1);
    if (bad!.failure === null) expect(rotation(animation, 0, 0)).toBe(4);
  });

  it('gives expressions no way out of the sandbox', () => {
    const names = ['process', 'require', 'fetch', 'XMLHttpRequest', 'WebAssembly', 'Worker', 'std', 'os', 'Deno', 'Bun', 'performance']; // biome-ignore format: a list
    const counted = names.map((name) => `(typeof ${name} === 'undefined' || ${name} === null ? 0 : 1)`).join(' + ');
    const animation = pair(`$bm_rt = ${counted};`);
    bakeExpressions(animation, strict);
    expect(rotation(animation, 0, 0)).toBe(0);
  });

  it('leaves all expressions out if more of them run without an end than it restarts for', () => {
    const layers = Array.from({ length: 10 }, (_, index) => layer(`layer ${index}`, 'var $bm_rt; for (;;) {}'));
    const failures = bakeExpressions(lottie(layers), strict).map(({ failure }) => failure);
    expect(failures).toHaveLength(10);
    expect(failures.every((failure) => /too long|without an end/.test(String(failure)))).toBe(true);
  });
});
