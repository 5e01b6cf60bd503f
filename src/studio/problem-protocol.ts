/** A diagnostic. Lines and columns start at 1; the end is exclusive. */
export interface PreviewProblem {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly hint: string | null;
  /** Repository-relative. */
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly end_line: number | null;
  readonly end_column: number | null;
}

/** Why a request was refused or a video failed. */
export interface PreviewError {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  /** Problems in a file, if those are the reason. */
  readonly problems?: readonly PreviewProblem[];
}
