import { fetchAlone } from './fetch-alone.ts';
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
