import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ServiceError } from '../contract/service-error.ts';
import { EXIT, ReelformError } from '../kernel/diagnostic.ts';
import { fileSystemError } from '../kernel/file-system-error.ts';
import type { JsonDiagnostic } from '../report/json/diagnostics-json.ts';
import { errorText, internalErrorText, serviceErrorText } from '../report/terminal/error-text.ts';
import { VERSION } from './global-options.ts';
import { type Io, isScreen } from './io.ts';

/** Returns the URL of the error codes in this package's documents, for a terminal that can open links; otherwise undefined. */
export function errorReference({ stderr, env }: Pick<Io, 'stderr' | 'env'>): string | undefined {
  if (!isScreen(stderr, env)) return undefined;
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, 'docs/reference/errors.md');
    if (existsSync(file)) return pathToFileURL(file).href;
  }
  return undefined;
}

/** Prints the error that ended a command on stderr, and returns the exit status. */
export function reportError(error: unknown, io: Io): number {
  const known = knownError(error);
  if (known instanceof ReelformError) {
    io.stderr.write(errorText(known, errorReference(io)));
    return known.exitCode;
  }
  io.stderr.write(known === null ? internalErrorText(error, VERSION) : serviceErrorText(known));
  return EXIT.error;
}

/** Returns the error that ended a command as diagnostics of a document; none for an internal error. */
export function errorDiagnostics(error: unknown): JsonDiagnostic[] {
  const known = knownError(error);
  if (known === null) return [];
  const { code, message } = known;
  const hint = known instanceof ReelformError ? (known.hint ?? null) : null;
  const nowhere = { file: null, line: null, column: null, end_line: null, end_column: null };
  return [{ code, severity: 'error', message, hint, ...nowhere }];
}

/**
 * Runs a part of a command that prints a document, so that the document is also printed when that part fails.
 *
 * @param report prints the document with the error; null if none was requested
 * @throws the same error, after it was reported
 */
export async function withErrorReport<T>(
  report: ((diagnostics: readonly JsonDiagnostic[]) => void | Promise<void>) | null,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const diagnostics = errorDiagnostics(error);
    if (diagnostics.length > 0) await report?.(diagnostics);
    throw error;
  }
}

function knownError(error: unknown): ReelformError | ServiceError | null {
  return error instanceof ReelformError || error instanceof ServiceError ? error : fileSystemError(error);
}
