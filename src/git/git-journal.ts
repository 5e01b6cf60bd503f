import { ReelformError } from '../diagnostic.ts';
import { compactJournal } from '../lock/compact-journal.ts';
import { JournalFold } from '../lock/fold-journal.ts';
import type { Attempt, Intent, JournalRecord, JournalState } from '../lock/journal.ts';
import { JournalQueue, type JournalWrite, settleWrites } from '../lock/journal-writes.ts';
import { JOURNAL_HEADER, journalError, journalLine, parseJournal, unreadableJournal } from '../lock/parse-journal.ts';
import { defaultBranchLock } from './default-branch-lock.ts';
import { type BranchTip, JournalBranch } from './journal-branch.ts';

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

/** Others may be first so often: with every push that is refused, one of somebody else went through. */
const RACES = 200;

/** So often a push may fail that nobody was first of: the network, the service behind it. */
const FAILURES = 4;

/** Before the next push, in milliseconds; times a random number, so that those who met do not meet again. */
const PAUSE = { firstMs: 100, mostMs: 3_000 };

/**
 * Opens the journal that is a file on a branch of a remote: it survives the machine, and of several runs one alone gets a
 * claim. EDGE. Has the shape of `Journal` in apply/ports.ts.
 *
 * @throws ReelformError `git_failed`, `journal_unreadable`
 */
export async function openGitJournal(options: GitJournalOptions): Promise<GitJournal> {
  const journal = new GitJournal(options);
  await journal.refresh();
  return journal;
}

/**
 * Everything is changed by compare-and-swap: the file with our lines in it takes the place of the one that was seen, or
 * somebody was first; then it is read again, and what we wanted is settled anew against what it says by now. When nobody
 * knows what became of a push, the branch does: our own lines are in it, or they are not.
 */
export class GitJournal {
  readonly isShared = true;
  readonly #options: GitJournalOptions;
  readonly #branch: JournalBranch;
  readonly #queue = new JournalQueue((writes) => this.#commit(writes));
  #tip: BranchTip | null = null;
  #fold = new JournalFold();

  constructor(options: GitJournalOptions) {
    this.#options = options;
    this.#branch = new JournalBranch(options.root, options.remote, options.branch);
  }

  get state(): JournalState {
    return this.#fold.state;
  }

  /** See `Journal`; a claim under the key of an attempt in `retry` is one to send it again. */
  begin(intent: Intent): Promise<Attempt | null> {
    return this.#queue.add({ record: { type: 'intent', ...intent }, isClaim: true });
  }

  async append(record: JournalRecord): Promise<void> {
    await this.#queue.add({ record, isClaim: false });
  }

  refresh(): Promise<void> {
    return this.#queue.alone(() => this.#read());
  }

  /**
   * Rewrites the file without what is closed and what the lockfile of the remote's default branch has. What a pull request
   * rendered stays for the run that follows its merge.
   */
  compact(): Promise<void> {
    return this.#queue.alone(async () => {
      const { root, remote, lockFile, newMark } = this.#options;
      await this.#read();
      if (this.#tip === null) return;
      const lock = await defaultBranchLock(root, remote, lockFile);
      const kept = new Set([...lock.videos.values()].map(({ fingerprint }) => fingerprint));
      const records = this.#recordsOf(this.#tip);
      const left = compactJournal(records, this.state, (fingerprint) => kept.has(fingerprint));
      if (left.length === records.length) return;
      const { tip } = await this.#branch.write(textOf(left), this.#tip, newMark());
      // Whoever was first leaves it to the next run.
      if (tip !== null) this.#take(tip);
    });
  }

  /** When what was asked for before is done. */
  close(): Promise<void> {
    return this.#queue.alone(async () => undefined);
  }

  async #commit(writes: readonly JournalWrite[]): Promise<readonly (Attempt | null)[]> {
    for (let races = 0, failures = 0; ; ) {
      const { records, answers } = settleWrites(this.#fold, writes);
      if (records.length === 0) return answers;
      const seen = this.#tip;
      const lines = records.map(journalLine);
      const { tip, error } = await this.#branch.write(
        (seen?.text ?? JOURNAL_HEADER) + lines.join(''),
        seen,
        this.#options.newMark(),
      );
      if (tip !== null) {
        this.#tip = tip;
        for (const record of records) this.#fold.take(record);
        return answers;
      }
      await this.#pause(races + failures);
      await this.#read();
      if (this.#tip?.commit === seen?.commit) failures += 1;
      // Lines are written all at once, so a new one of them is as good as all.
      else if (lines.some((line) => holds(this.#tip, line) && !holds(seen, line))) return answers;
      else races += 1;
      if (failures >= FAILURES) throw error;
      if (races >= RACES) throw tooManyRaces(this.#branch.name);
    }
  }

  async #read(): Promise<void> {
    const tip = await this.#branch.read(this.#tip);
    if (tip?.commit !== this.#tip?.commit) this.#take(tip);
  }

  #take(tip: BranchTip | null): void {
    const fold = new JournalFold();
    for (const record of tip === null ? [] : this.#recordsOf(tip)) fold.take(record);
    this.#tip = tip;
    this.#fold = fold;
  }

  #recordsOf({ text }: BranchTip): readonly JournalRecord[] {
    const bytes = Buffer.from(text);
    const parsed = parseJournal(bytes, this.#branch.name);
    if (!parsed.ok) throw journalError(parsed.diagnostics[0]!);
    // A blob is whole: nothing was being written when something stopped.
    if (parsed.value.wholeBytes < bytes.length) {
      throw journalError(unreadableJournal('its last line is damaged', this.#branch.name));
    }
    return parsed.value.records;
  }

  #pause(attempt: number): Promise<void> {
    const { wait, random } = this.#options;
    return wait(Math.min(PAUSE.mostMs, PAUSE.firstMs * 2 ** Math.min(attempt, 10)) * random());
  }
}

function holds(tip: BranchTip | null, line: string): boolean {
  return tip?.text.includes(`\n${line}`) === true;
}

function textOf(records: readonly JournalRecord[]): string {
  return JOURNAL_HEADER + records.map(journalLine).join('');
}

function tooManyRaces(name: string): ReelformError {
  return new ReelformError('git_failed', `${name} could not be written: other runs were first, ${RACES} times`, {
    hint: 'Let fewer runs work at once',
  });
}
