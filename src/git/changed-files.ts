import { mergeBase } from './merge-base.ts';
import { runGit } from './run-git.ts';

/**
 * The files below a folder that are not as they were where the present branch left another one: committed, staged, edited,
 * removed and new ones. EDGE. Both names of a file that was renamed; not files that git ignores.
 *
 * @param root absolute; the folder's own paths are returned, with `/`
 * @param ref a branch, tag or commit
 * @throws ReelformError `git_failed` when there is no repository, no such commit, or no common history
 */
export async function changedFiles(root: string, ref: string): Promise<ReadonlySet<string>> {
  const base = await mergeBase(root, ref);
  const [differing, untracked] = await Promise.all([
    runGit(root, [
      'diff',
      '--name-only',
      '-z',
      '--no-renames',
      '--no-ext-diff',
      '--ignore-submodules',
      '--relative',
      base,
      '--',
      '.',
    ]),
    runGit(root, ['ls-files', '--others', '--exclude-standard', '-z', '--', '.']),
  ]);
  return new Set(`${differing}${untracked}`.split('\0').filter((path) => path !== ''));
}
