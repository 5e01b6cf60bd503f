import { ReelformError } from '../diagnostic.ts';
import { compactJournal, JournalFold } from './fold-journal.ts';
import type { Attempt, Intent, JournalRecord, JournalState } from './journal.ts';
import { JournalQueue, type JournalWrite, settleWrites } from './journal-queue.ts';
import type { Fingerprint, Lock, LockEntry } from './lock.ts';
import {
  JOURNAL_HEADER,
  journalError,
  journalLine,
  journalText,
  parseJournal,
  unreadableJournal,
} from './parse-journal.ts';

/** One text that many write to: it is replaced whole, and only by who has seen what it says. */
export interface SharedText {
  /** For errors. */
  readonly name: string;
  /** What it says; null when there is none. @param known what it said before, which need not be fetched again */
  read(known: Version | null): Promise<Version | null>;
  /**
   * Replaces the text if it is as it was seen: a compare-and-swap.
   *
   * @param mark makes this writing unlike any other
   */
  write(text: string, seen: Version | null, mark: string): Promise<WriteOutcome>;
}

/** A text at one moment. */
export interface Version {
  /** Names it, and no other. */
  readonly commit: string;
  readonly text: string;
}

export type WriteOutcome =
  | { readonly tip: Version; readonly error: null }
  /** It was refused, or nobody knows: reading it tells. */
  | { readonly tip: null; readonly error: unknown };

export interface SharedJournalOptions {
  readonly shared: SharedText;
  /** The lockfile that everybody will see: what it has need not be kept. */
  lastingLock(): Promise<Lock>;
  wait(milliseconds: number): Promise<void>;
  /** 0 up to 1. */
  random(): number;
  /** A new UUID. */
  newMark(): string;
}

/** Others may be first so often: with every writing that is refused, one of somebody else went through. */
const RACES = 200;

/** So often a writing may fail that nobody was first of: the network, the service behind it. */
const FAILURES = 4;

/** Before the next one, in milliseconds; times a random number, so that those who met do not meet again. */
const PAUSE = { firstMs: 100, mostMs: 3_000 };

/**
 * A journal that runs on many machines write to: of those that claim a fingerprint, one gets it. Has the shape of `Journal`
 * in apply/ports.ts.
 *
 * Everything is changed by compare-and-swap: the file with our lines in it takes the place of the one that was seen, or
 * somebody was first; then it is read again, and what we wanted is settled anew against what it says by now. When nobody
 * knows what became of a push, the branch does: our own lines are in it, or they are not.
 */
export class SharedJournal {
  readonly isShared = true;
  readonly #options: SharedJournalOptions;
  readonly #queue = new JournalQueue((writes) => this.#commit(writes));
  #tip: Version | null = null;
  /** Whether it was read: from then on others may drop what this run has not seen. */
  #isOpen = false;
  /** One that was asked for and has not begun. */
  #refresh: Promise<void> | null = null;
  #fold = new JournalFold();
  /** What lasts of what others may have dropped; null: somebody has written since it was looked at. */
  #recorded: ReadonlyMap<Fingerprint, LockEntry> | null = new Map();

  constructor(options: SharedJournalOptions) {
    this.#options = options;
  }

  get state(): JournalState {
    return this.#fold.state;
  }

  /** See `Journal`; a claim under the key of an attempt in `retry` is one to send it again. */
  begin(intent: Intent, insteadOf: LockEntry | null = null): Promise<Attempt | null> {
    return this.#queue.add({ record: { type: 'intent', ...intent }, isClaim: true, insteadOf });
  }

  async append(record: JournalRecord): Promise<void> {
    await this.#queue.add({ record, isClaim: false });
  }

