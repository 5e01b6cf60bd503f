import stringWidth from 'string-width';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Whether there is a character in it that takes two columns. */
export function hasWideCells(text: string): boolean {
  return graphemesOf(text).some((grapheme) => stringWidth(grapheme) > 1);
}

/** What a person takes for the characters of a text. */
export function graphemesOf(text: string): string[] {
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

/** How many columns of a terminal a text without control characters takes: two for each wide character or emoji. */
export function cellWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  // Character by character, so that the width of a line is that of its parts.
  return graphemesOf(text).reduce((width, grapheme) => width + Math.min(2, stringWidth(grapheme)), 0);
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
