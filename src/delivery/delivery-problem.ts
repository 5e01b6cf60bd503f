/** Something that is wrong with what was written of a delivery. It never holds a secret. */
export interface DeliveryProblem {
  /** Where in the value that was looked at; empty for all of it. */
  readonly path: readonly string[];
  /** Which part of what stands there. */
  readonly part: 'key' | 'value';
  /** One sentence, no full stop. */
  readonly message: string;
  /** Something to type or to change. */
  readonly hint?: string;
}
