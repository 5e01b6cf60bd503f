/** Characters that Flite does not know, and what it speaks in their place. */
const SPOKEN_AS: readonly (readonly [character: RegExp, ascii: string])[] = [
  [/[\u2018\u2019\u201a\u2032\u02bc]/g, "'"],
  [/[\u201c\u201d\u201e\u00ab\u00bb\u2033]/g, '"'],
  [/[\u2010\u2011\u2012]/g, '-'],
  [/[\u2013\u2014\u2015]/g, ' - '],
  [/\u2026/g, '...'],
  [/[\u00a0\u2007\u2009\u202f]/g, ' '],
  [/[\u00ad\u200b\u2060\ufeff]/g, ''],
];

/**
 * Returns a text in the characters that Flite speaks: ASCII. Removes accents and replaces typographic punctuation.
 *
 * @returns the characters that cannot be spoken, if there are any
 */
export function fliteText(text: string): { readonly text: string; readonly unknown: readonly string[] } {
  const plain = SPOKEN_AS.reduce((spoken, [character, ascii]) => spoken.replace(character, ascii), text)
    .normalize('NFD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return { text: plain, unknown: [...new Set([...plain].filter((character) => !/[\x20-\x7e]/.test(character)))] };
}
