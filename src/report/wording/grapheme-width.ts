import { eastAsianWidth } from 'get-east-asian-width';

/**
 * How many columns one character of a person takes in a terminal: 0, 1 or 2. What `string-width` says, which a test holds;
 * that package compiles its patterns for emoji when it is loaded: 27 ms of processor time, more than a plan takes.
 *
 * @param grapheme one cluster, without control characters
 */
export function graphemeWidth(grapheme: string): number {
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
