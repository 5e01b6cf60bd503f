import { ReelformError } from '../diagnostic.ts';
import type { SharedText, Version, WriteOutcome } from '../lock/shared-journal.ts';
import { fetchAlone } from './fetch-alone.ts';
import { gitName, runGit, tryGit } from './run-git.ts';

/** The one file on the branch of a journal. */
export const JOURNAL_NAME = 'journal.ndjson';

/** Whose commits these are, wherever they are made. */
const IDENTITY = {
  GIT_AUTHOR_NAME: 'Reelform',
  GIT_AUTHOR_EMAIL: 'reelform@localhost',
  GIT_COMMITTER_NAME: 'Reelform',
  GIT_COMMITTER_EMAIL: 'reelform@localhost',
};

/** The tip may move between asking for it and getting it; so often it is asked again. */
const ATTEMPTS = 10;

/**
 * A branch of a remote that holds one file and no history: each writing is a commit without parents in place of the one
 * before, so that fetching costs the file and nothing else, also in a shallow checkout. EDGE. Neither the work tree nor the
 * index nor a branch of this repository is touched.
 */
export class JournalBranch implements SharedText {
  readonly #root: string;
  readonly #remote: string;
  readonly #ref: string;
  /** For errors. */
  readonly name: string;

  constructor(root: string, remote: string, branch: string) {
    this.#root = root;
    this.#remote = gitName(remote);
    this.#ref = `refs/heads/${gitName(branch)}`;
    this.name = `${JOURNAL_NAME} on ${remote}/${branch}`;
  }

  /**
   * What the branch holds; null when there is none.
   *
   * @param known what it held before, which is not fetched again
   * @throws ReelformError `git_failed`; `journal_unreadable` for a branch that holds something else
   */
  async read(known: Version | null): Promise<Version | null> {
    for (let attempt = 1; ; attempt++) {
      const told = await runGit(this.#root, ['ls-remote', '--', this.#remote, this.#ref]);
      const line = told.split('\n').find((one) => one.endsWith(`\t${this.#ref}`));
      const commit = line?.split('\t')[0];
      if (commit === undefined) return null;
      if (commit === known?.commit) return known;
      if (!(await this.#has(commit))) await this.#fetch();
      if (await this.#has(commit)) return { commit, text: await this.#textOf(commit) };
      if (attempt === ATTEMPTS)
        throw new ReelformError('git_failed', `${this.name} changes faster than it can be read`);
    }
  }

  /**
   * Replaces the file if the branch is as it was seen.
   *
   * @param mark makes the commit unlike any other
   */
  async write(text: string, seen: Version | null, mark: string): Promise<WriteOutcome> {
    const blob = await this.#object(['hash-object', '-w', '--no-filters', '--stdin'], text);
    const tree = await this.#object(['mktree'], `100644 blob ${blob}\t${JOURNAL_NAME}\n`);
    const message = `Journal of reelform [skip ci]\n\n${mark}\n`;
    const commit = await this.#object(['commit-tree', '-F', '-', tree], message);
    const lease = `--force-with-lease=${this.#ref}:${seen?.commit ?? ''}`;
    const push = [
      'push',
      '--quiet',
      '--no-verify',
      '--no-recurse-submodules',
      '--no-follow-tags',
      '--no-signed',
      lease,
    ];
    try {
      await runGit(this.#root, [...push, '--', this.#remote, `${commit}:${this.#ref}`]);
      return { tip: { commit, text }, error: null };
    } catch (error) {
      return { tip: null, error };
    }
  }

  async #object(args: readonly string[], input: string): Promise<string> {
    return (await runGit(this.#root, args, { input, env: IDENTITY })).trim();
  }

  async #has(commit: string): Promise<boolean> {
    return (await tryGit(this.#root, ['cat-file', '-e', `${commit}^{commit}`])) !== null;
  }

  /** Into no branch of ours: what is fetched is found by its id. */
  async #fetch(): Promise<void> {
    await fetchAlone(this.#root, ['--', this.#remote, this.#ref]);
  }

  /** What the branch held when this repository fetched it last; null when it never did. */
  async readFetched(): Promise<Version | null> {
    const ref = `refs/remotes/${this.#remote}/${this.#ref.slice('refs/heads/'.length)}`;
    const commit = (await tryGit(this.#root, ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`]))?.trim();
    return commit === undefined ? null : { commit, text: await this.#textOf(commit) };
  }

  /** Somebody's branch of the same name is nothing to write over. */
  async #textOf(commit: string): Promise<string> {
    const names = await runGit(this.#root, ['ls-tree', '--name-only', '-z', commit]);
    if (names === `${JOURNAL_NAME}\0`) return runGit(this.#root, ['cat-file', 'blob', `${commit}:${JOURNAL_NAME}`]);
    throw new ReelformError('journal_unreadable', `The journal ${this.name} cannot be read: it holds other files`, {
      hint: 'Name a branch in "journal: {git: …}" that nothing else uses',
    });
  }
}
