import type { Diagnostic, Span } from '../diagnostic.ts';

/** One row of a data file: a video will be made from it. */
export interface Row {
  /** Column → text as written: `007` and `1.10` stay what they are. */
  readonly values: ReadonlyMap<string, string>;
  /** The data file, repository-relative. */
  readonly file: string;
  /** For messages: `data/stores.csv line 3`. */
  readonly name: string;
  readonly span: Span;
}

/** What keeps a data file from being read as rows. */
export function dataProblem(at: Span, message: string, hint?: string): Diagnostic {
  return { code: 'data_invalid', severity: 'error', message, hint, at };
}
