import { createCanvas, loadImage, type SKRSContext2D } from '@napi-rs/canvas';
import { checkImage } from '../images/check-image.ts';
import { GlyphPainter } from './glyph-painter.ts';
import { EMOJI_MARGIN, EMOJI_ORIGIN, FOREVER, type PooledEmoji } from './glyph-pool.ts';
import type { OpenFont } from './harfbuzz-font.ts';

/** One for all: the library gives nothing back before the collector comes by. */
let painter: GlyphPainter | undefined;
/**
 * Draws emoji with their own fonts, and gives for each the image and the composition that characters refer to.
 *
 * @returns entries for `assets`
 * @throws SceneError for a bitmap in a font that no decoder should see
 */
export async function drawEmoji(emoji: readonly PooledEmoji[]): Promise<{ id: string; [field: string]: unknown }[]> {
  const assets: { id: string; [field: string]: unknown }[] = [];
  for (const one of emoji) {
    painter ??= new GlyphPainter(one.font.shaper.hb);
    assets.push(...(await assetsOf(one, painter)));
  }
  return assets;
}

async function assetsOf(
  { id, font, glyphs, advance, pixelsPerEm }: PooledEmoji,
  painter: GlyphPainter,
): Promise<{ id: string; [field: string]: unknown }[]> {
  const w = Math.ceil((EMOJI_ORIGIN.x + advance + EMOJI_MARGIN.right) * pixelsPerEm);
  const h = Math.ceil((EMOJI_ORIGIN.y + EMOJI_MARGIN.below) * pixelsPerEm);
  const canvas = createCanvas(w, h);
  const context = canvas.getContext('2d');
  const unit = pixelsPerEm / font.shaper.unitsPerEm;
  for (const { glyph, x, y } of glyphs) {
    const [left, base] = [(EMOJI_ORIGIN.x + x) * pixelsPerEm, (EMOJI_ORIGIN.y - y) * pixelsPerEm];
    const bitmap = font.bitmapOf(glyph);
    if (bitmap === null) {
      context.setTransform(unit, 0, 0, -unit, left, base);
      painter.paint(font.shaper.font, glyph, context);
    } else {
      context.setTransform(pixelsPerEm, 0, 0, pixelsPerEm, left, base);
      await drawBitmap(bitmap, font, glyph, context);
    }
  }
  const p = `data:image/png;base64,${(await canvas.encode('png')).toString('base64')}`;
  const still = (k: unknown): unknown => ({ a: 0, k });
  const ks = { o: still(100), r: still(0), p: still([0, 0]), a: still([0, 0]), s: still([100, 100]) };
  const layer = { ty: 2, nm: id, refId: `${id} picture`, ind: 1, ip: 0, op: FOREVER, st: 0, sr: 1, ks };
  return [
    { id: `${id} picture`, w, h, u: '', p, e: 1 },
    { id, nm: id, w, h, layers: [layer] },
  ];
}

/**
 * A bitmap as wide as its glyph, in the middle of what the font reserves for a line: there the fonts that have bitmaps draw
 * them, to a few hundredths of an em.
 *
 * @param context in ems from the glyph's origin
 */
async function drawBitmap(png: Uint8Array, font: OpenFont, glyph: number, context: SKRSContext2D): Promise<void> {
  const { width: pixels, height: rows } = checkImage({ bytes: png, name: 'an emoji' });
  const width = font.advanceOf(glyph);
  const height = (width * rows) / pixels;
  context.drawImage(await loadImage(png), 0, (font.descent - font.ascent - height) / 2, width, height);
}
