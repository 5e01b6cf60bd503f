import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { temporaryFolder } from '../../kernel/temporary-folder.ts';
import { serializedFetch } from './remote-branch.ts';
import { gitName, hasCommit, runGit, tryGit } from './run-git.ts';

/**
 * Returns the current commit, and the path of a folder from the top of its repository: empty, or with a trailing `/`.
 *
 * @throws ReelformError `git_failed`
 */
export async function headLocation(root: string): Promise<{ readonly commit: string; readonly folder: string }> {
  const text = await runGit(root, ['rev-parse', '--show-prefix', '--verify', 'HEAD^{commit}']);
  const [folder = '', commit = ''] = text.split('\n');
  return { commit, folder };
}

/** Returns whether a commit is the current commit or was merged into it; false for unknown commits. */
export async function isMergedIn(root: string, commit: string): Promise<boolean> {
  return (await tryGit(root, ['merge-base', '--is-ancestor', gitName(commit), 'HEAD'])) !== null;
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

/**
 * Returns a file's content at a commit; null when it does not exist.
 *
 * @param path from the top of the repository, or below the root after `./`
 */
export function fileAt(root: string, commit: string, path: string): Promise<string | null> {
  return tryGit(root, ['cat-file', 'blob', `${commit}:${path}`]);
}

/** Returns the merge base of two commits; null when it is not known locally. */
export async function commonCommit(root: string, first: string, second: string): Promise<string | null> {
  return (await tryGit(root, ['merge-base', gitName(first), gitName(second)]))?.trim() ?? null;
}

/** Returns true if two commits are equal, apart from the given file. @param path as returned by `repositoryPath` */
export async function differInOne(root: string, first: string, second: string, path: string): Promise<boolean> {
  const diff = ['diff', '--quiet', '--no-ext-diff', '--ignore-submodules', first, second, '--', ':(top)'];
  return (await tryGit(root, [...diff, `:(top,exclude,literal)${path}`])) !== null;
}

/**
 * Fetches a commit of a branch unless it is known locally. A shallow repository stays shallow.
 *
 * @throws ReelformError `git_failed` when the remote cannot be reached, or no longer has the commit
 */
export async function fetchCommit(root: string, remote: string, branch: string, commit: string): Promise<void> {
  if (await hasCommit(root, commit)) return;
  await serializedFetch(root, remote, `refs/heads/${gitName(branch)}`);
  // If the branch has moved meanwhile, a shallow fetch got only its new commit.
  if (!(await hasCommit(root, commit))) await serializedFetch(root, remote, commit);
}

/**
 * Returns the files below a folder that have changed since the present branch diverged from another branch: committed,
 * staged, edited, removed and new files, and both names of a renamed file. Ignored files are left out.
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
 * Returns the commit at which the present branch diverged from another branch.
 *
 * @param root absolute; a folder of the repository
 * @param ref a branch, tag or commit
 * @throws ReelformError `git_failed` when there is no repository, no such commit, or no common history
 */
export async function mergeBase(root: string, ref: string): Promise<string> {
  const base = await tryGit(root, ['merge-base', gitName(ref), 'HEAD']);
  if (base !== null) return base.trim();
  if ((await tryGit(root, ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`])) === null) {
    // Throws a more precise error when there is no repository.
    await runGit(root, ['rev-parse', '--git-dir']);
    throw new ReelformError('git_failed', `There is no commit ${JSON.stringify(ref)} in this repository`, {
      hint: 'Fetch it: git fetch origin, or "fetch-depth: 0" for actions/checkout',
    });
  }
  throw new ReelformError('git_failed', `HEAD and ${JSON.stringify(ref)} have no common history here`, {
    hint: 'In a shallow checkout, fetch more: git fetch --unshallow, or "fetch-depth: 0" for actions/checkout',
  });
}

/** Location of a folder in a git repository. */
export interface GitLocation {
  /** Relative path from the folder to the top, such as `../../`; empty at the top. */
  readonly up: string;
  /** Default branch, into which other branches are merged; null when unknown. */
  readonly branch: string | null;
  /** True if the URL of the remote looks like GitLab. */
  readonly isGitLab: boolean;
}

/**
 * Locates a folder in its repository and determines the default branch: that of the remote, else `main` or `master` if
 * they exist, else the present branch.
 *
 * @param folder absolute; must exist
 * @returns null outside of a repository
 */
export async function locateInGit(folder: string): Promise<GitLocation | null> {
  const up = await tryGit(folder, ['rev-parse', '--show-cdup']);
  if (up === null) return null;
  const url = await tryGit(folder, ['remote', 'get-url', 'origin']);
  const isGitLab = /^(?:[a-z]+:\/\/)?(?:[^/@]*@)?[^/:]*\bgitlab\b/i.test(url ?? '');
  return { up: up.trim(), branch: await defaultBranch(folder), isGitLab };
}

async function defaultBranch(folder: string): Promise<string | null> {
  const target = await targetBranch(folder, null);
  if (target !== null && target !== 'HEAD') return target.replace(/^(?:heads|(?:remotes\/)?origin)\//, '');
  // In a repository without commits, HEAD names a branch that does not exist yet.
  return (await tryGit(folder, ['symbolic-ref', '--quiet', '--short', 'HEAD']))?.trim() ?? null;
}

/**
 * Returns the branch into which the present branch will be merged.
 *
 * @param target its name, if known from the environment
 * @returns a name such as `origin/main`; without a remote `main`, `master` or HEAD; null without a commit
 */
export async function targetBranch(root: string, target: string | null): Promise<string | null> {
  if (target !== null) return `origin/${gitName(target)}`;
  const head = await tryGit(root, ['symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD']);
  if (head !== null) return head.trim();
  // CI checkouts have the remote's branch, but not its HEAD.
  const names = ['remotes/origin/main', 'remotes/origin/master', 'heads/main', 'heads/master'];
  const refs = await tryGit(root, ['for-each-ref', '--format=%(refname)', ...names.map((name) => `refs/${name}`)]);
  const found = names.find((name) => refs?.split('\n').includes(`refs/${name}`));
  if (found !== undefined) return found;
  return (await tryGit(root, ['rev-parse', '--verify', '--quiet', 'HEAD'])) === null ? null : 'HEAD';
}

/** The files of a commit in a temporary folder. */
export interface CommitFiles {
  /** Absolute path that corresponds to `root` in the repository. */
  readonly root: string;
  remove(): Promise<void>;
}

/** Enough for a repository with much footage on a slow disk. */
const TIMEOUT_MS = 10 * 60_000;

/** Age at which a folder that was left behind is deleted. */
const STALE_MS = 24 * 3_600_000;

/**
 * Writes the files of a commit below a folder to a temporary folder. Runs filters such as those of Git LFS, but no
 * hooks. Does not change the work tree, the index or a branch of the repository.
 *
 * @param root absolute; a folder of the repository
 * @throws ReelformError `git_failed`
 */
export async function checkoutCommit(root: string, commit: string): Promise<CommitFiles> {
  const folder = temporaryFolder('reelform-base-', STALE_MS);
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const files = join(folder, 'files');
  const env = { GIT_INDEX_FILE: join(folder, 'index') };
  try {
    const below = await repositoryPath(root, '');
    await runGit(root, ['-c', 'core.hooksPath=/dev/null', 'read-tree', commit], { env });
    // Git writes only the files below its working directory.
    await runGit(root, ['checkout-index', '--all', '--force', '--quiet', `--prefix=${files}/`], {
      env,
      timeoutMs: TIMEOUT_MS,
    });
    return { root: join(files, below), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
