import { ReelformError } from '../../diagnostic.ts';
import { ForgeError } from '../../forge/forge-error.ts';
import { branchHead, firstParent, putOnto, readFileAt } from '../../forge/github/commits.ts';
import type { GitHub } from '../../forge/github/github.ts';
import { createPull, type PullRequest, pullsOfHead, updatePull } from '../../forge/github/pulls.ts';
import { emptyLock, type Fingerprint, type Lock } from '../../lock/lock.ts';
import { parseLock } from '../../lock/parse-lock.ts';
import { changeOf, type LockBranch, type LockTip, type LockWrite } from '../../lock/publish-lock.ts';
import { serialiseLock } from '../../lock/serialise-lock.ts';
import { lockCommitWords, lockPullWords } from '../../report/markdown/lock-commit.ts';

export interface PullLockOptions {
  readonly github: GitHub;
  /** Of the pull request; nobody else commits to it. */
  readonly branch: string;
  /** The branch that it is to be merged into. */
  readonly target: string;
  /** Of the lockfile, from the top of the repository. */
  readonly path: string;
  /** By id, what the definitions say. */
  readonly wanted: ReadonlyMap<string, Fingerprint>;
}

const FORCED = 'Let the token push to the branch, with force, or name one whose rules allow that: --commit-branch NAME';

interface Seen {
  readonly pull: PullRequest | null;
  /** Where the branch is; null: nowhere. */
  readonly head: string | null;
  /** Of the branch that it is to be merged into. */
  readonly target: { readonly commit: string; readonly lock: Lock };
}

/**
 * The lockfile by a pull request, for a branch that nobody may push to: there is one at most, which is made, kept up to date,
 * and closed when it has nothing left. Its branch is always one commit on a tip of the target, made anew with each change, so
 * that it never conflicts and can be merged in every way. What waits in the branch stays, as far as definitions want it still,
 * whether its pull request is there already or not.
 */
export class PullLockBranch implements LockBranch {
  readonly #options: PullLockOptions;
  #seen: Seen | null = null;
  readonly name: string;

  constructor(options: PullLockOptions) {
    this.#options = options;
    this.name = `${options.branch} of ${options.github.repository}`;
  }

  /** The lockfile that waits to be merged, and its commit; null where nothing does. */
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
      throw new ReelformError('commit_refused', `There is no branch ${target} of ${github.repository}`, {
        hint: 'Push it first',
      });
    }
    const text = await readFileAt(github, path, commit);
    const nothing = { commit, source: commit, text, written: text, pull: null };
    const own = text === null ? null : parseLock(text, path);
    // The publisher tells that nothing is written over it.
    if (own?.ok === false) return nothing;
    const lock = own?.value ?? emptyLock;
    this.#seen = { pull, head, target: { commit, lock } };
    if (head === null) return nothing;
    const written = await readFileAt(github, path, head);
    const waiting = this.#stillWanted(lock, parsed(written, path));
    // What is left of a pull request that was merged or closed.
    if (changed(lock, waiting) === 0 && pull === null) return nothing;
    const isDone = pull !== null && written !== text && (await this.#merges(head, commit, text));
    return {
      commit: head,
      source: commit,
      text: serialiseLock(waiting),
      // One that conflicts, has no pull request yet or nothing to merge any more is mended, whether there is news or not.
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

  /** @throws ReelformError `commit_refused` where the branch waits to be merged into another one */
  async #pull(): Promise<PullRequest | null> {
    const { github, branch, target } = this.#options;
    const [owner = ''] = github.repository.split('/');
    const found = await pullsOfHead(github, `${owner}:${branch}`);
    const [other] = found.filter(({ baseBranch }) => baseBranch !== target);
    if (other === undefined) return found[0] ?? null;
    throw new ReelformError(
      'commit_refused',
      `${branch} waits to be merged into ${other.baseBranch}, and not into ${target}: ${other.url}`,
      { hint: 'Give each branch its own: --commit-branch NAME' },
    );
  }

  /** Whether the lockfile of the target is still what the branch was made from: then nothing keeps the two from being merged. */
  async #merges(head: string, target: string, text: string | null): Promise<boolean> {
    const { github, path } = this.#options;
    const base = await firstParent(github, head);
    return base === target || (base !== null && (await readFileAt(github, path, base)) === text);
  }

  /** The target's lockfile, with what waits and is what definitions want. */
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
      // Somebody was first, or nobody knows whether it was made.
      const made = await this.#pull();
      if (made !== null) return made;
      if (error.isUnclear) return create();
      throw error;
    }
  }
}

function forbidden({ message }: ForgeError): ReelformError {
  return new ReelformError('commit_refused', `The pull request for the lockfile: ${message}`, {
    hint: 'The job needs pull-requests: write, and the repository has to let GitHub Actions create pull requests',
  });
}

function changed(before: Lock, after: Lock): number {
  const { recorded, removed } = changeOf(before, after);
  return recorded.length + removed.length;
}

/** Of our branch: one that cannot be read says nothing that could be kept, and is made anew. */
function parsed(text: string | null, file: string): Lock {
  const read = text === null ? null : parseLock(text, file);
  return read?.ok === true ? read.value : emptyLock;
}
