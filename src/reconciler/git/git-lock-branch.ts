import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { defined } from '../../kernel/defined.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { temporaryFolder } from '../../kernel/temporary-folder.ts';
import type { LockBranch, LockChange, LockTip, LockWrite } from '../lock/publish-lock.ts';
import { GIT_IDENTITY, RemoteBranch, type RemoteBranchOptions } from './remote-branch.ts';
import { fileAt } from './revisions.ts';
import { runGit } from './run-git.ts';

/** Messages of git hosts that refuse a push to a protected branch. */
const PROTECTED = /protected branch|GH006|GH013|hook declined|not allowed to push|deny/i;

const ALLOW = 'Allow this user or job to push to the branch. On GitHub, --commit=pr opens a pull request instead';

interface GitLockBranchOptions extends RemoteBranchOptions {
  /** Path of the lockfile from the top of the repository. */
  readonly path: string;
  message(change: LockChange): string;
}

/** A branch of any remote, to which the lockfile is committed with git. */
export class GitLockBranch implements LockBranch {
  readonly #options: GitLockBranchOptions;
  readonly #branch: RemoteBranch;
  readonly name: string;

  constructor(options: GitLockBranchOptions) {
    this.#options = options;
    this.name = `${options.remote}/${options.branch}`;
    this.#branch = new RemoteBranch(options, this.name);
  }

  /** Returns the commit of the branch. @throws ReelformError `git_failed` */
  async tip(): Promise<string> {
    return (await this.#branch.tip()) ?? this.#missing();
  }

  async read(): Promise<LockTip> {
    const { root, path } = this.#options;
    const commit = (await this.#branch.fetchTip()) ?? this.#missing();
    const text = await fileAt(root, commit, path);
    return { commit, source: commit, text, written: text, pull: null };
  }

  async write(text: string, { commit: parent }: LockTip, change: LockChange): Promise<LockWrite> {
    const commit = await this.#commit(text, parent, this.#options.message(change));
    const error = await this.#branch.push(commit, parent);
    if (error !== null) {
      const tip = await this.#branch.tip();
      if (tip !== commit) {
        if (tip !== parent) return { kind: 'moved' };
        if (PROTECTED.test(error.message)) return { kind: 'protected', why: error.message, hint: ALLOW };
        throw error;
      }
    }
    return { kind: 'committed', commit, url: null, pull: null };
  }

  #missing(): never {
    throw new ReelformError('git_failed', `The branch ${this.name} does not exist`, { hint: 'Push it first' });
  }

  async #commit(text: string, parent: string, message: string): Promise<string> {
    const { root, path } = this.#options;
    const folder = temporaryFolder('reelform-commit-');
    const env = { ...GIT_IDENTITY, GIT_INDEX_FILE: join(folder, 'index') };
    const git = async (args: readonly string[], input?: string): Promise<string> =>
      (await runGit(root, args, { env, ...defined({ input }) })).trim();
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
