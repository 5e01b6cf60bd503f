import { graphemeWidth } from './grapheme-width.ts';

/** Texts in which each UTF-16 code unit is a character of one column: most texts, and all that we say ourselves. */
const IS_PLAIN = /^[\x20-\x7e\xa0-\xac\xae-\u02ff\u2013\u2014\u2018-\u201d\u2026\u2190-\u2193\u2248\u2500-\u257f]*$/;

let graphemes: Intl.Segmenter | null = null;

/** Whether there is a character in it that takes two columns. */
export function hasWideCells(text: string): boolean {
  return !IS_PLAIN.test(text) && graphemesOf(text).some((grapheme) => graphemeWidth(grapheme) > 1);
}

/** What a person takes for the characters of a text. */
export function graphemesOf(text: string): string[] {
  if (IS_PLAIN.test(text)) return text.split('');
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

/** How many columns of a terminal a text without control characters takes: two for each wide character or emoji. */
export function cellWidth(text: string): number {
  if (IS_PLAIN.test(text)) return text.length;
  // Character by character, so that the width of a line is that of its parts.
  return graphemesOf(text).reduce((width, grapheme) => width + graphemeWidth(grapheme), 0);
}

/** The text, or as much of its beginning as fits in `width` columns with `…` behind it. */
export function cutCells(text: string, width: number): string {
  if (cellWidth(text) <= width) return text;
  let cut = '';
  let used = 1;
  for (const grapheme of graphemesOf(text)) {
    used += cellWidth(grapheme);
    if (used > width) break;
    cut += grapheme;
  }
  return `${cut.trimEnd()}…`;
}

/** The text, or as much of its end as fits in `width` columns behind `…`. */
export function cutCellsStart(text: string, width: number): string {
  if (cellWidth(text) <= width) return text;
  let cut = '';
  let used = 1;
  for (const grapheme of graphemesOf(text).reverse()) {
    used += cellWidth(grapheme);
    if (used > width) break;
    cut = grapheme + cut;
  }
  return `…${cut}`;
}

/** The rows that a text takes on a terminal: a wide character goes to the next row when one column is left for it. */
export function breakCells(text: string, columns: number): string[] {
  const rows = [''];
  let used = 0;
  for (const grapheme of graphemesOf(text)) {
    const width = cellWidth(grapheme);
    used += width;
    if (used > columns && rows.at(-1) !== '') {
      rows.push('');
      used = width;
    }
    rows.push(`${rows.pop()}${grapheme}`);
  }
  return rows;
}
