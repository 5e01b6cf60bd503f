import type { RenderSession } from '../../contract/wire/render-session.ts';
import type { Sha256 } from '../../kernel/digest.ts';
import type { SessionStore, StoredSession } from './ports.ts';

interface AttemptRecordOptions {
  readonly store: SessionStore;
  /** Monotonic clock, in milliseconds. */
  now(): number;
  /** Minimum milliseconds between two writes of progress. */
  readonly intervalMs: number;
  /** Called once if the session no longer belongs to this attempt. */
  onLost(): void;
}

/** Writes the session of one attempt: in order, fenced by the attempt number, with throttled progress. */
export class AttemptRecord {
  readonly #id: string;
  readonly #attempt: number;
  readonly #options: AttemptRecordOptions;
  #session: RenderSession;
  #written: RenderSession;
  #lastWriteAt = Number.NEGATIVE_INFINITY;
  #writing: Promise<void> = Promise.resolve();
  #isLost = false;

  constructor(stored: StoredSession, options: AttemptRecordOptions) {
    this.#id = stored.session.id;
    this.#attempt = stored.attempt;
    this.#options = options;
    this.#session = stored.session;
    this.#written = stored.session;
  }

  /** Current state, written or not. */
  get session(): RenderSession {
    return this.#session;
  }

  /** Changes the state without writing it; the next write includes it. */
  keep(session: RenderSession): void {
    this.#session = session;
  }

  /** Writes a transition soon. Errors of the store surface in `write`. */
  step(session: RenderSession): void {
    this.#session = session;
    void this.#write().catch(() => undefined);
  }

  /** Writes progress unless the last write was too recent. */
  progress(session: RenderSession): void {
    if (session === this.#session) return;
    this.#session = session;
    if (this.#options.now() - this.#lastWriteAt >= this.#options.intervalMs) this.step(session);
  }

  /** Waits until the session is written. @throws errors of the store */
  async write(session: RenderSession, inputDigest?: Sha256): Promise<void> {
    this.#session = session;
    await this.#write(inputDigest);
  }

  #write(inputDigest?: Sha256): Promise<void> {
    const { store, now, onLost } = this.#options;
    this.#lastWriteAt = now();
    const write = async (): Promise<void> => {
      const session = this.#session;
      // An earlier write already included this state.
      if (this.#isLost || (session === this.#written && inputDigest === undefined)) return;
      const isCurrent = await store.record(this.#id, this.#attempt, session, inputDigest);
      this.#written = session;
      if (isCurrent) return;
      this.#isLost = true;
      onLost();
    };
    this.#writing = this.#writing.then(write, write);
    return this.#writing;
  }
}
