import { type Canvas, createCanvas, LottieAnimation } from '@napi-rs/canvas';
import { typesetTexts } from '../../../src/engine/text/typeset-texts.ts';
import { defined } from '../../../src/kernel/defined.ts';
import type { InputFont, LottieDocument } from '../../../src/template/render-input.ts';
import { placed } from '../inputs.ts';

const FRAMES = 30;

/** A text layer with a single document: black, 40 pixels, in the font "Latin" by default. */
export function text(
  t: string,
  style: Record<string, unknown> = {},
  changes: Record<string, unknown> = {},
): Record<string, unknown> {
  const document = { t, f: 'Latin', s: 40, lh: 50, fc: [0, 0, 0], j: 0, ...style };
  const { a = [], m = { g: 1, a: { a: 0, k: [0, 0] } }, editable } = changes;
  const d = { k: [{ t: 0, s: document }], ...defined({ editable }) };
  return { ty: 5, ip: 0, op: FRAMES, st: 0, ks: placed(), t: { d, p: {}, m, a } };
}

/** An animation of text layers. Declares the fonts that they name with an ascent of 75 %. */
export function textAnimation(layers: readonly Record<string, unknown>[], size = { w: 400, h: 200 }): LottieDocument {
  const list = [{ fName: 'Latin', fFamily: 'Latin', fStyle: 'Regular', ascent: 75 }];
  const numbered = layers.map((layer, index) => ({ ...layer, ind: index + 1 }));
  return { v: '5.9.0', ...size, fr: 30, ip: 0, op: FRAMES, assets: [], fonts: { list }, layers: numbered };
}

/** Typesets the texts and draws a frame on white. */
export async function drawTexts(animation: LottieDocument, fonts: readonly InputFont[], frame = 0): Promise<Canvas> {
  const { animation: set } = await typesetTexts(animation, fonts);
  return drawAnimation(set, frame);
}

/** Draws a frame on white with only the fonts of the document. */
export function drawAnimation(animation: LottieDocument, frame = 0): Canvas {
  const { w: width, h: height } = animation;
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, width, height);
  const lottie = LottieAnimation.loadFromData(JSON.stringify(animation));
  lottie.seekFrame(frame);
  lottie.render(context, { x: 0, y: 0, width, height });
  return canvas;
}
