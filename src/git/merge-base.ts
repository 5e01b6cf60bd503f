import { ReelformError } from '../diagnostic.ts';
import { gitName, runGit, tryGit } from './run-git.ts';

/**
 * The commit at which the present branch left another one. EDGE.
 *
 * @param root absolute; a folder of the repository
 * @param ref a branch, tag or commit
 * @throws ReelformError `git_failed` when there is no repository, no such commit, or no common history
 */
export async function mergeBase(root: string, ref: string): Promise<string> {
  const commit = await tryGit(root, ['rev-parse', '--verify', '--quiet', `${gitName(ref)}^{commit}`]);
  if (commit === null) {
    // Says itself what is wrong when it is not the name.
    await runGit(root, ['rev-parse', '--git-dir']);
    throw new ReelformError('git_failed', `There is no commit ${JSON.stringify(ref)} in this repository`, {
      hint: 'Fetch it: git fetch origin, or "fetch-depth: 0" for actions/checkout',
    });
  }
  const base = await tryGit(root, ['merge-base', commit.trim(), 'HEAD']);
  if (base !== null) return base.trim();
  throw new ReelformError('git_failed', `HEAD and ${JSON.stringify(ref)} have no common history here`, {
    hint: 'In a shallow checkout, fetch more: git fetch --unshallow, or "fetch-depth: 0" for actions/checkout',
  });
}

/**
 * The branch that the present one is to be merged into. EDGE.
 *
 * @param target its name, where whoever runs us says so
 * @returns such as `origin/main`; without a remote `main`, `master` or what was committed last; null without a commit
 */
export async function targetBranch(root: string, target: string | null): Promise<string | null> {
  if (target !== null) return `origin/${gitName(target)}`;
  const head = await tryGit(root, ['symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD']);
  if (head !== null) return head.trim();
  // Checkouts of CI have the branch and not the remote's HEAD.
  for (const name of ['remotes/origin/main', 'remotes/origin/master', 'heads/main', 'heads/master', 'HEAD']) {
    const ref = name === 'HEAD' ? name : `refs/${name}`;
    if ((await tryGit(root, ['rev-parse', '--verify', '--quiet', ref])) !== null) return name;
  }
  return null;
}
