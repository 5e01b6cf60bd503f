import type { Diagnostic, Severity } from '../../kernel/diagnostic.ts';
import { isRecord } from '../../kernel/json.ts';
import type { PlanDocument } from '../../reconciler/plan/plan-document.ts';

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
  // Each file is scanned once, because a large file may have a problem in every line.
  const files = new Map<string, ((offset: number) => TextPosition) | null>();
  const positionsIn = (file: string): ((offset: number) => TextPosition) | null => {
    const known = files.get(file);
    if (known !== undefined) return known;
    const text = source(file);
    const positions = text === undefined ? null : indexPositions(text);
    files.set(file, positions);
    return positions;
  };
  return diagnostics.map(({ code, severity, message, hint = null, at }) => {
    const positionOf = at === undefined ? null : positionsIn(at.file);
    const start = at === undefined || positionOf === null ? null : positionOf(at.start);
    const end = at === undefined || positionOf === null ? null : positionOf(at.end);
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

/**
 * Returns the diagnostics of a plan document, errors first. Skips malformed entries, because the document may come from a
 * file.
 */
export function problemsOf({ diagnostics }: Pick<PlanDocument, 'diagnostics'>): JsonDiagnostic[] {
  const problems = diagnostics.flatMap((entry): JsonDiagnostic[] => {
    if (!isRecord(entry) || typeof entry.message !== 'string') return [];
    const string = (value: unknown): string | null => (typeof value === 'string' ? value : null);
    const integer = (value: unknown): number | null => (Number.isInteger(value) ? (value as number) : null);
    return [
      {
        severity: entry.severity === 'warning' ? 'warning' : 'error',
        code: string(entry.code) ?? 'unknown',
        message: entry.message,
        hint: string(entry.hint),
        file: string(entry.file),
        line: integer(entry.line),
        column: integer(entry.column),
        end_line: integer(entry.end_line),
        end_column: integer(entry.end_column),
      },
    ];
  });
  return (['error', 'warning'] as const).flatMap((kind) => problems.filter(({ severity }) => severity === kind));
}

/** `videos/berlin.yaml:3:5`; empty without a file. */
export function formatLocation({ file, line, column }: JsonDiagnostic): string {
  return [file, line, column].filter((part) => part !== null).join(':');
}

/** Line and column as editors count them: from 1, columns in UTF-16 code units. */
interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Converts an offset to a position, clamped to the end of the text. Lines end with `\n` or `\r\n`. */
export function textPosition(text: string, offset: number): TextPosition {
  return indexPositions(text.slice(0, offset))(offset);
}

/** Scans a text once. @returns `textPosition` for any of its offsets, in logarithmic time */
export function indexPositions(text: string): (offset: number) => TextPosition {
  const starts = [0];
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  return (offset) => {
    const at = Math.min(offset, text.length);
    let line = 0;
    for (let beyond = starts.length; beyond - line > 1; ) {
      const middle = (line + beyond) >> 1;
      if (starts[middle]! <= at) line = middle;
      else beyond = middle;
    }
    return { line: line + 1, column: at - starts[line]! + 1 };
  };
}
