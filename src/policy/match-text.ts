/** One step of a pattern: any run of characters, or a test of one character. */
type Step = 'run' | ((character: string) => boolean);

/**
 * Returns whether a whole text matches a glob pattern: `*` matches any characters, `?` one character, `[a-z0-9]` one of
 * these and `[!…]` one that is not listed; a backslash escapes the next character. Case-sensitive; characters are code
 * points in NFC.
 *
 * Does not build a regular expression. A `*` never makes an earlier `*` backtrack, so the time is bounded by the product of
 * both lengths for any input.
 */
export function matchesPattern(text: string, pattern: string): boolean {
  const characters = [...text.normalize('NFC')];
  const steps = parsePattern(pattern.normalize('NFC'));
  let at = 0;
  let step = 0;
  /** The latest `*`, and the position after the characters that it has consumed so far. */
  let run: { readonly step: number; end: number } | null = null;
  while (at < characters.length) {
    const wanted = steps[step];
    if (wanted === 'run') {
      run = { step, end: at };
      step += 1;
    } else if (wanted?.(characters[at]!) === true) {
      at += 1;
      step += 1;
    } else if (run !== null) {
      run.end += 1;
      at = run.end;
      step = run.step + 1;
    } else {
      return false;
    }
  }
  return steps.slice(step).every((one) => one === 'run');
}

function parsePattern(pattern: string): Step[] {
  const characters = [...pattern];
  const steps: Step[] = [];
  for (let at = 0; at < characters.length; at++) {
    const one = characters[at]!;
    const end = one === '[' ? characters.indexOf(']', at + 2) : -1;
    if (one === '*') steps.push('run');
    else if (one === '?') steps.push(() => true);
    else if (end > 0) {
      steps.push(oneOf(characters.slice(at + 1, end)));
      at = end;
    } else {
      const literal = one === '\\' && at + 1 < characters.length ? characters[++at]! : one;
      steps.push((character) => character === literal);
    }
  }
  return steps;
}

/** @param inside content of the brackets, at least one character */
function oneOf(inside: readonly string[]): (character: string) => boolean {
  const isNegated = inside[0] === '!' && inside.length > 1;
  const listed = isNegated ? inside.slice(1) : inside;
  const ranges: (readonly [number, number])[] = [];
  for (let at = 0; at < listed.length; at++) {
    const isRange = listed[at + 1] === '-' && at + 2 < listed.length;
    ranges.push([codeOf(listed[at]!), codeOf(listed[isRange ? at + 2 : at]!)]);
    if (isRange) at += 2;
  }
  return (character) => {
    const code = codeOf(character);
    return ranges.some(([from, to]) => code >= from && code <= to) !== isNegated;
  };
}

function codeOf(character: string): number {
  return character.codePointAt(0)!;
}

const WORDS = new Intl.Segmenter('und', { granularity: 'word' });

/** Soft hyphens, joiners and direction marks: removed, so that they cannot hide a word. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * Normalizes text for comparison: ignores case, width and composition (`ＳＴＲＡＳＳＥ` equals `Straße`), removes invisible
 * characters, and collapses white space to one space.
 */
export function foldWords(text: string): string {
  const plain = text.normalize('NFKC').replace(UNSEEN, '');
  return plain.toUpperCase().toLowerCase().normalize('NFC').replace(/\s+/gu, ' ').trim();
}

/**
 * Returns the words or phrases that occur in a text as whole words. Uses Unicode word boundaries: `can` does not match in
 * `can't` or `candle`, but matches in `Can?`. Runs in time proportional to text length × number of words.
 *
 * @param words normalized by `foldWords`, none empty
 * @see https://www.unicode.org/reports/tr29/#Word_Boundaries
 */
export function findWords(text: string, words: readonly string[]): string[] {
  const folded = foldWords(text);
  const candidates = words.filter((word) => folded.includes(word));
  if (candidates.length === 0) return [];
  const edges = new Set([folded.length]);
  for (const { index } of WORDS.segment(folded)) edges.add(index);
  return candidates.filter((word) => {
    for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + 1)) {
      if (edges.has(at) && edges.has(at + word.length)) return true;
    }
    return false;
  });
}
