import LineBreaker from 'linebreak';
import type { Cell } from './shape-paragraph.ts';

/** Cells of one line, `from` (inclusive) to `to` (exclusive), among those of a paragraph. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

export interface BreakRequest {
  readonly cells: readonly Cell[];
  /** Places of the text at which a line may begin. */
  readonly places: ReadonlySet<number>;
  /** In ems; Infinity for a text without a box. */
  readonly maxWidth: number;
  /** In ems, after each letter but the last of a line. */
  readonly tracking: number;
  /** Whether a word that is wider than a line is torn; otherwise it sticks out. */
  readonly mayTear: boolean;
}

const ROUNDING = 1e-6;

/** Fills lines with as much as goes into each. White space at the end of a line takes no room. At least one line. */
export function breakLines({ cells, places, maxWidth, tracking, mayTear }: BreakRequest): LineRange[] {
  const lines: LineRange[] = [];
  let from = 0;
  let lastPlace = 0;
  let pen = 0;
  for (let index = 0; index < cells.length; index++) {
    const cell = cells[index]!;
    if (index > from && places.has(cell.start)) lastPlace = index;
    const isTooWide = !cell.isSpace && pen + cell.advance > maxWidth + ROUNDING;
    const to = !isTooWide ? from : lastPlace > from ? lastPlace : mayTear ? index : from;
    if (to > from) {
      lines.push({ from, to });
      from = to;
      lastPlace = to;
      pen = 0;
      index = to - 1;
      continue;
    }
    pen += cell.advance + trackingAfter(cell, tracking);
  }
  lines.push({ from, to: cells.length });
  return lines;
}

/** Width of cells in a row, in ems, without the white space at their end and the tracking after the last letter. */
export function widthOf(cells: readonly Cell[], tracking: number): number {
  let pen = 0;
  let width = 0;
  for (const cell of cells) {
    pen += cell.advance;
    if (!cell.isSpace) width = pen;
    pen += trackingAfter(cell, tracking);
  }
  return width;
}

/** In ems. Letters that join are not torn apart. */
export function trackingAfter(cell: Cell, tracking: number): number {
  return cell.isJoined ? 0 : tracking;
}

/** Of the widest piece that no place divides, in ems. */
export function widestWord(cells: readonly Cell[], places: ReadonlySet<number>, tracking: number): number {
  let widest = 0;
  let from = 0;
  for (let index = 1; index <= cells.length; index++) {
    if (index < cells.length && !places.has(cells[index]!.start)) continue;
    widest = Math.max(widest, widthOf(cells.slice(from, index), tracking));
    from = index;
  }
  return widest;
}

/** Written without spaces between words: the places come from a dictionary. */
const UNSPACED = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const HANGUL = /\p{Script=Hangul}/u;
const words = new Intl.Segmenter('th', { granularity: 'word' });

/**
 * The places of a paragraph at which a new line may begin, as indices of UTF-16 units; neither 0 nor its end.
 *
 * @see Unicode Standard Annex #14
 */
export function breakPlaces(text: string): ReadonlySet<number> {
  const places = new Set<number>();
  const breaker = new LineBreaker(text);
  for (let next = breaker.nextBreak(); next !== null; next = breaker.nextBreak()) places.add(next.position);
  for (const { 0: stretch, index } of text.matchAll(UNSPACED)) {
    for (const { index: within } of words.segment(stretch)) {
      if (within > 0) places.add(index + within);
    }
  }
  for (const place of places) {
    // Korean is written with spaces between words, and set so in what is short and large.
    if (HANGUL.test(text.charAt(place - 1)) && HANGUL.test(text.charAt(place))) places.delete(place);
  }
  places.delete(0);
  places.delete(text.length);
  return places;
}
