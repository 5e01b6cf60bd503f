import { ReelformError } from '../diagnostic.ts';
import type { JournalState } from '../lock/journal.ts';
import { emptyLock, type Lock } from '../lock/lock.ts';
import { parseLock } from '../lock/parse-lock.ts';
import { SharedJournal, type SharedText, type Version, type WriteOutcome } from '../lock/shared-journal.ts';
import { fetchAlone } from './remote-branch.ts';
import { gitName, runGit, tryGit } from './run-git.ts';

export interface GitJournalOptions {
  /** Absolute: a folder of the repository. */
  readonly root: string;
  readonly remote: string;
  readonly branch: string;
  /** Below the root, as the default branch has it. */
  readonly lockFile: string;
  wait(milliseconds: number): Promise<void>;
  /** 0 up to 1. */
  random(): number;
  /** A new UUID. */
  newMark(): string;
}

/**
 * Opens the journal that is a file on a branch of a remote: it survives the machine, and of several runs one alone gets a
 * claim. EDGE. What the lockfile of the remote's default branch has is dropped from it; what a pull request rendered stays
 * for the run that follows its merge.
 *
 * @throws ReelformError `git_failed`, `journal_unreadable`
 */
export async function openGitJournal(options: GitJournalOptions): Promise<SharedJournal> {
  const { root, remote, branch, lockFile, wait, random, newMark } = options;
  const journal = new SharedJournal({
    shared: new JournalBranch(root, remote, branch),
    lastingLock: () => defaultBranchLock(root, remote, lockFile),
    wait,
    random,
    newMark,
  });
  await journal.refresh();
  return journal;
}

/**
 * The state of the journal as this repository fetched its branch last, for where the remote cannot be asked. EDGE. Null when it
 * was never fetched.
 *
 * @throws ReelformError `journal_unreadable`
 */
export async function fetchedJournal({
  root,
  remote,
  branch,
}: Pick<GitJournalOptions, 'root' | 'remote' | 'branch'>): Promise<JournalState | null> {
  const shared = new JournalBranch(root, remote, branch);
  const tip = await shared.readFetched();
  if (tip === null) return null;
  const journal = new SharedJournal({
    shared: {
      name: shared.name,
      read: async () => tip,
      write: () => Promise.reject(new Error('A copy is read, and not written')),
    },
    lastingLock: async () => emptyLock,
    wait: async () => undefined,
    random: () => 0,
    newMark: () => '',
  });
  await journal.refresh();
  return journal.state;
}

/**
 * The lockfile as the remote's default branch has it: what is in there lasts, whatever becomes of a pull request. EDGE. An
 * empty one when there is none or it cannot be read: then nothing is known to last.
 *
 * @throws ReelformError `git_failed` when the remote cannot be asked
 */
export async function defaultBranchLock(root: string, remote: string, lockFile: string): Promise<Lock> {
  const told = await runGit(root, ['ls-remote', '--symref', '--', gitName(remote), 'HEAD']);
  const ref = /^ref: (\S+)\tHEAD$/m.exec(told)?.[1];
  const commit = /^([0-9a-f]{40,64})\tHEAD$/m.exec(told)?.[1];
  if (ref === undefined || commit === undefined) return emptyLock;
  if ((await tryGit(root, ['cat-file', '-e', `${commit}^{commit}`])) === null) {
    // A shallow repository would get all of the branch's history otherwise; a whole one would become shallow by this.
    const isShallow = (await runGit(root, ['rev-parse', '--is-shallow-repository'])).trim() === 'true';
    await fetchAlone(root, [...(isShallow ? ['--depth=1'] : []), '--', remote, ref]);
  }
  const prefix = (await runGit(root, ['rev-parse', '--show-prefix'])).trimEnd();
  const text = await tryGit(root, ['cat-file', 'blob', `${commit}:${prefix}${lockFile}`]);
  const lock = text === null ? null : parseLock(text, lockFile);
  return lock?.ok === true ? lock.value : emptyLock;
}

/** The one file on the branch of a journal. */
const JOURNAL_NAME = 'journal.ndjson';

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
class JournalBranch implements SharedText {
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
