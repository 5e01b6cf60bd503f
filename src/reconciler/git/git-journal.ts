import { ReelformError } from '../../kernel/diagnostic.ts';
import { foldJournal } from '../lock/fold-journal.ts';
import type { JournalState } from '../lock/journal.ts';
import { emptyLock, type Lock } from '../lock/lock.ts';
import { parseLock } from '../lock/lock-format.ts';
import {
  SharedJournal,
  type SharedJournalOptions,
  type SharedText,
  sharedRecords,
  type Version,
  type WriteOutcome,
} from '../lock/shared-journal.ts';
import { RemoteBranch, type RemoteBranchOptions, serializedFetch } from './remote-branch.ts';
import { fileAt } from './revisions.ts';
import { gitName, hasCommit, runGit } from './run-git.ts';

/** The only file on the branch of a journal. */
const JOURNAL_NAME = 'journal.ndjson';

interface GitJournalOptions extends RemoteBranchOptions, Pick<SharedJournalOptions, 'wait' | 'random' | 'newMark'> {
  /** Path of the lockfile on the default branch, below the root. */
  readonly lockFile: string;
}

/**
 * Opens the journal on a branch of a remote. It survives the machine, and only one of several runs gets a claim. Attempts
 * recorded in the lockfile of the default branch are dropped; those of a pull request stay for the run that follows its
 * merge.
 *
 * @throws ReelformError `git_failed`, `journal_unreadable`
 */
export async function openGitJournal(options: GitJournalOptions): Promise<SharedJournal> {
  const { root, remote, lockFile, wait, random, newMark } = options;
  const journal = new SharedJournal({
    shared: new JournalBranch(options),
    lastingLock: () => defaultBranchLock(root, remote, lockFile),
    wait,
    random,
    newMark,
  });
  await journal.refresh();
  return journal;
}

/**
 * Returns the state of the journal at the last fetch of its branch, for use without the remote. Null when it was never
 * fetched.
 *
 * @throws ReelformError `journal_unreadable`
 */
export async function fetchedJournal(options: RemoteBranchOptions): Promise<JournalState | null> {
  const branch = new JournalBranch(options);
  const tip = await branch.readFetched();
  return tip && foldJournal(sharedRecords(tip, branch.name));
}

/**
 * Reads the lockfile of the remote's default branch, which keeps its entries even if a pull request is closed without a
 * merge. Returns an empty lock when there is no lockfile or it cannot be read.
 *
 * @throws ReelformError `git_failed` when the remote cannot be reached
 */
export async function defaultBranchLock(root: string, remote: string, lockFile: string): Promise<Lock> {
  const refs = await runGit(root, ['ls-remote', '--symref', '--', gitName(remote), 'HEAD']);
  const ref = /^ref: (\S+)\tHEAD$/m.exec(refs)?.[1];
  const commit = /^([0-9a-f]{40,64})\tHEAD$/m.exec(refs)?.[1];
  if (ref === undefined || commit === undefined) return emptyLock;
  if (!(await hasCommit(root, commit))) await serializedFetch(root, remote, ref);
  const text = await fileAt(root, commit, `./${lockFile}`);
  const lock = text === null ? null : parseLock(text, lockFile);
  return lock?.ok === true ? lock.value : emptyLock;
}

/**
 * A branch with one file and no history: each write replaces the commit by a commit without parents, so that a fetch transfers
 * only the file, also in a shallow checkout.
 */
class JournalBranch implements SharedText {
  readonly #root: string;
  readonly #branch: RemoteBranch;
  /** For errors. */
  readonly name: string;

  constructor(options: RemoteBranchOptions) {
    this.name = `${JOURNAL_NAME} on ${options.remote}/${options.branch}`;
    this.#root = options.root;
    this.#branch = new RemoteBranch(options, this.name);
  }

  /** @throws ReelformError `git_failed`; `journal_unreadable` for a branch with other files */
  async read(known: Version | null): Promise<Version | null> {
    const commit = await this.#branch.fetchTip(known?.commit);
    if (commit === null) return null;
    if (commit === known?.commit) return known;
    return { commit, text: await this.#textOf(commit) };
  }

  async write(text: string, seen: Version | null, mark: string): Promise<WriteOutcome> {
    const blob = await this.#branch.object(['hash-object', '-w', '--no-filters', '--stdin'], text);
    const tree = await this.#branch.object(['mktree'], `100644 blob ${blob}\t${JOURNAL_NAME}\n`);
    const message = `Journal of reelform [skip ci]\n\n${mark}\n`;
    const commit = await this.#branch.object(['commit-tree', '-F', '-', tree], message);
    const error = await this.#branch.push(commit, seen?.commit ?? null);
    return error === null ? { tip: { commit, text }, error } : { tip: null, error };
  }

  /** Reads the version of the last fetch; null when there was none. */
  async readFetched(): Promise<Version | null> {
    const commit = await this.#branch.fetchedTip();
    return commit === null ? null : { commit, text: await this.#textOf(commit) };
  }

  /** Refuses a branch of the same name that belongs to someone else, so that it is never overwritten. */
  async #textOf(commit: string): Promise<string> {
    const names = await runGit(this.#root, ['ls-tree', '--name-only', '-z', commit]);
    if (names === `${JOURNAL_NAME}\0`) return runGit(this.#root, ['cat-file', 'blob', `${commit}:${JOURNAL_NAME}`]);
    throw new ReelformError(
      'journal_unreadable',
      `The journal ${this.name} cannot be read: the branch contains other files`,
      {
        hint: 'Use a separate branch in "journal: {git: …}"',
      },
    );
  }
}
