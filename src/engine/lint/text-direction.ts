import { normalizeLineBreaks } from '../../template/lottie/slots/lottie-slots.ts';
import type { LottieDocument } from '../../template/render-input.ts';
import type { FindingMoment, LintDefect } from '../lint-finding.ts';
import { baseLevelOf, hasRightToLeft } from '../text/itemize-paragraph.ts';
import { filledTextLayers } from '../text/text-layers.ts';

/** A mark before the text, an embedding or an isolate: the author has decided on the direction. */
const EXPLICIT = /[\u200e\u202a-\u202e\u2066-\u2069]/u;

/**
 * Returns the first line of a text that is drawn from left to right because of its first word, although most of its words are written from right to
 * left: the order of its words and its punctuation are wrong. Null if there is none.
 *
 * @see Unicode Standard Annex #9, P2 and P3: the first letter determines the direction
 */
export function misdirectedLine(text: string): string | null {
  return normalizeLineBreaks(text).split('\n').find(isMisdirected) ?? null;
}

function isMisdirected(line: string): boolean {
  if (!hasRightToLeft(line) || EXPLICIT.test(line) || baseLevelOf(line) === 1) return false;
  const words = line.split(/\s+/u).filter((word) => /\p{L}/u.test(word));
  return words.filter((word) => baseLevelOf(word) === 1).length * 2 > words.length;
}

/**
 * Finds texts of editables with a line in the wrong direction.
 *
 * @param moments by editable; editables that no frame shows are ignored
 */
export function lintDirections(animation: LottieDocument, moments: ReadonlyMap<string, FindingMoment>): LintDefect[] {
  return filledTextLayers(animation).flatMap(({ editable, documents }): LintDefect[] => {
    const moment = moments.get(editable);
    if (moment === undefined) return [];
    const lines = documents.map(({ t }) => (typeof t === 'string' ? misdirectedLine(t) : null));
    const text = lines.find((line) => line !== null);
    return text === undefined ? [] : [{ code: 'text_direction', editable, ...moment, text }];
  });
}
