import { tryGit } from './run-git.ts';

/** Where a folder is in a repository of git. */
export interface RepositoryPlace {
  /** From the folder to the top, such as `../../`; empty at the top. */
  readonly up: string;
  /** The branch that others are merged into; null where nothing says. */
  readonly branch: string | null;
  /** Whether its remote is of GitLab, as far as an address says it. */
  readonly isGitLab: boolean;
}

/**
 * Where a folder is, and what the branch is called that changes are merged into: as the remote says, else `main` or `master`
 * where there is one, else the one that is checked out. EDGE.
 *
 * @param folder absolute, and there
 * @returns null without a repository
 */
export async function repositoryPlace(folder: string): Promise<RepositoryPlace | null> {
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
  // Without a commit there is no branch yet, and still a name for it.
  return (await tryGit(folder, ['symbolic-ref', '--quiet', '--short', 'HEAD']))?.trim() ?? null;
}
