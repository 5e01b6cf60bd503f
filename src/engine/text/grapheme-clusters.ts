const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Each is a cluster of its own beside another one of these. */
const PLAIN = /[\p{L}\p{N}\p{P}\p{Zs}]/u;
const CONJOINING = /[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/;
const ONLY_PLAIN = /^[\u0020-\u007e\u00a0-\u00ac\u00ae-\u02ff]*$/;
/** In UTF-16 units. The segmenter copies all of its text for every piece of it. */
const STRETCH = 64;

export interface GraphemeCluster {
  readonly segment: string;
  /** In UTF-16 units. */
  readonly index: number;
}

/** What a reader takes for one character each. @see Unicode Standard Annex #29 */
export function* graphemeClusters(text: string): Generator<GraphemeCluster> {
  if (ONLY_PLAIN.test(text)) {
    for (let index = 0; index < text.length; index++) yield { segment: text.charAt(index), index };
    return;
  }
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + STRETCH, text.length);
    while (end < text.length && !(isPlain(text.charAt(end - 1)) && isPlain(text.charAt(end)))) end++;
    for (const { segment, index } of segmenter.segment(text.slice(start, end))) yield { segment, index: start + index };
    start = end;
  }
}

function isPlain(unit: string): boolean {
  return PLAIN.test(unit) && !CONJOINING.test(unit);
}
