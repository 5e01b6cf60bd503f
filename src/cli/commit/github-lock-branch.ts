import { ReelformError } from '../../kernel/diagnostic.ts';
import { emptyLock, type Fingerprint, type Lock } from '../../reconciler/lock/lock.ts';
import { parseLock, serialiseLock } from '../../reconciler/lock/lock-format.ts';
import {
  changeOf,
  type LockBranch,
  type LockChange,
  type LockTip,
  type LockWrite,
} from '../../reconciler/lock/publish-lock.ts';
import { lockCommitWords, lockPullWords } from '../../report/markdown/lock-commit.ts';
import { ForgeError } from '../forge/forge-client.ts';
import { branchHead, commitOnBranch, firstParent, putOnto, readFileAt } from '../forge/github/commits.ts';
import type { GitHub } from '../forge/github/github.ts';
import { createPull, type PullRequest, pullsOfHead, updatePull } from '../forge/github/pulls.ts';

export interface PullLockOptions {
  readonly github: GitHub;
  /** Branch of the pull request, which only Reelform commits to. */
  readonly branch: string;
  /** Branch that the pull request is merged into. */
  readonly target: string;
  /** Path of the lockfile, from the root of the repository. */
  readonly path: string;
  /** Video id → fingerprint of the definition. */
  readonly wanted: ReadonlyMap<string, Fingerprint>;
}

const FORCED = 'Allow the token to force-push to the branch, or choose another branch with --commit-branch NAME';

interface BranchState {
  readonly pull: PullRequest | null;
  /** Commit of the branch; null if it does not exist. */
  readonly head: string | null;
  /** Tip of the branch that the pull request is merged into. */
  readonly target: { readonly commit: string; readonly lock: Lock };
}

/**
 * Publishes the lockfile through a pull request, for a branch that cannot be pushed to. The pull request is created,
 * kept up to date, and closed when nothing is left to merge. Its branch is always a single commit on a tip of the
 * target, recreated with each change, so that it never conflicts and every merge method works. Entries that wait in the
 * branch are kept while a definition has their fingerprint, with or without a pull request.
 */
export class PullLockBranch implements LockBranch {
  readonly #options: PullLockOptions;
  #seen: BranchState | null = null;
  readonly name: string;

  constructor(options: PullLockOptions) {
    this.#options = options;
    this.name = `${options.branch} of ${options.github.repository}`;
  }

