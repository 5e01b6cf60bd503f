import { ReelformError } from './diagnostic.ts';

/** Wording of the most common failures. */
const REASONS: Readonly<Record<string, { readonly reason: string; readonly hint: string }>> = {
  ENOSPC: { reason: 'The disk is full', hint: 'Make room on the disk' },
  EDQUOT: { reason: 'The disk quota is used up', hint: 'Make room, or have the quota raised' },
  EEXIST: { reason: 'A file is in the way', hint: 'Remove that file, or choose another path' },
  ENOTDIR: { reason: 'A part of the path is a file', hint: 'Check the path' },
  EROFS: { reason: 'The file system is read-only', hint: 'Work in a folder that can be written to' },
};

/**
 * Converts a failed file operation to an error for the user: `disk_full` if that is the failure or a cause of it, otherwise
 * `file_system`. Returns null for any other error.
 */
export function fileSystemError(error: unknown): ReelformError | null {
  if (!(error instanceof Error)) return null;
  const full = causesOf(error).find(({ code }) => code === 'ENOSPC' || code === 'EDQUOT');
  const { code, syscall, path, message } = full ?? (error as NodeJS.ErrnoException);
  if (typeof code !== 'string' || typeof syscall !== 'string') return null;
  const known = REASONS[code];
  // A wrapping error describes the operation best, because it names the file.
  const systemMessage = path === undefined ? message : `${syscall} ${path}: ${code}`;
  const operation = error instanceof ReelformError ? error.message : systemMessage;
  return new ReelformError(
    full === undefined ? 'file_system' : 'disk_full',
    known ? `${known.reason} (${operation})` : operation,
    {
      hint: known?.hint ?? 'Check the path, the rights of its folder, and whether the file system is read-only',
      cause: error,
    },
  );
}

/** Returns an error and its causes, outermost first. */
function causesOf(error: unknown): NodeJS.ErrnoException[] {
  const causes: NodeJS.ErrnoException[] = [];
  for (let cause = error; cause instanceof Error && !causes.includes(cause); cause = cause.cause) causes.push(cause);
  return causes;
}

/** Resolves to the result of a file operation, or to null if the file or folder does not exist. */
export async function nullIfMissing<T>(action: Promise<T>): Promise<T | null> {
  try {
    return await action;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Returns whether a file operation failed because the file or folder does not exist. */
export function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
}
