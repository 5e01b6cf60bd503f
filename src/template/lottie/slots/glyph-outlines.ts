import { groupBy } from '../../../kernel/group-by.ts';
import { isRecord } from '../../../kernel/json.ts';
import type { LottieDocument } from '../../render-input.ts';
import { type LottieNode, layerLists } from '../lottie-layers.ts';
import { isLive } from '../property-value.ts';
import { fontList, LINE_END, type TextStyle, textStyles, usedStyles } from './lottie-slots.ts';

/** The outlines of characters that an animation contains (`chars`), as After Effects exports them with "Glyphs". */
export class GlyphOutlines {
  /** By family and style: the characters that have outlines. */
  readonly #characters = new Map<string, Set<string>>();

  constructor({ chars }: LottieDocument) {
    for (const char of Array.isArray(chars) ? chars.filter(isRecord) : []) {
      if (typeof char.ch !== 'string' || !isDrawn(char)) continue;
      const font = keyOf(char.fFamily, char.style);
      const known = this.#characters.get(font) ?? new Set();
      this.#characters.set(font, known.add(char.ch));
    }
  }

  /** Returns whether each character of a text has an outline. */
  cover({ fFamily, fStyle }: LottieNode, { t, ca }: TextStyle): boolean {
    const characters = this.#characters.get(keyOf(fFamily, fStyle));
    if (characters === undefined) return false;
    // Some players draw texts in capitals (`ca`) as they are written.
    const written = ca === undefined || ca === 0 ? t : t + t.toUpperCase();
    return [...written].every((character) => LINE_END.test(character) || characters.has(character));
  }
}

/** Spaces have no shapes. A composition instead of shapes (`refId`) is not supported. */
function isDrawn({ ch, data }: LottieNode): boolean {
  return String(ch).trim() === '' || (isRecord(data) && Array.isArray(data.shapes));
}

function keyOf(family: unknown, style: unknown): string {
  return JSON.stringify([family, style]);
}

/**
 * Returns the styles of texts that neither editables nor expressions change, not copied. Returns none if expressions are
 * evaluated for each video, because they may measure any text, which requires its font.
 */
export function fixedStyles(animation: LottieDocument): ReadonlySet<TextStyle> {
  const fixed = new Set<TextStyle>();
  if (animation.live_expressions === true) return fixed;
  for (const layers of layerLists(animation)) {
    for (const { t: text } of layers) {
      const node = isRecord(text) && isRecord(text.d) ? text.d : null;
      if (node === null || [node.sid, node.editable].some((key) => typeof key === 'string') || isLive(node)) continue;
      for (const style of textStyles(node)) fixed.add(style);
    }
  }
  return fixed;
}

/** Returns the names of listed fonts that need no file: all their texts are fixed and have outlines. */
export function outlinedFonts(animation: LottieDocument): ReadonlySet<string> {
  if (!Array.isArray(animation.chars)) return new Set();
  const outlines = new GlyphOutlines(animation);
  const fixed = fixedStyles(animation);
  const uses = groupBy(usedStyles(animation), ({ style }) => style.f);
  return new Set(
    fontList(animation).flatMap((font) => {
      const fontUses = uses.get(String(font.fName));
      const isOutlined = fontUses?.every(({ style }) => fixed.has(style) && outlines.cover(font, style)) === true;
      return isOutlined ? [String(font.fName)] : [];
    }),
  );
}
