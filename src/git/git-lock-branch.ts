import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ReelformError } from '../diagnostic.ts';
import type { LockBranch, LockChange, LockTip, LockWrite } from '../lock/publish-lock.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { fetchCommit, fileAt } from './revisions.ts';
import { gitName, runGit } from './run-git.ts';

/** Whose commits these are, wherever they are made. */
const IDENTITY = {
  GIT_AUTHOR_NAME: 'Reelform',
  GIT_AUTHOR_EMAIL: 'reelform@localhost',
  GIT_COMMITTER_NAME: 'Reelform',
  GIT_COMMITTER_EMAIL: 'reelform@localhost',
};
/** What hosts say of branches that are not for everybody. */
const PROTECTED = /protected branch|GH006|GH013|hook declined|not allowed to push|deny/i;
/** The tip may move between asking for it and getting it; so often it is asked again. */
const ATTEMPTS = 10;

export interface GitLockBranchOptions {
  /** Absolute; a folder of the repository. */
  readonly root: string;
  readonly remote: string;
  readonly branch: string;
  /** From the top of the repository. */
  readonly path: string;
  message(change: LockChange): string;
}

/** A branch of any remote, written to by git. EDGE. Neither the work tree nor the index nor a branch here is touched. */
export class GitLockBranch implements LockBranch {
  readonly #options: GitLockBranchOptions;
  readonly #ref: string;
  readonly name: string;

  constructor(options: GitLockBranchOptions) {
    this.#options = options;
    this.#ref = `refs/heads/${gitName(options.branch)}`;
    this.name = `${options.remote}/${options.branch}`;
  }

  /** The commit that the branch is at. @throws ReelformError `git_failed` */
  async tip(): Promise<string> {
    const commit = await this.#head();
    if (commit !== null) return commit;
    throw new ReelformError('git_failed', `There is no branch ${this.name}`, { hint: 'Push it first' });
  }

  async read(): Promise<LockTip> {
    const { root, remote, branch, path } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const commit = await this.tip();
      try {
        await fetchCommit(root, remote, branch, commit);
      } catch (error) {
        if (attempt === ATTEMPTS) throw error;
        continue;
      }
      const text = await fileAt(root, commit, path);
      return { commit, source: commit, text, written: text, pull: null };
    }
  }

  async write(text: string, { commit: parent }: LockTip, change: LockChange): Promise<LockWrite> {
    const { root, remote } = this.#options;
    const commit = await this.#commit(text, parent, this.#options.message(change));
    const flags = ['--quiet', '--no-verify', '--no-recurse-submodules', '--no-follow-tags', '--no-signed'];
    const lease = `--force-with-lease=${this.#ref}:${parent}`;
    try {
      await runGit(root, ['push', ...flags, lease, '--', gitName(remote), `${commit}:${this.#ref}`]);
    } catch (error) {
      const tip = await this.#head();
      if (tip === commit) return { kind: 'committed', commit, url: null, pull: null };
      if (tip !== parent) return { kind: 'moved' };
      const { message } = error as Error;
      if (PROTECTED.test(message)) return { kind: 'protected', why: message };
      throw error;
    }
    return { kind: 'committed', commit, url: null, pull: null };
  }

  async #head(): Promise<string | null> {
    const told = await runGit(this.#options.root, ['ls-remote', '--', gitName(this.#options.remote), this.#ref]);
    return (
      told
        .split('\n')
        .find((line) => line.endsWith(`\t${this.#ref}`))
        ?.split('\t')[0] ?? null
    );
  }

  async #commit(text: string, parent: string, message: string): Promise<string> {
    const { root, path } = this.#options;
    const folder = temporaryFolder('reelform-commit-');
    const env = { ...IDENTITY, GIT_INDEX_FILE: join(folder, 'index') };
    const git = async (args: readonly string[], input?: string): Promise<string> =>
      (await runGit(root, args, { env, ...(input === undefined ? {} : { input }) })).trim();
    try {
      await git(['read-tree', parent]);
      const blob = await git(['hash-object', '-w', '--no-filters', '--stdin'], text);
      await git(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`]);
      return await git(['commit-tree', '-F', '-', '-p', parent, await git(['write-tree'])], message);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}
