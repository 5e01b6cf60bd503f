import type { JournalFold } from './fold-journal.ts';
import { nextAttempt, recordedIn } from './fold-journal.ts';
import type { Attempt, Intent, JournalRecord } from './journal.ts';
import type { Fingerprint, LockEntry } from './lock.ts';

/** One call of a journal: a line to add, or a claim, which is a line to add unless somebody has the fingerprint. */
export interface JournalWrite {
  readonly record: JournalRecord;
  readonly isClaim: boolean;
  /** The lock entry that the claim is to replace with a new rendering. */
  readonly insteadOf?: LockEntry | null;
}

/** What is to be written for some calls, and what each of them is answered once it is. */
export interface SettledWrites {
  readonly records: readonly JournalRecord[];
  /** One for each call: the attempt that stands against a claim, else null. */
  readonly answers: readonly (Attempt | null)[];
}

/**
 * Settles calls in their order, each knowing of those before it. A claim whose key is that of an attempt in `retry` is an
 * intent to send it again: it is written, and uses the permission up.
 *
 * @param recorded what lasts of attempts that the journal has dropped since this run began
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

/** An attempt as it was before the journal could do without it. */
function droppedAttempt(intent: Intent, entry: LockEntry): Attempt {
  const { session, video_url, thumbnails, rendered_at } = entry;
  return { intent, state: 'rendered', session, rendering: { session, video_url, thumbnails, rendered_at } };
}

interface Waiting {
  readonly write: JournalWrite;
  resolve(answer: Attempt | null): void;
  reject(error: unknown): void;
}

/** Calls made while a write is at work share the next one. */
export class JournalQueue {
  readonly #commit: (writes: readonly JournalWrite[]) => Promise<readonly (Attempt | null)[]>;
  #waiting: Waiting[] = [];
  #running: Promise<unknown> = Promise.resolve();

  /** @param commit makes them durable, all or none; never called while it is at work */
  constructor(commit: (writes: readonly JournalWrite[]) => Promise<readonly (Attempt | null)[]>) {
    this.#commit = commit;
  }

  add(write: JournalWrite): Promise<Attempt | null> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ write, resolve, reject });
      if (this.#waiting.length === 1) void this.alone(() => this.#drain());
    });
  }

  /** Does something while no write is at work, after those that were asked for before. */
  alone<T>(action: () => Promise<T>): Promise<T> {
    const done = this.#running.then(action);
    this.#running = done.catch(() => undefined);
    return done;
  }

  async #drain(): Promise<void> {
    const all = this.#waiting;
    this.#waiting = [];
    try {
      const answers = await this.#commit(all.map(({ write }) => write));
      for (const [index, { resolve }] of all.entries()) resolve(answers[index] ?? null);
    } catch (error) {
      for (const { reject } of all) reject(error);
    }
  }
}