  /** Returns the lockfile that waits to be merged and its commit, or null. */
  async waiting(): Promise<{ readonly commit: string; readonly lock: Lock } | null> {
    const { github, branch, path } = this.#options;
    const [head] = await Promise.all([branchHead(github, branch), this.#pull()]);
    if (head === null) return null;
    return { commit: head, lock: parsed(await readFileAt(github, path, head), path) };
  }

  async read(): Promise<LockTip> {
    const { github, branch, target, path } = this.#options;
    const [pull, head, commit] = await Promise.all([
      this.#pull(),
      branchHead(github, branch),
      branchHead(github, target),
    ]);
    if (commit === null) {
      throw new ReelformError('commit_refused', `${github.repository} has no branch ${target}`, {
        hint: 'Push it first',
      });
    }
    const text = await readFileAt(github, path, commit);
    const nothing = { commit, source: commit, text, written: text, pull: null };
    const ofTarget = text === null ? null : parseLock(text, path);
    // The publisher reports that an unreadable lockfile is not overwritten.
    if (ofTarget?.ok === false) return nothing;
    const lock = ofTarget?.value ?? emptyLock;
    this.#seen = { pull, head, target: { commit, lock } };
    if (head === null) return nothing;
    const written = await readFileAt(github, path, head);
    const waiting = this.#stillWanted(lock, parsed(written, path));
    // The branch of a merged or closed pull request.
    if (changed(lock, waiting) === 0 && pull === null) return nothing;
    const isDone = pull !== null && written !== text && (await this.#merges(head, commit, text));
    return {
      commit: head,
      source: commit,
      text: serialiseLock(waiting),
      // Forces a write if the branch conflicts, has no pull request yet, or has nothing left to merge.
      written: isDone ? written : null,
      pull: pull?.url ?? null,
    };
  }

  async write(text: string): Promise<LockWrite> {
    const { github, branch, path, target } = this.#options;
    const { pull, head, target: onto } = this.#seen!;
    const lock = parsed(text, path);
    const change = changeOf(onto.lock, lock);
    if (change.recorded.length + change.removed.length === 0 && pull !== null) {
      await updatePull(github, pull.number, { state: 'closed' });
      return { kind: 'closed', pull: pull.url };
    }
    const outcome = await putOnto(github, {
      branch,
      onto: onto.commit,
      seen: head,
      ...lockCommitWords(change),
      additions: { [path]: text },
    });
    if (outcome.kind === 'protected') return { ...outcome, hint: FORCED };
    if (outcome.kind !== 'committed') return outcome;
    const words = lockPullWords({ change, lock, file: path, target });
    const shown = pull === null ? await this.#create(words) : pull;
    if (shown.title !== words.title || shown.body.replaceAll('\r\n', '\n') !== words.body) {
      await updatePull(github, shown.number, words);
    }
    return { kind: 'committed', commit: outcome.oid, url: outcome.url, pull: shown.url };
  }

  /** @throws ReelformError `commit_refused` if the branch has a pull request into another branch */
  async #pull(): Promise<PullRequest | null> {
    const { github, branch, target } = this.#options;
    const [owner = ''] = github.repository.split('/');
    const found = await pullsOfHead(github, `${owner}:${branch}`);
    const [misdirected] = found.filter(({ baseBranch }) => baseBranch !== target);
    if (misdirected === undefined) return found[0] ?? null;
    const message = `${branch} has a pull request into ${misdirected.baseBranch} instead of ${target}: ${misdirected.url}`;
    const hint = 'Use a separate branch for each target: --commit-branch NAME';
    throw new ReelformError('commit_refused', message, { hint });
  }

  /**
   * True if the lockfile of the target is unchanged since the branch was created, so that the two merge without
   * conflict.
   */
  async #merges(head: string, target: string, text: string | null): Promise<boolean> {
    const { github, path } = this.#options;
    const base = await firstParent(github, head);
    return base === target || (base !== null && (await readFileAt(github, path, base)) === text);
  }

  /** Returns the target's lockfile with the waiting entries that definitions still want. */
  #stillWanted(lock: Lock, waiting: Lock): Lock {
    const { wanted } = this.#options;
    const videos = new Map(lock.videos);
    for (const [id, entry] of waiting.videos) {
      const isWanted = wanted.get(id) === entry.fingerprint;
      if (isWanted && videos.get(id)?.fingerprint !== entry.fingerprint) videos.set(id, entry);
    }
    return { ...lock, videos };
  }

  async #create(words: { readonly title: string; readonly body: string }): Promise<PullRequest> {
    const { github, branch, target } = this.#options;
    const create = (): Promise<PullRequest> => createPull(github, { ...words, head: branch, base: target });
    try {
      return await create();
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      if (error.status === 403) throw forbidden(error);
      // Another process created it first, or the result of the request is unknown.
      const existing = await this.#pull();
      if (existing !== null) return existing;
      if (error.isUnclear) return create();
      throw error;
    }
  }
}

function forbidden({ message }: ForgeError): ReelformError {
  return new ReelformError('commit_refused', `The pull request for the lockfile: ${message}`, {
    hint: 'The job needs the permission pull-requests: write, and the repository must allow GitHub Actions to create pull requests',
  });
}

function changed(before: Lock, after: Lock): number {
  const { recorded, removed } = changeOf(before, after);
  return recorded.length + removed.length;
}

/** Parses the lockfile of our branch. An unreadable lockfile is replaced. */
function parsed(text: string | null, file: string): Lock {
  const read = text === null ? null : parseLock(text, file);
  return read?.ok === true ? read.value : emptyLock;
}

/** Commits to a branch through GitHub's API, which signs the commits and does not need Git. */
export class GitHubLockBranch implements LockBranch {
  readonly #github: GitHub;
  readonly #branch: string;
  readonly #path: string;
  readonly name: string;

  /** @param path of the lockfile, from the root of the repository */
  constructor(github: GitHub, branch: string, path: string) {
    this.#github = github;
    this.#branch = branch;
    this.#path = path;
    this.name = `${branch} of ${github.repository}`;
  }

  /** Returns the commit of the branch. @throws ReelformError */
  async tip(): Promise<string> {
    const commit = await branchHead(this.#github, this.#branch);
    if (commit !== null) return commit;
    throw new ReelformError('commit_refused', `The branch ${this.name} does not exist`, { hint: 'Push it first' });
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
