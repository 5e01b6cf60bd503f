import type { LottieDocument, SceneFont } from '../../template/scene.ts';
import { fontList } from './animation-fonts.ts';
import { findTextProblems } from './find-text-problems.ts';
import { GlyphPool } from './glyph-pool.ts';
import { layOutLayers } from './lay-out-layers.ts';
import { setLayer } from './set-layer.ts';
import type { TextFinding } from './text-finding.ts';
import { replaceTextLayers } from './text-layers.ts';

/**
 * The animation with every text set: shaped, broken into lines, put in its place and drawn by outlines that the animation
 * carries, so that the rasteriser needs no font, and knows none. What animates the characters of a text still does.
 *
 * @param animation not written to
 * @param fonts all of the scene's; the fallbacks in order
 * @throws SceneError template_invalid for a font that is not there or cannot be used
 */
export async function setTexts(
  animation: LottieDocument,
  fonts: readonly SceneFont[],
): Promise<{ readonly animation: LottieDocument; readonly findings: readonly TextFinding[] }> {
  const texts = await layOutLayers(animation, fonts);
  const pool = new GlyphPool();
  const keptFonts = new Set<unknown>();
  const set = replaceTextLayers(animation, (layer, index) => {
    const own = texts.filter(({ document }) => layer.documents.includes(document));
    for (const document of layer.documents) {
      if (!own.some((text) => text.document === document)) keptFonts.add(document.f);
    }
    return setLayer(layer, own, pool, index);
  });
  const chars = [...(Array.isArray(animation.chars) ? animation.chars : []), ...pool.chars];
  const list = [...fontList(animation).filter(({ fName }) => keptFonts.has(fName)), ...pool.fonts];
  const assets = [...(set.assets ?? []), ...(await emojiAssets(pool))];
  return { animation: { ...set, assets, chars, fonts: { list } }, findings: findTextProblems(texts) };
}

/** Most scenes have none, and whoever only looks for findings draws nothing. */
async function emojiAssets({ emoji }: GlyphPool): Promise<NonNullable<LottieDocument['assets']>> {
  if (emoji.length === 0) return [];
  const { drawEmoji } = await import('./draw-emoji.ts');
  return drawEmoji(emoji);
}
