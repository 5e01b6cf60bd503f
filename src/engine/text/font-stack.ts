import type { SceneFont } from '../../template/scene.ts';
import type { OpenFont } from './harfbuzz-font.ts';
import { openFont } from './open-font.ts';

/** Drawn as nothing by itself: joiners, variation selectors, direction marks, soft hyphens. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}|\p{Cc}/u;
const TEXT_STYLE = '\ufe0e';
const EMOJI = /^(?:\p{Emoji_Presentation}|\p{Regional_Indicator}{2}|\p{Emoji}\ufe0f|\p{Emoji}\p{Emoji_Modifier})/u;

/** The fonts of a text: its own first, then those to fall back on, in order. */
export type FontStack = readonly OpenFont[];

/**
 * The font that a grapheme cluster is drawn with: the first that has all of its characters. What is shown as an emoji by
 * default or because a selector says so looks in colour fonts first, and what is to be shown as text in the others.
 *
 * @returns null when no font has them all; undefined when the cluster draws nothing, in any font
 */
export function fontFor(cluster: string, stack: FontStack): OpenFont | null | undefined {
  const visible = visibleOf(cluster);
  if (visible.length === 0) return undefined;
  const inColor = colorOf(cluster);
  const order =
    inColor === null
      ? stack
      : [...stack.filter((font) => font.hasColor === inColor), ...stack.filter((font) => font.hasColor !== inColor)];
  return order.find((font) => drawsCluster(font, visible)) ?? null;
}

/** Whether no font after those of the stack could draw a grapheme cluster rather than one of them. */
export function isDrawnAsMeant(cluster: string, stack: FontStack): boolean {
  const font = fontFor(cluster, stack);
  if (font === undefined) return true;
  const inColor = colorOf(cluster);
  return font !== null && (inColor === null || font.hasColor === inColor);
}

/** Whether a cluster is to have colours of its own; null when that does not matter. */
function colorOf(cluster: string): boolean | null {
  if (cluster.includes(TEXT_STYLE)) return false;
  return EMOJI.test(cluster) ? true : null;
}

function visibleOf(cluster: string): string[] {
  return [...cluster].filter((character) => !IGNORABLE.test(character));
}

function drawsCluster(font: OpenFont, visible: readonly string[]): boolean {
  if (coversAll(font, visible)) return true;
  if (visible.length === 1 && visible[0]! < '\u0080') return false;
  // The shaper composes and takes apart as the font needs it.
  const text = visible.join('');
  return coversAll(font, [...text.normalize('NFC')]) || coversAll(font, [...text.normalize('NFD')]);
}

function coversAll(font: OpenFont, characters: readonly string[]): boolean {
  return characters.every((character) => font.covers(character.codePointAt(0)!));
}

/**
 * Opens the fonts that a text needs: as many of them, in order, as it takes until each of its characters has one. Fonts
 * of whole writing systems and of emoji are large, and most texts need none of them.
 *
 * @param fonts the text's own first; at least one
 * @throws SceneError template_invalid for a font that cannot be used, as `openFont`
 */
export async function openStack(text: string, fonts: readonly Pick<SceneFont, 'name' | 'bytes'>[]): Promise<FontStack> {
  // Capitals may be asked for; they may be in another font.
  let open = new Set([...clustersOf(text), ...clustersOf(text.toUpperCase())]);
  const stack: OpenFont[] = [];
  for (const font of fonts) {
    if (stack.length > 0 && open.size === 0) break;
    stack.push(await openFont(font));
    open = new Set([...open].filter((cluster) => !isDrawnAsMeant(cluster, stack)));
  }
  return stack;
}

function clustersOf(text: string): Set<string> {
  return new Set([...graphemeClusters(text)].map(({ segment }) => segment));
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Each is a cluster of its own beside another one of these. */
const PLAIN = /[\p{L}\p{N}\p{P}\p{Zs}]/u;
const CONJOINING = /[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/;
const ONLY_PLAIN = /^[\u0020-\u007e\u00a0-\u00ac\u00ae-\u02ff]*$/;
/** In UTF-16 units. The segmenter copies all of its text for every piece of it. */
const STRETCH = 64;

interface GraphemeCluster {
  readonly segment: string;
  /** In UTF-16 units. */
  readonly index: number;
}

/** What a reader takes for one character each. @see Unicode Standard Annex #29 */
export function* graphemeClusters(text: string): Generator<GraphemeCluster> {
  if (ONLY_PLAIN.test(text)) {
    for (let index = 0; index < text.length; index++) yield { segment: text.charAt(index), index };
    return;
  }
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + STRETCH, text.length);
    while (end < text.length && !(isPlain(text.charAt(end - 1)) && isPlain(text.charAt(end)))) end++;
    for (const { segment, index } of segmenter.segment(text.slice(start, end))) yield { segment, index: start + index };
    start = end;
  }
}

function isPlain(unit: string): boolean {
  return PLAIN.test(unit) && !CONJOINING.test(unit);
}
