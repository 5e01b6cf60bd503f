/** A definition file, or a part, that nothing is wrong with. */
export interface RememberedDefinition {
  readonly path: string;
  /** The files that it was read from, itself first. */
  readonly origins: readonly string[];
  /** The local files that its videos use. */
  readonly assets: readonly string[];
  /** Names of the templates that its videos use. */
  readonly templates: readonly string[];
  readonly ids: readonly string[];
  /** The beginnings of their fingerprints as numbers: unlike ones tell that the fingerprints are. */
  readonly marks: readonly number[];
  /** The beginnings of the digests of the places that its videos go to, as numbers below 2³². */
  readonly places: readonly number[];
  /** Its videos in full: where they stand in the index, or their text if they are new. */
  readonly record: RecordPlace | string;
  /**
   * For each of its videos where its entry stands in the lockfile, when the last plan had nothing to do for any of them;
   * else null.
   */
  readonly settled: readonly TextRange[] | null;
}

/** In the index: the offset, the length in bytes, and the first bytes of its SHA-256 as a number. */
export type RecordPlace = readonly [offset: number, length: number, sum: number];

/** A half-open range of bytes. */
export type TextRange = readonly [start: number, end: number];
