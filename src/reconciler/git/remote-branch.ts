import { ReelformError } from '../../kernel/diagnostic.ts';
import { gitName, hasCommit, isShallow, runGit, tryGit } from './run-git.ts';

/** Author of the commits that Reelform creates, on all machines. */
export const GIT_IDENTITY = {
  GIT_AUTHOR_NAME: 'Reelform',
  GIT_AUTHOR_EMAIL: 'reelform@localhost',
  GIT_COMMITTER_NAME: 'Reelform',
  GIT_COMMITTER_EMAIL: 'reelform@localhost',
};

/** The branch may move between the request for its tip and the fetch, so both are repeated up to this number. */
const MAX_FETCHES = 10;

export interface RemoteBranchOptions {
  /** Absolute; a folder of the repository. */
  readonly root: string;
  readonly remote: string;
  readonly branch: string;
}

/** A branch of a remote. Neither the work tree nor the index nor a local branch is changed. */
export class RemoteBranch {
  readonly #root: string;
  readonly #remote: string;
  readonly #ref: string;
  readonly #name: string;

  /** @param name of the branch or its content, for errors */
  constructor({ root, remote, branch }: RemoteBranchOptions, name: string) {
    this.#root = root;
    this.#remote = gitName(remote);
    this.#ref = `refs/heads/${gitName(branch)}`;
    this.#name = name;
  }

  /** Asks the remote for the commit of the branch; null when there is no such branch. @throws ReelformError `git_failed` */
  async tip(): Promise<string | null> {
    const refs = await runGit(this.#root, ['ls-remote', '--', this.#remote, this.#ref]);
    const line = refs.split('\n').find((line) => line.endsWith(`\t${this.#ref}`));
    return line?.split('\t')[0] ?? null;
  }

  /**
   * Fetches the commit of the branch; null when there is no such branch.
   *
   * @param known commit that need not be fetched again
   * @throws ReelformError `git_failed`
   */
  async fetchTip(known?: string): Promise<string | null> {
    for (let attempt = 1; attempt <= MAX_FETCHES; attempt++) {
      const commit = await this.tip();
      if (commit === null || commit === known || (await hasCommit(this.#root, commit))) return commit;
      await serializedFetch(this.#root, this.#remote, this.#ref);
      if (await hasCommit(this.#root, commit)) return commit;
    }
    throw new ReelformError('git_failed', `${this.#name} changed repeatedly while it was read`);
  }

  /** Returns the commit that this repository fetched last for the branch; null when it never did. */
  async fetchedTip(): Promise<string | null> {
    const ref = `refs/remotes/${this.#remote}/${this.#ref.slice('refs/heads/'.length)}`;
    return (await tryGit(this.#root, ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`]))?.trim() ?? null;
  }

  /** Writes an object to the local repository. @returns its id */
  async object(args: readonly string[], input: string | Uint8Array): Promise<string> {
    return (await runGit(this.#root, args, { input, env: GIT_IDENTITY })).trim();
  }

  /**
   * Moves the branch to a commit if it is still at `seen`: a compare-and-swap.
   *
   * @param seen null when there is no such branch
   * @returns the error if it failed, or if its result is unknown
   */
  async push(commit: string, seen: string | null): Promise<Error | null> {
    const flags = ['--quiet', '--no-verify', '--no-recurse-submodules', '--no-follow-tags', '--no-signed'];
    const lease = `--force-with-lease=${this.#ref}:${seen ?? ''}`;
    try {
      await runGit(this.#root, ['push', ...flags, lease, '--', this.#remote, `${commit}:${this.#ref}`]);
      return null;
    } catch (error) {
      return error as Error;
    }
  }
}

/** The last fetch of each repository, by root. */
const pendingFetches = new Map<string, Promise<unknown>>();

/**
 * Fetches a ref or commit without updating a branch, after any other fetch into the same repository: concurrent
 * fetches fail in a shallow repository. A shallow repository stays shallow, and a complete repository stays complete.
 *
 * @throws ReelformError `git_failed`
 */
export async function serializedFetch(root: string, remote: string, wanted: string): Promise<void> {
  const fetched = (pendingFetches.get(root) ?? Promise.resolve()).then(async () => {
    const quietly = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--refmap='];
    const depth = (await isShallow(root)) ? ['--depth=1'] : [];
    return runGit(root, ['fetch', ...quietly, ...depth, '--', gitName(remote), wanted]);
  });
  const settled = fetched.catch(() => undefined);
  pendingFetches.set(root, settled);
  await fetched.finally(() => {
    if (pendingFetches.get(root) === settled) pendingFetches.delete(root);
  });
}
