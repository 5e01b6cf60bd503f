import { tryGit } from './run-git.ts';

/**
 * Merges three files line by line into the first, as git would without a driver: with conflict markers where it has to.
 * EDGE. The first file stays as it is when git can do nothing with them.
 *
 * @param root what the paths are relative to, absolute
 */
export async function mergeLines(root: string, [base, ours, theirs]: readonly [string, string, string]): Promise<void> {
  const labels = ['ours', 'base', 'theirs'].flatMap((label) => ['-L', label]);
  // Its exit status is the number of conflicts.
  await tryGit(root, ['merge-file', ...labels, '--', ours, base, theirs]);
}
