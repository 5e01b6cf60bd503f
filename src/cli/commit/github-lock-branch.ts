import { ReelformError } from '../../diagnostic.ts';
import { branchHead, commitOnBranch, readFileAt } from '../../forge/github/commits.ts';
import type { GitHub } from '../../forge/github/github.ts';
import type { LockBranch, LockChange, LockTip, LockWrite } from '../../lock/publish-lock.ts';
import { lockCommitWords } from '../../report/markdown/lock-commit.ts';

/** A branch of a repository of GitHub, written to through its interface: signed, and without git. */
export class GitHubLockBranch implements LockBranch {
  readonly #github: GitHub;
  readonly #branch: string;
  readonly #path: string;
  readonly name: string;

  /** @param path of the lockfile, from the top of the repository */
  constructor(github: GitHub, branch: string, path: string) {
    this.#github = github;
    this.#branch = branch;
    this.#path = path;
    this.name = `${branch} of ${github.repository}`;
  }

  /** The commit that the branch is at. @throws ReelformError */
  async tip(): Promise<string> {
    const commit = await branchHead(this.#github, this.#branch);
    if (commit !== null) return commit;
    throw new ReelformError('commit_refused', `There is no branch ${this.name}`, { hint: 'Push it first' });
  }

  async read(): Promise<LockTip> {
    const commit = await this.tip();
    const text = await readFileAt(this.#github, this.#path, commit);
    return { commit, source: commit, text, written: text, pull: null };
  }

  async write(text: string, { commit: expectedHead }: LockTip, change: LockChange): Promise<LockWrite> {
    const outcome = await commitOnBranch(this.#github, {
      branch: this.#branch,
      expectedHead,
      ...lockCommitWords(change),
      additions: { [this.#path]: text },
    });
    if (outcome.kind !== 'committed') return outcome;
    return { kind: 'committed', commit: outcome.oid, url: outcome.url, pull: null };
  }
}
