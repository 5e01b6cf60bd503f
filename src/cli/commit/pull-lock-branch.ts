import { ReelformError } from '../../diagnostic.ts';
import { ForgeError } from '../../forge/forge-error.ts';
import { branchHead, commitOnBranch, createBranch, readFileAt, resetBranch } from '../../forge/github/commits.ts';
import type { GitHub } from '../../forge/github/github.ts';
import { createPull, type PullRequest, pullsOfHead, updatePull } from '../../forge/github/pulls.ts';
import { emptyLock, type Fingerprint, type Lock } from '../../lock/lock.ts';
import { parseLock } from '../../lock/parse-lock.ts';
import { changeOf, type LockBranch, type LockTip, type LockWrite } from '../../lock/publish-lock.ts';
import { serialiseLock } from '../../lock/serialise-lock.ts';
import { lockCommitWords, lockPullWords } from '../../report/commit-text.ts';

/** The branch of the one pull request. */
export const PULL_BRANCH = 'reelform/lock';

interface Seen {
  readonly pull: PullRequest | null;
  /** Of the branch that it is to be merged into. */
  readonly target: { readonly commit: string; readonly lock: Lock };
}

/**
 * The lockfile by a pull request, for a branch that nobody may push to: there is one at most, which is made, kept up to date,
 * and closed when it has nothing left. What waits in it stays, as far as definitions want it still.
 */
export class PullLockBranch implements LockBranch {
  readonly #github: GitHub;
  readonly #target: string;
  readonly #path: string;
  readonly #wanted: ReadonlyMap<string, Fingerprint>;
  #seen: Seen | null = null;
  readonly name: string;

  /**
   * @param target the branch that it is to be merged into
   * @param path of the lockfile, from the top of the repository
   * @param wanted by id, what the definitions say
   */
  constructor(github: GitHub, target: string, path: string, wanted: ReadonlyMap<string, Fingerprint>) {
    this.#github = github;
    this.#target = target;
    this.#path = path;
    this.#wanted = wanted;
    this.name = `${PULL_BRANCH} of ${github.repository}`;
  }

  /** The lockfile that waits to be merged, and its commit; null where nothing does. */
  async waiting(): Promise<{ readonly commit: string; readonly lock: Lock } | null> {
    const pull = await this.#pull();
    if (pull === null) return null;
    const text = await readFileAt(this.#github, this.#path, pull.headSha);
    return { commit: pull.headSha, lock: parsed(text, this.#path) };
  }

  async read(): Promise<LockTip> {
    const [pull, commit] = await Promise.all([this.#pull(), branchHead(this.#github, this.#target)]);
    if (commit === null) {
      throw new ReelformError('commit_refused', `There is no branch ${this.#target} of ${this.#github.repository}`, {
        hint: 'Push it first',
      });
    }
    const text = await readFileAt(this.#github, this.#path, commit);
    const lock = parsed(text, this.#path);
    this.#seen = { pull, target: { commit, lock } };
    if (pull === null) return { commit, source: commit, text, written: text };
    const written = await readFileAt(this.#github, this.#path, pull.headSha);
    const waiting = this.#stillWanted(lock, parsed(written, this.#path));
    const isIdle = changed(lock, waiting) === 0;
    // One that has nothing to merge is to be closed, whatever it says.
    const says = isIdle && written === text ? null : written;
    return { commit: pull.headSha, source: commit, text: serialiseLock(waiting), written: says };
  }

  async write(text: string, { commit }: LockTip): Promise<LockWrite> {
    const { pull, target } = this.#seen!;
    const change = changeOf(target.lock, parsed(text, this.#path));
    if (change.recorded.length + change.removed.length === 0 && pull !== null) {
      await updatePull(this.#github, pull.number, { state: 'closed' });
      return { kind: 'closed', url: pull.url };
    }
    if (pull === null) await this.#begin(target.commit);
    const outcome = await commitOnBranch(this.#github, {
      branch: PULL_BRANCH,
      expectedHead: commit,
      ...lockCommitWords(change),
      additions: { [this.#path]: text },
    });
    if (outcome.kind !== 'committed') return outcome;
    const words = lockPullWords(change, this.#path);
    const shown = pull === null ? await this.#create(words) : pull;
    if (shown.title !== words.title || shown.body.replaceAll('\r\n', '\n') !== words.body) {
      await updatePull(this.#github, shown.number, words);
    }
    return { kind: 'committed', commit: outcome.oid, url: shown.url };
  }

  async #pull(): Promise<PullRequest | null> {
    const [owner = ''] = this.#github.repository.split('/');
    const found = await pullsOfHead(this.#github, `${owner}:${PULL_BRANCH}`);
    return found.find(({ baseBranch }) => baseBranch === this.#target) ?? null;
  }

  /** The target's lockfile, with what waits and is what definitions want. */
  #stillWanted(lock: Lock, waiting: Lock): Lock {
    const videos = new Map(lock.videos);
    for (const [id, entry] of waiting.videos) {
      const isWanted = this.#wanted.get(id) === entry.fingerprint;
      if (isWanted && videos.get(id)?.fingerprint !== entry.fingerprint) videos.set(id, entry);
    }
    return { ...lock, videos };
  }

  /** The branch, at the target's tip: what it had is merged, or was closed. */
  async #begin(commit: string): Promise<void> {
    if (await createBranch(this.#github, PULL_BRANCH, commit)) return;
    await resetBranch(this.#github, PULL_BRANCH, commit);
  }

  async #create(words: { readonly title: string; readonly body: string }): Promise<PullRequest> {
    try {
      return await createPull(this.#github, { ...words, head: PULL_BRANCH, base: this.#target });
    } catch (error) {
      // Somebody was first, or nobody knows whether it was made.
      const made = error instanceof ForgeError && error.status !== 403 ? await this.#pull() : null;
      if (made !== null) return made;
      if (!(error instanceof ForgeError) || error.status !== 403) throw error;
      throw new ReelformError('commit_refused', `The pull request for the lockfile: ${error.message}`, {
        hint: 'The job needs pull-requests: write, and the repository has to let GitHub Actions create pull requests',
      });
    }
  }
}

function changed(before: Lock, after: Lock): number {
  const { recorded, removed } = changeOf(before, after);
  return recorded.length + removed.length;
}

/** One that cannot be read says nothing that could be kept: what is written takes its place by a commit. */
function parsed(text: string | null, file: string): Lock {
  const read = text === null ? null : parseLock(text, file);
  return read?.ok === true ? read.value : emptyLock;
}
