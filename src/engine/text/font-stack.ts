import type { OpenFont } from './harfbuzz-font.ts';

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
