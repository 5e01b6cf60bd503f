import { createCanvas } from '@napi-rs/canvas';
import { GlyphPainter } from './glyph-painter.ts';
import { EMOJI_ORIGIN, FOREVER, type PooledEmoji } from './glyph-pool.ts';

/** One for all: the library gives nothing back before the collector comes by. */
let painter: GlyphPainter | undefined;
/** Room around the glyph, in ems: to its right, and below the baseline. */
const RIGHT = 0.25;
const BELOW = 0.5;

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
  const w = Math.ceil((EMOJI_ORIGIN.x + advance + RIGHT) * pixelsPerEm);
  const h = Math.ceil((EMOJI_ORIGIN.y + BELOW) * pixelsPerEm);
  const canvas = createCanvas(w, h);
  const context = canvas.getContext('2d');
  const unit = pixelsPerEm / font.shaper.unitsPerEm;
  for (const { glyph, x, y } of glyphs) {
    const [left, top] = [(EMOJI_ORIGIN.x + x) * pixelsPerEm, (EMOJI_ORIGIN.y - y) * pixelsPerEm];
    context.setTransform(unit, 0, 0, -unit, left, top);
    await painter.paint(font.shaper.font, glyph, context);
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
