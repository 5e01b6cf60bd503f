/** What a file operation gives, or null when there is no such file or folder: another process may remove one at any time. */
export async function ifThere<T>(action: Promise<T>): Promise<T | null> {
  try {
    return await action;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Whether a file operation failed since there is no such file or folder. */
export function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
}
