import { randomUUID } from 'node:crypto';
import { createCanvas, GlobalFonts } from '@napi-rs/canvas';
import { EMOJI_ORIGIN, FOREVER, type PooledEmoji } from './glyph-pool.ts';
import type { OpenFont } from './open-font.ts';

/** Room around the glyph, in ems: to its right, and below the baseline. */
const RIGHT = 0.25;
const BELOW = 0.5;

/**
 * Draws emoji with their own fonts, and gives for each the image and the composition that characters refer to. The fonts
 * are known to the process only while they are drawn with, under names that no other thread uses.
 *
 * @returns entries for `assets`
 */
export function drawEmoji(emoji: readonly PooledEmoji[]): { id: string; [field: string]: unknown }[] {
  const fonts = [...new Set(emoji.map(({ font }) => font))];
  return fonts.flatMap((font) =>
    drawWith(
      font,
      emoji.filter((one) => one.font === font),
    ),
  );
}

function drawWith(font: OpenFont, emoji: readonly PooledEmoji[]): { id: string; [field: string]: unknown }[] {
  const family = randomUUID();
  const key = GlobalFonts.register(Buffer.from(font.sfnt), family);
  try {
    return emoji.flatMap((one) => assetsOf(one, family));
  } finally {
    if (key !== null) GlobalFonts.remove(key);
  }
}

function assetsOf({ id, text, pixelsPerEm }: PooledEmoji, family: string): { id: string; [field: string]: unknown }[] {
  const measure = createCanvas(1, 1).getContext('2d');
  measure.font = `${pixelsPerEm}px "${family}"`;
  const width = Math.ceil(measure.measureText(text).width + (EMOJI_ORIGIN.x + RIGHT) * pixelsPerEm);
  const height = Math.ceil((EMOJI_ORIGIN.y + BELOW) * pixelsPerEm);
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.font = measure.font;
  context.fillText(text, EMOJI_ORIGIN.x * pixelsPerEm, EMOJI_ORIGIN.y * pixelsPerEm);
  const picture = `data:image/png;base64,${canvas.toBuffer('image/png').toString('base64')}`;
  const still = (k: unknown): unknown => ({ a: 0, k });
  const ks = { o: still(100), r: still(0), p: still([0, 0]), a: still([0, 0]), s: still([100, 100]) };
  const layer = { ty: 2, nm: text, refId: `${id} picture`, ind: 1, ip: 0, op: FOREVER, st: 0, sr: 1, ks };
  return [
    { id: `${id} picture`, w: width, h: height, u: '', p: picture, e: 1 },
    { id, nm: text, w: width, h: height, layers: [layer] },
  ];
}
