import { ReelformError } from '../diagnostic.ts';
import { serializedFetch } from './remote-branch.ts';
import { gitName, hasCommit, isShallow, runGit, tryGit } from './run-git.ts';

/** Returns the current commit. @throws ReelformError `git_failed` */
export async function headCommit(root: string): Promise<string> {
  return (await runGit(root, ['rev-parse', '--verify', 'HEAD^{commit}'])).trim();
}

/**
 * Returns the current commit and its first parents, latest first.
 *
 * @throws ReelformError `git_failed`
 */
export async function recentCommits(root: string, count: number): Promise<string[]> {
  const log = await runGit(root, ['log', '--first-parent', `--max-count=${count}`, '--format=%H', 'HEAD']);
  return log.split('\n').filter((line) => line !== '');
}

/** Returns the current branch; null when HEAD is detached. @throws ReelformError `git_failed` outside a repository */
export async function headBranch(root: string): Promise<string | null> {
  const branch = await tryGit(root, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
  if (branch !== null) return branch.trim();
  await runGit(root, ['rev-parse', '--git-dir']);
  return null;
}

/**
 * Returns a file's path from the top of its repository. @param file path below the root @throws ReelformError
 * `git_failed`
 */
export async function repositoryPath(root: string, file: string): Promise<string> {
  return `${(await runGit(root, ['rev-parse', '--show-prefix'])).trimEnd()}${file}`;
}

/** Returns a file's content at a commit; null when it does not exist. @param path as returned by `repositoryPath` */
export function fileAt(root: string, commit: string, path: string): Promise<string | null> {
  return tryGit(root, ['cat-file', 'blob', `${commit}:${path}`]);
}

/** Returns the merge base of two commits; null when it is not known locally. */
export async function commonCommit(root: string, one: string, other: string): Promise<string | null> {
  return (await tryGit(root, ['merge-base', gitName(one), gitName(other)]))?.trim() ?? null;
}

/** Returns true if at most one given file differs between two commits. @param path as returned by `repositoryPath` */
export async function differInOne(root: string, one: string, other: string, path: string): Promise<boolean> {
  const diff = ['diff', '--quiet', '--no-ext-diff', '--ignore-submodules', one, other, '--', ':(top)'];
  return (await tryGit(root, [...diff, `:(top,exclude,literal)${path}`])) !== null;
}

/**
 * Fetches a commit of a branch unless it is known locally. A shallow repository stays shallow.
 *
 * @throws ReelformError `git_failed` when the remote cannot be reached, or no longer has the commit
 */
export async function fetchCommit(root: string, remote: string, branch: string, commit: string): Promise<void> {
  if (await hasCommit(root, commit)) return;
  const from = [...((await isShallow(root)) ? ['--depth=1'] : []), '--', gitName(remote)];
  await serializedFetch(root, [...from, `refs/heads/${gitName(branch)}`]);
  // If the branch has moved meanwhile, a shallow fetch got only its new commit.
  if (!(await hasCommit(root, commit))) await serializedFetch(root, [...from, commit]);
}

/**
 * Returns the files below a folder that have changed since the present branch diverged from another one: committed,
 * staged, edited, removed and new files, and both names of a renamed one. Ignored files are left out.
 *
 * @param root absolute; returned paths are relative to it, with `/`
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

/**
 * Returns the commit at which the present branch diverged from another one.
 *
 * @param root absolute; a folder of the repository
 * @param ref a branch, tag or commit
 * @throws ReelformError `git_failed` when there is no repository, no such commit, or no common history
 */
export async function mergeBase(root: string, ref: string): Promise<string> {
  const commit = await tryGit(root, ['rev-parse', '--verify', '--quiet', `${gitName(ref)}^{commit}`]);
  if (commit === null) {
    // Throws its own error if the name is not the problem.
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
