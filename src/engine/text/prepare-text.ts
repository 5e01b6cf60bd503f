import { LINE_END } from '../../template/lottie/lottie-slots.ts';
import { breakPlaces } from './break-places.ts';
import type { FontStack } from './font-stack.ts';
import { itemizeParagraph, type Paragraph } from './itemize-paragraph.ts';
import { type Cell, shapeParagraph } from './shape-paragraph.ts';
import type { TextSpec } from './text-spec.ts';

/** A paragraph shaped on one line, whatever its size will be. */
export interface PreparedParagraph extends Paragraph {
  readonly cells: readonly Cell[];
  readonly places: ReadonlySet<number>;
}

/** Of small capitals that a font does not have, as Adobe's programs draw them. */
const SMALL_CAPS = 0.7;

/** The paragraphs of a text, in its own capitals, each shaped as one line. */
export function prepareText({ text, caps, tracking }: TextSpec, stack: FontStack): PreparedParagraph[] {
  return text
    .toWellFormed()
    .replaceAll('\t', ' ')
    .split(LINE_END)
    .map((written) => {
      const { text: words, scaleAt } = capitalize(written, caps);
      const paragraph = itemizeParagraph(words, stack, scaleAt);
      const cells = shapeParagraph(paragraph, 0, words.length, tracking !== 0);
      return { ...paragraph, cells, places: breakPlaces(words) };
    });
}

function capitalize(text: string, caps: TextSpec['caps']): { text: string; scaleAt: (place: number) => number } {
  if (caps === 'none') return { text, scaleAt: () => 1 };
  if (caps === 'all') return { text: text.toUpperCase(), scaleAt: () => 1 };
  const scales: number[] = [];
  let words = '';
  for (const character of text) {
    const upper = character.toUpperCase();
    words += upper;
    for (let unit = 0; unit < upper.length; unit++) scales.push(upper === character ? 1 : SMALL_CAPS);
  }
  return { text: words, scaleAt: (place) => scales[place] ?? 1 };
}