  /** Those who ask while one waits for its turn share it. */
  refresh(): Promise<void> {
    this.#refresh ??= this.#queue.alone(() => {
      this.#refresh = null;
      return this.#read();
    });
    return this.#refresh;
  }

  /**
   * Rewrites the file without what is closed and what the lockfile has that lasts. What a pull request
   * rendered stays for the run that follows its merge.
   */
  compact(): Promise<void> {
    return this.#queue.alone(async () => {
      const { shared, newMark } = this.#options;
      await this.#read();
      if (this.#tip === null) return;
      const lock = await this.#options.lastingLock();
      const records = this.#recordsOf(this.#tip);
      const left = compactJournal(records, this.state, lock);
      if (left.length === records.length) return;
      const { tip } = await shared.write(journalText(left), this.#tip, newMark());
      // Whoever was first leaves it to the next run.
      if (tip !== null) this.#take(tip);
    });
  }

  /** When what was asked for before is done. */
  close(): Promise<void> {
    return this.#queue.alone(async () => undefined);
  }

  async #commit(writes: readonly JournalWrite[]): Promise<readonly (Attempt | null)[]> {
    const { shared } = this.#options;
    const mark = this.#options.newMark();
    for (let races = 0, failures = 0; ; ) {
      if (writes.some((write) => this.#isNewClaim(write))) this.#recorded ??= await this.#lookAtLock();
      const { records, answers } = settleWrites(this.#fold, writes, this.#recorded ?? undefined);
      if (records.length === 0) return answers;
      const seen = this.#tip;
      // Others may write the very same lines: ours carry our mark.
      const lines = records.map((record) => journalLine(marked(record, mark))).join('');
      const { tip, error } = await shared.write((seen?.text ?? JOURNAL_HEADER) + lines, seen, mark);
      if (tip !== null) {
        this.#tip = tip;
        for (const record of records) this.#fold.take(record);
        return answers;
      }
      await this.#pause(races + failures);
      await this.#read();
      if (this.#tip?.commit === seen?.commit) failures += 1;
      // Lines are written all at once, so one of them is as good as all.
      else if (this.#tip?.text.includes(`"write":${JSON.stringify(mark)}`)) return answers;
      else races += 1;
      if (failures >= FAILURES) throw error;
      if (races >= RACES) throw tooManyRaces(shared.name);
    }
  }

  async #read(): Promise<void> {
    const tip = await this.#options.shared.read(this.#tip);
    if (tip?.commit !== this.#tip?.commit) this.#take(tip);
    this.#isOpen = true;
  }

  #isNewClaim({ record, isClaim }: JournalWrite): boolean {
    return isClaim && record.type === 'intent' && this.#fold.live(record.fingerprint, new Map()) === null;
  }

  /** What another run rendered, recorded and dropped while this one was at work is paid for, too. */
  async #lookAtLock(): Promise<ReadonlyMap<Fingerprint, LockEntry>> {
    const { videos } = await this.#options.lastingLock();
    return new Map([...videos.values()].filter(({ lost }) => lost !== true).map((entry) => [entry.fingerprint, entry]));
  }

  #take(tip: Version | null): void {
    if (this.#isOpen) this.#recorded = null;
    const fold = new JournalFold();
    for (const record of tip === null ? [] : this.#recordsOf(tip)) fold.take(record);
    this.#tip = tip;
    this.#fold = fold;
  }

  #recordsOf({ text }: Version): readonly JournalRecord[] {
    const bytes = Buffer.from(text);
    const parsed = parseJournal(bytes, this.#options.shared.name);
    if (!parsed.ok) throw journalError(parsed.diagnostics[0]!);
    // A blob is whole: nothing was being written when something stopped.
    if (parsed.value.wholeBytes < bytes.length) {
      throw journalError(unreadableJournal('its last line is damaged', this.#options.shared.name));
    }
    return parsed.value.records;
  }

  #pause(attempt: number): Promise<void> {
    const { wait, random } = this.#options;
    return wait(Math.min(PAUSE.mostMs, PAUSE.firstMs * 2 ** Math.min(attempt, 10)) * random());
  }
}

/** A field that nobody reads but who wrote it. */
function marked(record: JournalRecord, mark: string): JournalRecord {
  const line: JournalRecord & { readonly write: string } = { ...record, write: mark };
  return line;
}

function tooManyRaces(name: string): ReelformError {
  return new ReelformError('git_failed', `${name} could not be written: other runs were first, ${RACES} times`, {
    hint: 'Let fewer runs work at once',
  });
}
