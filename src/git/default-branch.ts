import { gitName, tryGit } from './run-git.ts';

/** Location of a folder in a git repository. */
export interface GitLocation {
  /** Relative path from the folder to the top, such as `../../`; empty at the top. */
  readonly up: string;
  /** Branch into which others are merged; null when unknown. */
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
  return { up: up.trim(), branch: await branchOf(folder), isGitLab };
}

async function branchOf(folder: string): Promise<string | null> {
  const remote = await tryGit(folder, ['symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD']);
  if (remote !== null) return remote.trim().replace(/^origin\//, '');
  for (const name of ['main', 'master']) {
    for (const ref of [`refs/remotes/origin/${name}`, `refs/heads/${name}`]) {
      if ((await tryGit(folder, ['rev-parse', '--verify', '--quiet', ref])) !== null) return name;
    }
  }
  // In a repository without commits, HEAD names a branch that does not exist yet.
  return (await tryGit(folder, ['symbolic-ref', '--quiet', '--short', 'HEAD']))?.trim() ?? null;
}

/**
 * Returns the branch into which the present one will be merged.
 *
 * @param target its name, if known from the environment
 * @returns a name such as `origin/main`; without a remote `main`, `master` or HEAD; null without a commit
 */
export async function targetBranch(root: string, target: string | null): Promise<string | null> {
  if (target !== null) return `origin/${gitName(target)}`;
  const head = await tryGit(root, ['symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD']);
  if (head !== null) return head.trim();
  // CI checkouts have the remote's branch, but not its HEAD.
  for (const name of ['remotes/origin/main', 'remotes/origin/master', 'heads/main', 'heads/master', 'HEAD']) {
    const ref = name === 'HEAD' ? name : `refs/${name}`;
    if ((await tryGit(root, ['rev-parse', '--verify', '--quiet', ref])) !== null) return name;
  }
  return null;
}
