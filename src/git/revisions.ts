import { ReelformError } from '../diagnostic.ts';
import { fetchAlone } from './remote-branch.ts';
import { gitName, runGit, tryGit } from './run-git.ts';

/** The commit that is checked out. EDGE. @throws ReelformError `git_failed` */
export async function headCommit(root: string): Promise<string> {
  return (await runGit(root, ['rev-parse', '--verify', 'HEAD^{commit}'])).trim();
}

/**
 * The commit that is checked out and those that the branch was at before, latest first. EDGE.
 *
 * @throws ReelformError `git_failed`
 */
export async function recentCommits(root: string, count: number): Promise<string[]> {
  const log = await runGit(root, ['log', '--first-parent', `--max-count=${count}`, '--format=%H', 'HEAD']);
  return log.split('\n').filter((line) => line !== '');
}

/** The branch that is checked out; null for a commit alone. EDGE. @throws ReelformError `git_failed` without a repository */
export async function headBranch(root: string): Promise<string | null> {
  const branch = await tryGit(root, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
  if (branch !== null) return branch.trim();
  await runGit(root, ['rev-parse', '--git-dir']);
  return null;
}

/** A file's path from the top of its repository. EDGE. @param file below the root @throws ReelformError `git_failed` */
export async function repositoryPath(root: string, file: string): Promise<string> {
  return `${(await runGit(root, ['rev-parse', '--show-prefix'])).trimEnd()}${file}`;
}

/** A file as a commit has it; null where there is none. EDGE. @param path as `repositoryPath` tells it */
export function fileAt(root: string, commit: string, path: string): Promise<string | null> {
  return tryGit(root, ['cat-file', 'blob', `${commit}:${path}`]);
}

/** The last commit that two have in common; null where that is not known here. EDGE. */
export async function commonCommit(root: string, one: string, other: string): Promise<string | null> {
  return (await tryGit(root, ['merge-base', gitName(one), gitName(other)]))?.trim() ?? null;
}

/** Whether two commits differ in nothing but one file. EDGE. @param path as `repositoryPath` tells it */
export async function differInOne(root: string, one: string, other: string, path: string): Promise<boolean> {
  const diff = ['diff', '--quiet', '--no-ext-diff', '--ignore-submodules', one, other, '--', ':(top)'];
  return (await tryGit(root, [...diff, `:(top,exclude,literal)${path}`])) !== null;
}

/**
 * Fetches a commit of a branch that is not here yet. EDGE. A shallow repository stays one.
 *
 * @throws ReelformError `git_failed` when the remote cannot be asked, or does not have it any more
 */
export async function fetchCommit(root: string, remote: string, branch: string, commit: string): Promise<void> {
  const isHere = async (): Promise<boolean> => (await tryGit(root, ['cat-file', '-e', `${commit}^{commit}`])) !== null;
  if (await isHere()) return;
  const isShallow = (await runGit(root, ['rev-parse', '--is-shallow-repository'])).trim() === 'true';
  const from = [...(isShallow ? ['--depth=1'] : []), '--', gitName(remote)];
  await fetchAlone(root, [...from, `refs/heads/${gitName(branch)}`]);
  // The branch has moved on meanwhile, and a shallow repository gets what it is at alone.
  if (!(await isHere())) await fetchAlone(root, [...from, commit]);
}

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
