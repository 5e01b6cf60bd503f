import { eastAsianWidth } from 'get-east-asian-width';

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

/**
 * How many columns one character of a person takes in a terminal: 0, 1 or 2. What `string-width` says, which a test holds;
 * that package compiles its patterns for emoji when it is loaded: 27 ms of processor time, more than a plan takes.
 *
 * @param grapheme one cluster, without control characters
 */
function graphemeWidth(grapheme: string): number {
  const { visible, spacing, emoji } = patterns();
  const base = grapheme.search(visible);
  if (base === -1) return 0;
  if (emoji.test(grapheme) || isLooseEmoji(grapheme)) return 2;
  const [first = '', ...rest] = grapheme.slice(base);
  // Letters of Hangul that make no syllable stand side by side, as do marks with a width of their own.
  const beside = isJamo(first.codePointAt(0)!)
    ? rest.filter((character) => visible.test(character))
    : rest.filter((character) => spacing.test(character) || (character >= '\uff00' && character <= '\uffef'));
  const width = [first, ...beside].reduce((sum, character) => sum + eastAsianWidth(character.codePointAt(0)!), 0);
  return Math.min(2, width);
}

/** Emoji that lack the sign that they are, and are drawn as such all the same: keycaps, and several joined into one. */
function isLooseEmoji(grapheme: string): boolean {
  if (grapheme.length > 50) return false;
  if (/^[\d#*]\u20e3$/.test(grapheme)) return true;
  return grapheme.includes('\u200d') && (grapheme.match(patterns().pictographic)?.length ?? 0) >= 2;
}

function isJamo(code: number): boolean {
  return (
    (code >= 0x1100 && code <= 0x11ff) ||
    (code >= 0xa960 && code <= 0xa97c) ||
    (code >= 0xd7b0 && code <= 0xd7c6) ||
    (code >= 0xd7cb && code <= 0xd7fb)
  );
}

let made: ReturnType<typeof makePatterns> | null = null;

function patterns(): ReturnType<typeof makePatterns> {
  made ??= makePatterns();
  return made;
}

/** Made when they are needed: the tables of Unicode behind them take milliseconds. */
function makePatterns(): Record<'visible' | 'spacing' | 'emoji' | 'pictographic', RegExp> {
  const pattern = (source: string, flags = ''): RegExp => new RegExp(source, `${flags}v`);
  const unseen = [
    'Default_Ignorable_Code_Point',
    'Control',
    'Format',
    'Nonspacing_Mark',
    'Enclosing_Mark',
    'Surrogate',
  ];
  return {
    visible: pattern(`[^${unseen.map((name) => `\\p{${name}}`).join('')}]`),
    spacing: pattern('\\p{Spacing_Mark}'),
    emoji: pattern('^\\p{RGI_Emoji}$'),
    pictographic: pattern('\\p{Extended_Pictographic}', 'g'),
  };
}
