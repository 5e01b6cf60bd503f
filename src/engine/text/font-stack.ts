import { graphemeClusters } from '../../kernel/graphemes.ts';
import type { OpenFont } from './harfbuzz-font.ts';
import { type FontToOpen, openFont } from './open-font.ts';

/** Characters that are invisible on their own: joiners, variation selectors, direction marks, soft hyphens. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}|\p{Cc}/u;
const TEXT_STYLE = '\ufe0e';
const EMOJI = /^(?:\p{Emoji_Presentation}|\p{Regional_Indicator}{2}|\p{Emoji}\ufe0f|\p{Emoji}\p{Emoji_Modifier})/u;

/** The fonts of a text: its named font, then the fallbacks in order. */
export type FontStack = readonly OpenFont[];

/**
 * Returns the font for a grapheme cluster: the first with all of its characters. Emoji prefer colour fonts, by default
 * or by variation selector; text-style clusters prefer fonts without colour.
 *
 * @returns null when no font has all characters; undefined when the cluster is invisible in any font
 */
export function fontFor(cluster: string, stack: FontStack): OpenFont | null | undefined {
  const visible = [...cluster].filter((character) => !IGNORABLE.test(character));
  if (visible.length === 0) return undefined;
  const inColor = colorOf(cluster);
  const order =
    inColor === null
      ? stack
      : [...stack.filter((font) => font.hasColor === inColor), ...stack.filter((font) => font.hasColor !== inColor)];
  return order.find((font) => drawsCluster(font, visible)) ?? null;
}

/** Returns whether the stack has a font of the preferred kind for a cluster, so that further fonts cannot improve it. */
function hasPreferredFont(cluster: string, stack: FontStack): boolean {
  const font = fontFor(cluster, stack);
  if (font === undefined) return true;
  const inColor = colorOf(cluster);
  return font !== null && (inColor === null || font.hasColor === inColor);
}

/** Returns whether a cluster should be drawn in colour; null if it has no preference. */
function colorOf(cluster: string): boolean | null {
  if (cluster.includes(TEXT_STYLE)) return false;
  return EMOJI.test(cluster) ? true : null;
}

function drawsCluster(font: OpenFont, visible: readonly string[]): boolean {
  if (coversAll(font, visible)) return true;
  if (visible.length === 1 && visible[0]! < '\u0080') return false;
  // The shaper composes and decomposes characters as the font requires.
  const text = visible.join('');
  return coversAll(font, [...text.normalize('NFC')]) || coversAll(font, [...text.normalize('NFD')]);
}

function coversAll(font: OpenFont, characters: readonly string[]): boolean {
  return characters.every((character) => font.covers(character.codePointAt(0)!));
}

/**
 * Opens fonts in order until each character of a text has a font, because fallback fonts are large and most texts do not
 * need them.
 *
 * @param fonts not empty; the text's named font first
 * @throws RenderError template_invalid for an unusable font, as `openFont`
 */
export async function openStack(text: string, fonts: readonly FontToOpen[]): Promise<FontStack> {
  // The text may be set in capitals, which may need another font.
  let pending = new Set([...clustersOf(text), ...clustersOf(text.toUpperCase())]);
  const stack: OpenFont[] = [];
  for (const font of fonts) {
    if (stack.length > 0 && pending.size === 0) break;
    stack.push(await openFont(font));
    pending = new Set([...pending].filter((cluster) => !hasPreferredFont(cluster, stack)));
  }
  return stack;
}

function clustersOf(text: string): Set<string> {
  return new Set([...graphemeClusters(text)].map(({ segment }) => segment));
}
