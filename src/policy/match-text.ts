/** One step of a pattern: any run of characters, or one character of a kind. */
type Step = 'run' | ((character: string) => boolean);

/**
 * Whether a text as a whole is like a pattern: `*` stands for any characters, `?` for one, `[a-z0-9]` for one of these and
 * `[!…]` for one of all others; a backslash takes the meaning from the character behind it. Upper and lower case differ;
 * characters are code points of the NFC form.
 *
 * No regular expression is made of it. A `*` that has to give way never makes an earlier one give way too, so the time is at most the
 * product of both lengths, whatever they hold.
 */
export function matchesPattern(text: string, pattern: string): boolean {
  const characters = [...text.normalize('NFC')];
  const steps = parsePattern(pattern.normalize('NFC'));
  let at = 0;
  let step = 0;
  /** The last run that was met, and where the text goes on behind it if it is as long as it was tried. */
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

/** @param inside of the brackets, at least one character */
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

/** What cannot be seen hides no word: soft hyphens, joiners, marks of direction. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * Words and phrases as they are compared: upper and lower case, width and composition do not count (`ＳＴＲＡＳＳＥ` is
 * `Straße`), nor does what cannot be seen, and any white space is one space.
 */
export function foldWords(text: string): string {
  const plain = text.normalize('NFKC').replace(UNSEEN, '');
  return plain.toUpperCase().toLowerCase().normalize('NFC').replace(/\s+/gu, ' ').trim();
}

/**
 * Those of some words or phrases that a text has as whole words, where words begin and end as Unicode says: `can` is not in
 * `can't` or `candle`, and is in `Can?`. Takes a time that grows with the text's length times the number of words.
 *
 * @param words folded already, none empty
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
