import { readFileSync } from 'node:fs';
import type { LottieDocument, RenderInput } from '../../src/template/render-input.ts';

/** Small inputs that show a single feature each; sizes in pixels, times in frames. */

const still = (k: unknown) => ({ a: 0, k });

/** Transform of a layer or group at a fixed position. */
export function placed(x = 0, y = 0, changes: object = {}): Record<string, unknown> {
  return {
    o: still(100),
    r: still(0),
    p: still([x, y, 0]),
    a: still([0, 0, 0]),
    s: still([100, 100, 100]),
    ...changes,
  };
}

/** A filled rectangle as a shape layer; colour channels in 0..1. */
export function rectangleLayer(
  ind: number,
  box: readonly [x: number, y: number, width: number, height: number],
  color: readonly [number, number, number],
  changes: object = {},
): Record<string, unknown> {
  const [x, y, width, height] = box;
  const items = [
    { ty: 'rc', p: still([x + width / 2, y + height / 2]), s: still([width, height]), r: still(0) },
    { ty: 'fl', c: still([...color, 1]), o: still(100) },
    { ty: 'tr', ...placed() },
  ];
  return { ty: 4, ind, ip: 0, op: 10_000, st: 0, ks: placed(), shapes: [{ ty: 'gr', it: items }], ...changes };
}

export function imageLayer(ind: number, refId: string, x = 0, y = 0): Record<string, unknown> {
  return { ty: 2, ind, ip: 0, op: 10_000, st: 0, refId, ks: placed(x, y) };
}

const FONT = new URL('../../templates/launch/fonts/InstrumentSans-Medium.ttf', import.meta.url);

/** White text with a font embedded in the document. */
export function textLayer(ind: number, text: string, x: number, y: number, size: number): Record<string, unknown> {
  const style = { t: text, f: 'InstrumentSans-Medium', s: size, fc: [1, 1, 1], j: 0, lh: size * 1.2 };
  const t = { d: { k: [{ t: 0, s: style }] }, p: {}, m: { g: 1, a: still([0, 0]) }, a: [] };
  return { ty: 5, ind, ip: 0, op: 10_000, st: 0, ks: placed(x, y), t };
}

export function embeddedFonts(): object {
  const fPath = `data:font/ttf;base64,${readFileSync(FONT).toString('base64')}`;
  const font = {
    fName: 'InstrumentSans-Medium',
    fFamily: 'Instrument Sans',
    fStyle: 'Medium',
    ascent: 75,
    origin: 3,
    fPath,
  };
  return { list: [font] };
}

export function inputOf(layers: unknown[], changes: Partial<RenderInput> & { document?: object } = {}): RenderInput {
  const { document = {}, ...renderInput } = changes;
  const { width = 64, height = 36, fps = 30, frameCount = 6 } = renderInput;
  const animation: LottieDocument = {
    v: '5.11.0',
    w: width,
    h: height,
    fr: fps,
    ip: 0,
    op: frameCount,
    assets: [],
    layers,
    ...document,
  };
  return {
    output: { format: 'mp4', quality: 'high', fingerprint: null },
    width,
    height,
    fps,
    frameCount,
    animation,
    fonts: [],
    images: [],
    clips: [],
    sounds: [],
    stills: [],
    ...renderInput,
  };
}

/** A square moving from left to right over a blue background with a word on it; a still at the end. */
export function movingInput(changes: Partial<RenderInput> = {}): RenderInput {
  const frameCount = changes.frameCount ?? 12;
  const ease = { o: { x: 0.3, y: 0 }, i: { x: 0.7, y: 1 } };
  const path = {
    a: 1,
    k: [
      { t: 0, s: [0, 40, 0], ...ease },
      { t: frameCount - 1, s: [120, 40, 0] },
    ],
  };
  const layers = [
    textLayer(1, 'Reel', 12, 34, 24),
    rectangleLayer(2, [0, 0, 40, 40], [1, 0.5, 0.1], { ks: placed(0, 0, { p: path }) }),
    rectangleLayer(3, [0, 0, 160, 90], [0.05, 0.1, 0.4]),
  ];
  const stills = [{ name: 'end', frame: frameCount - 1 }];
  return inputOf(layers, {
    width: 160,
    height: 90,
    frameCount,
    stills,
    document: { fonts: embeddedFonts() },
    ...changes,
  });
}
