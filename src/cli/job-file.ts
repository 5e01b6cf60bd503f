import { appendFile } from 'node:fs/promises';
import type { Io } from './io.ts';

/**
 * Appends to a file that a job of GitHub Actions names in its environment. Where none is named nothing is made; one that cannot
 * be written is told, and no failure.
 *
 * @param make is called with the file's path
 */
export async function appendToJobFile(
  name: 'GITHUB_STEP_SUMMARY' | 'GITHUB_OUTPUT',
  io: Io,
  make: (file: string) => Promise<string> | string,
): Promise<void> {
  const file = io.env[name] ?? '';
  if (file === '') return;
  try {
    await appendFile(file, await make(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    io.stderr.write(`The file of ${name} cannot be written: ${code}\n`);
  }
}
