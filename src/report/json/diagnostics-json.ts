import type { Diagnostic, Severity } from '../../diagnostic.ts';
import { textPosition } from '../wording/text-position.ts';

/** A diagnostic in JSON output. Lines and columns start at 1, columns count UTF-16 code units, the end is exclusive. */
export type JsonDiagnostic = {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly hint: string | null;
  /** Repository-relative. */
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly end_line: number | null;
  readonly end_column: number | null;
};

/** @param source returns the text of a file; without it there are no lines and columns */
export function diagnosticsJson(
  diagnostics: readonly Diagnostic[],
  source: (file: string) => string | undefined,
): JsonDiagnostic[] {
  return diagnostics.map(({ code, severity, message, hint = null, at }) => {
    const text = at === undefined ? undefined : source(at.file);
    const start = at === undefined || text === undefined ? null : textPosition(text, at.start);
    const end = at === undefined || text === undefined ? null : textPosition(text, at.end);
    return {
      code,
      severity,
      message,
      hint,
      file: at?.file ?? null,
      line: start?.line ?? null,
      column: start?.column ?? null,
      end_line: end?.line ?? null,
      end_column: end?.column ?? null,
    };
  });
}
