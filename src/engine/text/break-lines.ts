import LineBreaker from 'linebreak';
import type { Cell } from './shape-paragraph.ts';

/** A line as a range of a paragraph's cells, from `from` (inclusive) to `to` (exclusive). */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

interface BreakRequest {
  readonly cells: readonly Cell[];
  /** Indices in the text at which a line may begin. */
  readonly breaks: ReadonlySet<number>;
  /** In ems; Infinity for a text without a box. */
  readonly maxWidth: number;
  /** In ems, added after each letter except the last of a line. */
  readonly tracking: number;
  /** Whether to split a word that is wider than a line; otherwise it overflows. */
  readonly splitsWords: boolean;
}

const ROUNDING = 1e-6;

/** Breaks a paragraph into lines greedily. White space at the end of a line has no width. Returns at least one line. */
export function breakLines({ cells, breaks, maxWidth, tracking, splitsWords }: BreakRequest): LineRange[] {
  const lines: LineRange[] = [];
  let from = 0;
  let lastBreak = 0;
  let pen = 0;
  for (let index = 0; index < cells.length; index++) {
    const cell = cells[index]!;
    if (index > from && breaks.has(cell.start)) lastBreak = index;
    const isTooWide = !cell.isSpace && pen + cell.advance > maxWidth + ROUNDING;
    const lineEnd = lastBreak > from || !splitsWords ? lastBreak : index;
    if (isTooWide && lineEnd > from) {
      lines.push({ from, to: lineEnd });
      from = lineEnd;
      lastBreak = lineEnd;
      pen = 0;
      // The next line begins with the cell at its start.
      index = lineEnd - 1;
      continue;
    }
    pen += cell.advance + trackingAfter(cell, tracking);
  }
  lines.push({ from, to: cells.length });
  return lines;
}

/**
 * Returns the width of a run of cells in ems, without trailing white space and without tracking after the last letter.
 */
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

/** Returns the tracking after a cell in ems; 0 for cursive scripts, whose letters must stay joined. */
export function trackingAfter(cell: Cell, tracking: number): number {
  return cell.isJoined ? 0 : tracking;
}

/** Returns the width of the widest unbreakable sequence, in ems. */
export function widestWord(cells: readonly Cell[], breaks: ReadonlySet<number>, tracking: number): number {
  let widest = 0;
  let from = 0;
  for (let index = 1; index <= cells.length; index++) {
    if (index < cells.length && !breaks.has(cells[index]!.start)) continue;
    widest = Math.max(widest, widthOf(cells.slice(from, index), tracking));
    from = index;
  }
  return widest;
}

/**
 * Scripts without spaces between words, whose break opportunities come from a dictionary: that of Node.js, because there is no small data for
 * Lao, Khmer and Burmese. Captions use a model for Thai.
 */
const UNSPACED = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const HANGUL = /\p{Script=Hangul}/u;
/** Created on first use, because that takes 20 ms of each process. */
let segmenter: Intl.Segmenter | null = null;

/** Returns the UTF-16 indices at which a new line may begin, except 0 and the end. @see Unicode Standard Annex #14 */
export function breakOpportunities(text: string): ReadonlySet<number> {
  const breaks = new Set<number>();
  const breaker = new LineBreaker(text);
  for (let next = breaker.nextBreak(); next !== null; next = breaker.nextBreak()) breaks.add(next.position);
  for (const { 0: passage, index } of text.matchAll(UNSPACED)) {
    segmenter ??= new Intl.Segmenter('th', { granularity: 'word' });
    for (const { index: offset } of segmenter.segment(passage)) {
      if (offset > 0) breaks.add(index + offset);
    }
  }
  for (const index of breaks) {
    // Korean has spaces between words, and texts break only there.
    if (HANGUL.test(text.charAt(index - 1)) && HANGUL.test(text.charAt(index))) breaks.delete(index);
  }
  breaks.delete(0);
  breaks.delete(text.length);
  return breaks;
}
