import { ReelformError } from '../diagnostic.ts';
import { fileSystemError } from '../file-system-error.ts';
import type { JsonDiagnostic } from '../report/json/diagnostics-json.ts';
import { ServiceError } from '../service/service-error.ts';

/** What ended a command, as the diagnostics of a document have it; nothing for a mistake of ours. */
export function thrownJson(error: unknown): JsonDiagnostic[] {
  const told = error instanceof ReelformError || error instanceof ServiceError ? error : fileSystemError(error);
  if (told === null) return [];
  const { code, message } = told;
  const hint = told instanceof ReelformError ? (told.hint ?? null) : null;
  const nowhere = { file: null, line: null, column: null, end_line: null, end_column: null };
  return [{ code, severity: 'error', message, hint, ...nowhere }];
}

/**
 * Does something for a command that owes its caller a document: what is thrown is in there, too.
 *
 * @param tell writes the document; null where none was asked for
 * @throws whatever was thrown
 */
export async function tellThrown<T>(
  tell: ((diagnostics: readonly JsonDiagnostic[]) => void | Promise<void>) | null,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const diagnostics = thrownJson(error);
    if (diagnostics.length > 0) await tell?.(diagnostics);
    throw error;
  }
}
