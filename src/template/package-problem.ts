import type { Span } from '../diagnostic.ts';

/** Something wrong with a package: where in it, what, and what to do. */
export interface PackageProblem {
  /** The file below the package's folder that has to change. */
  readonly file: string;
  /** The editable or still of template.yaml that it is about, where there is one. */
  readonly key?: string;
  /** Where in template.yaml, where that is not the editable. */
  readonly at?: Span;
  readonly message: string;
  readonly hint?: string;
  /** The key that no place of the animation has. */
  readonly unfilled?: string;
}
