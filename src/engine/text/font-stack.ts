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

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Two adjacent characters of these classes are always separate clusters. */
const PLAIN = /[\p{L}\p{N}\p{P}\p{Zs}]/u;
const CONJOINING = /[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/;
const ONLY_PLAIN = /^[\u0020-\u007e\u00a0-\u00ac\u00ae-\u02ff]*$/;
/** Length of the pieces to segment, in UTF-16 units. They are short because the segmenter copies its text for each cluster. */
const PIECE_LENGTH = 64;

interface GraphemeCluster {
  readonly segment: string;
  /** In UTF-16 units. */
  readonly index: number;
}

/** Yields the grapheme clusters of a text. @see Unicode Standard Annex #29 */
export function* graphemeClusters(text: string): Generator<GraphemeCluster> {
  if (ONLY_PLAIN.test(text)) {
    for (let index = 0; index < text.length; index++) yield { segment: text.charAt(index), index };
    return;
  }
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + PIECE_LENGTH, text.length);
    while (end < text.length && !(isPlain(text.charAt(end - 1)) && isPlain(text.charAt(end)))) end++;
    for (const { segment, index } of segmenter.segment(text.slice(start, end))) yield { segment, index: start + index };
    start = end;
  }
}

function isPlain(unit: string): boolean {
  return PLAIN.test(unit) && !CONJOINING.test(unit);
}
