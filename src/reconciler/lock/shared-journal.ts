import { type Backoff, backoffMs } from '../../kernel/backoff.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { compactJournal } from './fold-journal.ts';
import {
  type Attempt,
  JOURNAL_HEADER,
  type JournalRecord,
  journalLine,
  journalText,
  parseJournal,
  unreadableJournal,
} from './journal.ts';
import { type JournalWrite, QueuedJournal, settleWrites } from './journal-queue.ts';
import type { Fingerprint, Lock, LockEntry } from './lock.ts';

/** A text with many writers. A write replaces the version that the writer has read, or fails. */
export interface SharedText {
  /** For errors. */
  readonly name: string;
  /** Reads the text; null when there is none. @param known last known version, which need not be fetched again */
  read(known: Version | null): Promise<Version | null>;
  /**
   * Replaces the text if `seen` is still its version: a compare-and-swap.
   *
   * @param mark makes this write distinguishable from all others
   */
  write(text: string, seen: Version | null, mark: string): Promise<WriteOutcome>;
}

/** A version of the text. */
export interface Version {
  readonly commit: string;
  readonly text: string;
}

export type WriteOutcome =
  | { readonly tip: Version; readonly error: null }
  /** The write was refused, or its result is unknown: read again. */
  | { readonly tip: null; readonly error: unknown };

export interface SharedJournalOptions {
  readonly shared: SharedText;
  /** Returns the lockfile of the default branch. Attempts that it records need not be kept. */
  lastingLock(): Promise<Lock>;
  wait(milliseconds: number): Promise<void>;
  random(): number;
  newMark(): string;
}

/** Lost races before a write gives up. Each lost race means that a write of another run succeeded. */
const MAX_RACES = 200;

/** Failed writes before the error is thrown, when no other run wrote in between: faults of the network or the host. */
const MAX_FAILURES = 4;

/** Fully random waits, so that runs whose writes collided do not collide again. */
const BACKOFF: Backoff = { firstMs: 100, maxMs: 3_000, randomShare: 1 };

/**
 * A journal that runs on many machines write to. Of several claims for one fingerprint, one succeeds.
 *
 * Each change is a compare-and-swap: the file with our lines replaces the version that was read. If another run was faster,
 * the file is read again and the calls are settled against its new content. When the result of a push is unknown, the
 * branch shows it: it contains our lines or it does not.
 */
export class SharedJournal extends QueuedJournal {
  readonly isShared = true;
  readonly #options: SharedJournalOptions;
  #tip: Version | null = null;
  /** Whether the journal was read. From then on other runs may drop lines that this run has not read. */
  #isOpen = false;
  /** A refresh that has not started yet. */
  #refresh: Promise<void> | null = null;
  /** Lock entries for lines that other runs may have dropped; null when another run wrote since they were read. */
  #recorded: ReadonlyMap<Fingerprint, LockEntry> | null = new Map();

  constructor(options: SharedJournalOptions) {
    super();
    this.#options = options;
  }

  /** Calls share a refresh that has not started yet. */
  refresh(): Promise<void> {
    this.#refresh ??= this.exclusively(() => {
      this.#refresh = null;
      return this.#read();
    });
    return this.#refresh;
  }

  /**
   * Rewrites the file without closed attempts and those that the lasting lockfile records. Renderings of a pull request
   * stay for the run that follows its merge.
   */
  compact(): Promise<void> {
    return this.exclusively(async () => {
      const { shared, newMark } = this.#options;
      await this.#read();
      if (this.#tip === null) return;
      const lock = await this.#options.lastingLock();
      const records = sharedRecords(this.#tip, shared.name);
      const kept = compactJournal(records, this.state, lock);
      if (kept.length === records.length) return;
      const { tip } = await shared.write(journalText(kept), this.#tip, newMark());
      // If another run was faster, the next run compacts.
      if (tip !== null) this.#take(tip);
    });
  }

  protected async commit(writes: readonly JournalWrite[]): Promise<readonly (Attempt | null)[]> {
    const { shared, wait, random } = this.#options;
    const mark = this.#options.newMark();
    for (let races = 0, failures = 0; ; ) {
      if (writes.some((write) => this.#isNewClaim(write))) this.#recorded ??= await this.#readLock();
      const { records, answers } = settleWrites(this.fold, writes, this.#recorded ?? undefined);
      if (records.length === 0) return answers;
      const seen = this.#tip;
      // Another run may write identical lines: ours carry our mark.
      const lines = records.map((record) => journalLine(marked(record, mark))).join('');
      const { tip, error } = await shared.write((seen?.text ?? JOURNAL_HEADER) + lines, seen, mark);
      if (tip !== null) {
        this.#tip = tip;
        for (const record of records) this.fold.take(record);
        return answers;
      }
      await wait(backoffMs(races + failures, BACKOFF, random()));
      await this.#read();
      if (this.#tip?.commit === seen?.commit) failures += 1;
      // All lines are written at once, so the presence of any line proves that all are written.
      else if (this.#tip?.text.includes(`"write":${JSON.stringify(mark)}`)) return answers;
      else races += 1;
      if (failures >= MAX_FAILURES) throw error;
      if (races >= MAX_RACES) throw tooManyRaces(shared.name);
    }
  }

  async #read(): Promise<void> {
    const tip = await this.#options.shared.read(this.#tip);
    if (tip?.commit !== this.#tip?.commit) this.#take(tip);
    this.#isOpen = true;
  }

  #isNewClaim({ record, isClaim }: JournalWrite): boolean {
    return isClaim && record.type === 'intent' && this.fold.live(record.fingerprint, new Map()) === null;
  }

  /** Finds renderings that another run made, recorded in the lockfile and dropped from the journal during this run. */
  async #readLock(): Promise<ReadonlyMap<Fingerprint, LockEntry>> {
    const { videos } = await this.#options.lastingLock();
    return new Map([...videos.values()].filter(({ lost }) => lost !== true).map((entry) => [entry.fingerprint, entry]));
  }

  #take(tip: Version | null): void {
    if (this.#isOpen) this.#recorded = null;
    this.load(tip === null ? [] : sharedRecords(tip, this.#options.shared.name));
    this.#tip = tip;
  }
}

/**
 * Parses the lines of a version.
 *
 * @param name of the text, for errors
 * @throws ReelformError `journal_unreadable`
 */
export function sharedRecords({ text }: Version, name: string): readonly JournalRecord[] {
  const bytes = Buffer.from(text);
  const { records, wholeBytes } = parseJournal(bytes, name);
  // A blob is complete, so a torn line means damage.
  if (wholeBytes < bytes.length) throw unreadableJournal('its last line is damaged', name);
  return records;
}

/** Adds a field by which the writer recognises its own record. Other readers ignore it. */
function marked(record: JournalRecord, mark: string): JournalRecord {
  const line: JournalRecord & { readonly write: string } = { ...record, write: mark };
  return line;
}

function tooManyRaces(name: string): ReelformError {
  const message = `${name} could not be written: other runs changed it first, ${MAX_RACES} times`;
  return new ReelformError('git_failed', message, { hint: 'Reduce the number of concurrent runs' });
}
