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
