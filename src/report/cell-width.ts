const WIDE = new RegExp(
  '[\\u1100-\\u115f\\u2e80-\\u303e\\u3041-\\ua4cf\\ua960-\\ua97c\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe10-\\ufe19' +
    '\\ufe30-\\ufe6f\\uff01-\\uff60\\uffe0-\\uffe6\\u{20000}-\\u{3fffd}\\ufe0f\\p{Emoji_Presentation}]',
  'u',
);

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Whether there is a character in it that takes two columns. */
export function hasWideCells(text: string): boolean {
  return WIDE.test(text);
}

/** What a person takes for the characters of a text. */
export function graphemesOf(text: string): string[] {
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

/**
 * How many columns of a terminal a text without control characters takes: two for each wide character or emoji, none for
 * what only combines. Terminals differ where Unicode leaves the choice; those characters count as one.
 *
 * @see Unicode Standard Annex #11, East Asian Width
 */
export function cellWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemesOf(text))
    width += WIDE.test(grapheme) ? 2 : /^[\p{M}\p{Cf}]+$/u.test(grapheme) ? 0 : 1;
  return width;
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
