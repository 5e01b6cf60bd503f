import { appendFile, stat } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import { SUMMARY } from '../../report/markdown/plan-markdown.ts';
import type { Io } from '../io.ts';

/**
 * Appends to a file that a step of GitHub Actions names in its environment. Does nothing if none is named; a file that cannot
 * be written is reported on stderr and does not fail the command.
 *
 * @param content called with the path of the file
 */
export async function appendToJobFile(
  name: 'GITHUB_STEP_SUMMARY' | 'GITHUB_OUTPUT',
  io: Io,
  content: (file: string) => Promise<string> | string,
): Promise<void> {
  const file = io.env[name] ?? '';
  if (file === '') return;
  try {
    await appendFile(file, await content(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    io.stderr.write(`The file in ${name} cannot be written: ${code}\n`);
  }
}

/** Returns how many bytes still fit in the summary of the step, at least 2,000. */
export async function summaryBudget(file: string): Promise<number> {
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  return Math.max(2000, SUMMARY - size);
}

/**
 * Returns the path from the workspace of a job to a folder in it, with `/` separators and a trailing `/`: `shop/videos/`.
 * Empty if both are the same, if the workspace is unknown, and if the folder is outside of it.
 */
export function relativeFolder(workspace: string | undefined, folder: string): string {
  if (workspace === undefined || workspace === '') return '';
  const path = relative(workspace, folder);
  if (path === '' || path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)) return '';
  return `${path.split(sep).join('/')}/`;
}
