import { isReelformError, ReelformError } from '../diagnostic.ts';
import type { JsonDiagnostic } from '../report/diagnostics-json.ts';
import { ServiceError } from '../service/service-error.ts';

/** What the file system said no to, where nobody was nearer to it; null for anything else. */
export function fileSystemError(error: unknown): ReelformError | null {
  const { code, syscall, path, message } = error as NodeJS.ErrnoException;
  if (!(error instanceof Error) || typeof syscall !== 'string' || typeof code !== 'string') return null;
  const hint =
    code === 'ENOSPC' || code === 'EDQUOT'
      ? 'Make room on the disk'
      : 'Look whether the path is what it should be, and at its rights';
  return new ReelformError('file_system', path === undefined ? message : `${syscall} ${path}: ${code}`, {
    hint,
    cause: error,
  });
}

/** What ended a command, as the diagnostics of a document have it; nothing for a mistake of ours. */
export function thrownJson(error: unknown): JsonDiagnostic[] {
  const told = isReelformError(error) || error instanceof ServiceError ? error : fileSystemError(error);
  if (told === null) return [];
  const { code, message } = told;
  const hint = isReelformError(told) ? (told.hint ?? null) : null;
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
