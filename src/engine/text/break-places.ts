import LineBreaker from 'linebreak';

/** Written without spaces between words: the places come from a dictionary. */
const UNSPACED = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const HANGUL = /\p{Script=Hangul}/u;
const words = new Intl.Segmenter('th', { granularity: 'word' });

/**
 * The places of a paragraph at which a new line may begin, as indices of UTF-16 units; neither 0 nor its end.
 *
 * @see Unicode Standard Annex #14
 */
export function breakPlaces(text: string): ReadonlySet<number> {
  const places = new Set<number>();
  const breaker = new LineBreaker(text);
  for (let next = breaker.nextBreak(); next !== null; next = breaker.nextBreak()) places.add(next.position);
  for (const { 0: stretch, index } of text.matchAll(UNSPACED)) {
    for (const { index: within } of words.segment(stretch)) {
      if (within > 0) places.add(index + within);
    }
  }
  for (const place of places) {
    // Korean is written with spaces between words, and set so in what is short and large.
    if (HANGUL.test(text.charAt(place - 1)) && HANGUL.test(text.charAt(place))) places.delete(place);
  }
  places.delete(0);
  places.delete(text.length);
  return places;
}
