import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readImageHeader } from '../../src/engine/images/image-header.ts';
import type { LottieSource } from '../../src/template/init/lottie-source.ts';
import type { LottieDocument } from '../../src/template/render-input.ts';

/** A property with one value. */
export const still = (k: unknown) => ({ a: 0, k });

export const TRANSFORM = {
  o: still(100),
  r: still(0),
  p: still([0, 0, 0]),
  a: still([0, 0, 0]),
  s: still([100, 100, 100]),
};

const LAYER = { ip: 0, op: 60, st: 0, sr: 1, bm: 0, ddd: 0, ks: TRANSFORM };

/** An animation of 200 × 100 pixels, 2 seconds at 30 frames per second. */
export function lottie(layers: readonly object[], changes: object = {}): LottieDocument {
  const document = { v: '5.11.0', fr: 30, ip: 0, op: 60, w: 200, h: 100, ddd: 0, assets: [], ...changes };
  return { ...document, layers: layers.map((layer, index) => ({ ind: index + 1, ...layer })) } as LottieDocument;
}

export function textLayer(name: string, text: string, changes: object = {}, style: object = {}): object {
  const words = { t: text, f: 'Test-Regular', s: 20, fc: [1, 1, 1], j: 0, lh: 24, tr: 0, ...style };
  const t = { d: { k: [{ t: 0, s: words }] }, p: {}, m: { g: 1, a: still([0, 0]) }, a: [] };
  return { ...LAYER, ty: 5, nm: name, ks: { ...TRANSFORM, p: still([10, 60, 0]) }, t, ...changes };
}

export function shapeLayer(name: string, items: readonly object[], changes: object = {}): object {
  const group = { ty: 'gr', it: [...items, { ty: 'tr', ...TRANSFORM, sk: still(0), sa: still(0) }] };
  return { ...LAYER, ty: 4, nm: name, shapes: [group], ...changes };
}

export const rectangle = (x: number, y: number, width: number, height: number) => ({
  ty: 'rc',
  p: still([x, y]),
  s: still([width, height]),
  r: still(0),
});

export const fill = (color: readonly number[], changes: object = {}) => ({
  ty: 'fl',
  c: still(color),
  o: still(100),
  r: 1,
  ...changes,
});

export function imageLayer(name: string, refId: string, changes: object = {}): object {
  return { ...LAYER, ty: 2, nm: name, refId, ...changes };
}

export const FONTS = { list: [{ fName: 'Test-Regular', fFamily: 'Test', fStyle: 'Regular', ascent: 75, origin: 0 }] };

export const FONT_BYTES = new Uint8Array(
  readFileSync(join(import.meta.dirname, '../../templates/story/fonts/InstrumentSans-Medium.ttf')),
);

/** An animation with its accompanying files. */
export function sourceOf(animation: unknown, beside: Readonly<Record<string, Uint8Array>> = {}): LottieSource {
  return {
    name: 'promo',
    animation,
    files: new Map(),
    furtherAnimations: [],
    readAdjacent: (path) => beside[path] ?? null,
    adjacentFonts: Object.keys(beside),
    readImage: readImageHeader,
  };
}
