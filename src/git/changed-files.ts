import { ReelformError } from '../diagnostic.ts';
import { gitName, runGit, tryGit } from './run-git.ts';

/**
 * The files below a folder that are not as they were where the present branch left another one: committed, staged, edited,
 * removed and new ones. EDGE. Both names of a file that was renamed; not files that git ignores.
 *
 * @param root absolute; the folder's own paths are returned, with `/`
 * @param ref a branch, tag or commit
 * @throws ReelformError `git_failed` when there is no repository, no such commit, or no common history
 */
export async function changedFiles(root: string, ref: string): Promise<ReadonlySet<string>> {
  const commit = await tryGit(root, ['rev-parse', '--verify', '--quiet', `${gitName(ref)}^{commit}`]);
  if (commit === null) {
    // Says itself what is wrong when it is not the name.
    await runGit(root, ['rev-parse', '--git-dir']);
    throw new ReelformError('git_failed', `There is no commit ${JSON.stringify(ref)} in this repository`, {
      hint: 'Fetch it: git fetch origin, or "fetch-depth: 0" for actions/checkout',
    });
  }
  const base = await tryGit(root, ['merge-base', commit.trim(), 'HEAD']);
  if (base === null) {
    throw new ReelformError('git_failed', `HEAD and ${JSON.stringify(ref)} have no common history here`, {
      hint: 'In a shallow checkout, fetch more: git fetch --unshallow, or "fetch-depth: 0" for actions/checkout',
    });
  }
  const [differing, untracked] = await Promise.all([
    runGit(root, [
      'diff',
      '--name-only',
      '-z',
      '--no-renames',
      '--no-ext-diff',
      '--ignore-submodules',
      '--relative',
      base.trim(),
      '--',
      '.',
    ]),
    runGit(root, ['ls-files', '--others', '--exclude-standard', '-z', '--', '.']),
  ]);
  return new Set(`${differing}${untracked}`.split('\0').filter((path) => path !== ''));
}
