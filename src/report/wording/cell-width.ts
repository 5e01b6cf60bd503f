import { eastAsianWidth } from 'get-east-asian-width';

/** Matches texts in which every UTF-16 code unit is a column wide, which holds for most texts. */
const IS_PLAIN =
  /^[\x20-\x7e\xa0-\xac\xae-\u02ff\u0391-\u0482\u048a-\u04ff\u1e00-\u1eff\u2013\u2014\u2018-\u201d\u2026\u20a0-\u20bf\u2190-\u2193\u2248\u2500-\u257f]*$/;

let graphemes: Intl.Segmenter | null = null;

/** Returns whether any character is two columns wide. */
export function hasWideCells(text: string): boolean {
  return !IS_PLAIN.test(text) && graphemesOf(text).some((grapheme) => graphemeWidth(grapheme) > 1);
}

/** Splits a text into graphemes. */
export function graphemesOf(text: string): string[] {
  if (IS_PLAIN.test(text)) return text.split('');
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

/** Returns the number of terminal columns of a text without control characters. Wide characters and emoji take two. */
export function cellWidth(text: string): number {
  if (IS_PLAIN.test(text)) return text.length;
  // Sums graphemes, so that a line is as wide as its parts.
  return graphemesOf(text).reduce((width, grapheme) => width + graphemeWidth(grapheme), 0);
}

/** Returns the width of the widest text, in columns. */
export function maxWidth(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, cellWidth(text)), 0);
}

/** Appends spaces up to a width in columns. */
export function padCells(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - cellWidth(text)));
}

/** Lays out rows as lines: pads columns to their widest cell, and omits empty columns. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => maxWidth(rows.map((row) => row[column]!)));
  return rows.map((row) =>
    row
      .map((cell, column) => padCells(cell, widths[column]!))
      .filter((_, column) => widths[column]! > 0)
      .join('  ')
      .trimEnd(),
  );
}

/** Truncates the end of a text to `width` columns, including a final `…`. */
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

/** Truncates the start of a text to `width` columns, including an initial `…`. */
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

/** Splits a text into terminal rows. A wide character moves to the next row if only a single column is left. */
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
 * Returns the columns of a grapheme: 0, 1 or 2. A test compares it with `string-width`, which is not used because it
 * compiles its emoji patterns on import: 27 ms of CPU time, more than a plan takes.
 *
 * @param grapheme a cluster, without control characters
 */
function graphemeWidth(grapheme: string): number {
  const { visible, spacing, emoji } = patterns();
  const base = grapheme.search(visible);
  if (base === -1) return 0;
  if (emoji.test(grapheme) || isLooseEmoji(grapheme)) return 2;
  const [first = '', ...rest] = grapheme.slice(base);
  // Hangul jamo that do not form a syllable, and spacing marks, take columns of their own.
  const beside = isJamo(first.codePointAt(0)!)
    ? rest.filter((character) => visible.test(character))
    : rest.filter((character) => spacing.test(character) || (character >= '\uff00' && character <= '\uffef'));
  const width = [first, ...beside].reduce((sum, character) => sum + eastAsianWidth(character.codePointAt(0)!), 0);
  return Math.min(2, width);
}

/** Emoji sequences without the emoji variation selector that terminals draw as emoji: keycaps and joined emoji. */
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

let compiled: ReturnType<typeof compilePatterns> | null = null;

function patterns(): ReturnType<typeof compilePatterns> {
  compiled ??= compilePatterns();
  return compiled;
}

/** Created on first use, because Unicode property tables take milliseconds to build. */
function compilePatterns(): Record<'visible' | 'spacing' | 'emoji' | 'pictographic', RegExp> {
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
