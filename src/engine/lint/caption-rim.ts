import { fullCaptionStyle } from '../../contract/captions/caption-style.ts';
import { defined } from '../../kernel/defined.ts';
import type { CaptionLook, RenderInput } from '../../template/render-input.ts';
import { openRasterizer } from '../raster/rasterizer.ts';
import { findBeside, MIN_HALO_CHANGE, MIN_HALO_SHARE, MIN_TEXT_COVERAGE } from './beside-text.ts';
import { MIN_INNER_SHARE, MIN_PIXELS, quantile } from './contrast.ts';

/** What the outline and the shadow of a style put around its letters. */
export interface Rim {
  /** Red, green and blue, 0..255. */
  readonly color: readonly number[];
  /** How far it covers the picture beside the letters, 0..1. */
  readonly alpha: number;
}

export const NO_RIM: Rim = { color: [0, 0, 0], alpha: 0 };

/** Pixels of the picture in which a style is measured. */
const WIDTH = 1280;
const HEIGHT = 720;

/**
 * Measures the rim of the letters of a style. Draws a text in it on black and on white, and once more without its rim.
 *
 * @param text of a cue
 * @throws RenderError for an unusable font
 */
export async function measureRim(look: CaptionLook, text: string): Promise<Rim> {
  const style = fullCaptionStyle(look.style);
  if (style.outline === 0 && style.shadow_color === undefined) return NO_RIM;
  const { outline, outline_color, shadow, shadow_blur, shadow_color } = style;
  const { font, size, weight, axes, features, line_height, tracking } = style;
  const letters = { font, size, weight, line_height, tracking, case: style.case, ...defined({ axes, features }) };
  const rim = { outline, outline_color, shadow, shadow_blur, ...defined({ shadow_color }) };
  const draw = async (color: string, ground: 0 | 1, around: object): Promise<Uint8Array> => {
    const drawn = { ...look, style: { ...letters, ...around, color, position: 'middle' as const, width: 95 } };
    const rasterizer = await openRasterizer(pageOn(ground, drawn, text));
    try {
      await rasterizer.prepare(0);
      return Uint8Array.from(rasterizer.draw(0));
    } finally {
      rasterizer.close();
    }
  };
  const alone = await draw('FFFFFF', 0, { outline: 0 });
  return rimBetween(await draw('FFFFFF', 0, rim), await draw('FFFFFF', 1, rim), alone);
}

/** Returns an input that shows a text on black or on white. */
function pageOn(ground: 0 | 1, look: CaptionLook, text: string): RenderInput {
  const color = ground === 0 ? '#000000' : '#ffffff';
  const solid = { ty: 1, ind: 1, ip: 0, op: 1, st: 0, sw: WIDTH, sh: HEIGHT, sc: color, ks: {} };
  return {
    animation: { v: '5.7.0', fr: 1, ip: 0, op: 1, w: WIDTH, h: HEIGHT, assets: [], layers: [solid] },
    width: WIDTH,
    height: HEIGHT,
    fps: 1,
    frameCount: 1,
    fonts: [],
    images: [],
    clips: [],
    sounds: [],
    stills: [],
    output: { format: 'mp4', fingerprint: null },
    captions: {
      rate: { numerator: 1, denominator: 1 },
      looks: [look],
      cues: [{ look: 0, from: 0, to: 1, text, level: 0 }],
    },
  } as unknown as RenderInput;
}

/** @param onBlack RGBA, with the rim @param onWhite the same @param alone white letters on black */
function rimBetween(onBlack: Uint8Array, onWhite: Uint8Array, alone: Uint8Array): Rim {
  const isText = Uint8Array.from({ length: WIDTH * HEIGHT }, (_, pixel) =>
    alone[4 * pixel]! / 255 >= MIN_TEXT_COVERAGE ? 1 : 0,
  );
  const beside = new Int32Array(4);
  const rims: { readonly alpha: number; readonly at: number }[] = [];
  let besideCount = 0;
  const alphaAt = (at: number): number => 1 - (onWhite[at]! - onBlack[at]!) / 255;
  for (let pixel = 0; pixel < isText.length; pixel++) {
    if (alone[4 * pixel]! / 255 < MIN_INNER_SHARE) continue;
    const count = findBeside(beside, pixel, isText, WIDTH, HEIGHT);
    if (count === 0) continue;
    besideCount += 1;
    // The strongest, which is what separates the letter from the picture.
    const strongest = [...beside.subarray(0, count)].reduce((best, at) => (alphaAt(at) > alphaAt(best) ? at : best));
    if (alphaAt(strongest) * 255 >= MIN_HALO_CHANGE) rims.push({ alpha: alphaAt(strongest), at: strongest });
  }
  if (rims.length < MIN_PIXELS || rims.length < MIN_HALO_SHARE * besideCount) return NO_RIM;
  const alpha = quantile(
    rims.map((rim) => rim.alpha),
    0.5,
  );
  const colorOf = (channel: number): number =>
    quantile(
      rims.map((rim) => Math.min(255, onBlack[rim.at + channel]! / rim.alpha)),
      0.5,
    );
  return { alpha, color: [colorOf(0), colorOf(1), colorOf(2)] };
}
