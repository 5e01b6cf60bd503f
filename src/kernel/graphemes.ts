import { graphemeSegments } from 'unicode-segmenter/grapheme';

interface GraphemeCluster {
  readonly segment: string;
  /** In UTF-16 units. */
  readonly index: number;
}

/**
 * Yields the grapheme clusters of a text. Uses data of this package, because `Intl.Segmenter` depends on the version of Node.js and what is
 * drawn or hashed must not.
 *
 * @see Unicode Standard Annex #29, Unicode 17
 */
export function graphemeClusters(text: string): Iterable<GraphemeCluster> {
  return graphemeSegments(text);
}
