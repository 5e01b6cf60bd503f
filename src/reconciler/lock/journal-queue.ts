import { defined } from '../../kernel/defined.ts';
import { JournalFold, nextAttempt, recordedIn } from './fold-journal.ts';
import type { Attempt, Intent, Journal, JournalRecord, JournalState } from './journal.ts';
import type { Fingerprint, LockEntry } from './lock.ts';

/**
 * A call of a journal: a line to append, or a claim, which appends its line unless another attempt has the
 * fingerprint.
 */
export interface JournalWrite {
  readonly record: JournalRecord;
  readonly isClaim: boolean;
  /** Lock entry that a claim is to replace with a new rendering. */
  readonly insteadOf?: LockEntry | null;
}

/** Lines to write for a batch of calls, and the answers to the calls once the lines are durable. */
interface SettledWrites {
  readonly records: readonly JournalRecord[];
  /** An answer per call: the attempt that prevents a claim, else null. */
  readonly answers: readonly (Attempt | null)[];
}

/**
 * Settles calls in order; each call sees the effects of the calls before it. A claim under the key of an attempt in
 * `retry` is an intent to send the request again: it is written, and uses the permission up.
 *
 * @param recorded lock entries of attempts that were dropped from the journal since this run began
 */
export function settleWrites(
  fold: JournalFold,
  writes: readonly JournalWrite[],
  recorded: ReadonlyMap<Fingerprint, LockEntry> = new Map(),
): SettledWrites {
  const pending = new Map<string, Attempt>();
  const records: JournalRecord[] = [];
  const answers = writes.map(({ record, isClaim, insteadOf }) => {
    if (isClaim && record.type === 'intent') {
      const isRecorded = recordedIn(insteadOf ? [insteadOf] : []);
      const entry = recorded.get(record.fingerprint);
      const dropped = entry === undefined ? null : droppedAttempt(record, entry);
      const live =
        fold.live(record.fingerprint, pending, isRecorded) ?? (dropped && !isRecorded(dropped) ? dropped : null);
      if (live !== null && !(live.state === 'retry' && live.intent.key === record.key)) return live;
    }
    records.push(record);
    if ('key' in record) {
      const after = nextAttempt(pending.get(record.key) ?? fold.state.attempts.get(record.key), record);
      if (after !== undefined) pending.set(record.key, after);
    }
    return null;
  });
  return { records, answers };
}

/** Returns an attempt as it was before it was dropped from the journal. */
function droppedAttempt(intent: Intent, entry: LockEntry): Attempt {
  const { session, video_url, thumbnails, rendered_at, outputs, loudness } = entry;
  const rendering = { session, video_url, thumbnails, rendered_at, ...defined({ outputs, loudness }) };
  return { intent, state: 'rendered', session, rendering };
}

interface PendingWrite {
  readonly write: JournalWrite;
  resolve(answer: Attempt | null): void;
  reject(error: unknown): void;
}

/** Base of both journals: commits the calls of a run in batches. Calls made during a commit share the next commit. */
export abstract class QueuedJournal implements Journal {
  protected fold = new JournalFold();
  #pending: PendingWrite[] = [];
  #running: Promise<unknown> = Promise.resolve();

  abstract readonly isShared: boolean;
  abstract refresh(): Promise<void>;

  /** Makes the lines durable, all or none. Never called while another commit is running. */
  protected abstract commit(writes: readonly JournalWrite[]): Promise<readonly (Attempt | null)[]>;

  get state(): JournalState {
    return this.fold.state;
  }

  begin(intent: Intent, insteadOf: LockEntry | null = null): Promise<Attempt | null> {
    return this.#add({ record: { type: 'intent', ...intent }, isClaim: true, insteadOf });
  }

  async append(record: JournalRecord): Promise<void> {
    await this.#add({ record, isClaim: false });
  }

  /** Resolves when all earlier calls are done. */
  close(): Promise<void> {
    return this.exclusively(async () => undefined);
  }

  /** Runs an action after all earlier calls, and not during a commit. */
  protected exclusively<T>(action: () => Promise<T>): Promise<T> {
    const done = this.#running.then(action);
    this.#running = done.catch(() => undefined);
    return done;
  }

  /** Replaces the state by that of these lines. */
  protected load(records: readonly JournalRecord[]): void {
    this.fold = new JournalFold();
    for (const record of records) this.fold.take(record);
  }

  #add(write: JournalWrite): Promise<Attempt | null> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ write, resolve, reject });
      if (this.#pending.length === 1) void this.exclusively(() => this.#drain());
    });
  }

  async #drain(): Promise<void> {
    const batch = this.#pending;
    this.#pending = [];
    try {
      const answers = await this.commit(batch.map(({ write }) => write));
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index] ?? null);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
