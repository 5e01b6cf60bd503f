/** A side of a change, as raw user text: not escaped. */
export type DisplayValue =
  /** Text that can be compared word by word. */
  | { readonly kind: 'text'; readonly text: string }
  /** 6 or 8 hexadecimal digits. */
  | { readonly kind: 'color'; readonly color: string }
  /** A file, URL, digest or id: compared as a whole. */
  | { readonly kind: 'name'; readonly name: string };

/** A difference: `name: before → after`, or `name: subject (before → after)`. */
export interface DiffRow {
  readonly name: string;
  /** Common to both sides, such as a file whose bytes changed. */
  readonly subject: string | null;
  /** Null if the value is new. */
  readonly before: DisplayValue | null;
  /** Null if the value was removed. */
  readonly after: DisplayValue | null;
  /** True if the row is about a destination: `before` is the destination that `after` replaces, or that remains. */
  readonly isDestination?: true;
  /** Id of the scene that the row is about, in a video of several. */
  readonly scene?: string;
  /** Words about a scene or something that a condition leaves out, whose rows follow: the row has no other content. */
  readonly heading?: string;
}
