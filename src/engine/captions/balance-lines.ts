import { breakLines, type LineRange, widestWord, widthOf } from '../text/break-lines.ts';
import type { Cell } from '../text/shape-paragraph.ts';
import type { CaptionBreaks } from './caption-breaks.ts';

interface BalanceRequest {
  readonly cells: readonly Cell[];
  readonly breaks: CaptionBreaks;
  /** In ems. */
  readonly maxWidth: number;
  /** In ems. */
  readonly tracking: number;
}

interface BalancedLines {
  readonly lines: readonly LineRange[];
  /** Width of the widest line in ems. It exceeds the limit only if a word does. */
  readonly width: number;
}

/** Searches for the narrowest lines end when they change the width by less than this, in ems. */
const PRECISION = 1 / 64;

/**
 * Breaks a text into the fewest lines that are not too wide, and makes these as equally wide as they can be.
 *
 * @see CSS Text 4, "text-wrap-style: balance"
 */
export function balanceLines({ cells, breaks, maxWidth, tracking }: BalanceRequest): BalancedLines {
  const isPhraseTooWide = widestWord(cells, breaks.phrases, tracking) > maxWidth;
  const chosen = isPhraseTooWide ? breaks.characters : breaks.phrases;
  const at = (width: number): LineRange[] =>
    breakLines({ cells, breaks: chosen, maxWidth: width, tracking, splitsWords: false });
  const fewest = at(maxWidth);
  let best = fewest;
  if (fewest.length > 1) {
    let [low, high] = [widestWord(cells, chosen, tracking), maxWidth];
    while (high - low > PRECISION) {
      const middle = (low + high) / 2;
      const lines = at(middle);
      if (lines.length > fewest.length) low = middle;
      else [best, high] = [lines, middle];
    }
  }
  const width = Math.max(...best.map(({ from, to }) => widthOf(cells.slice(from, to), tracking)));
  return { lines: best, width };
}
