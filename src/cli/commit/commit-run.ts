import { type Diagnostic, ReelformError } from '../../diagnostic.ts';
import type { Lock } from '../../lock/lock.ts';
import type { LockPublisher, Published } from '../../lock/publish-lock.ts';

/** The commits of one run: some while it goes on, and one at its end. */
export class CommitRun {
  readonly #publisher: LockPublisher;
  readonly #every: number | null;
  readonly #tell: (told: Published | Diagnostic) => void;
  #publishing: Promise<void> | null = null;
  #problem: Diagnostic | null = null;

  /** @param every so many results are committed at once; null: all of them at the end */
  constructor(publisher: LockPublisher, every: number | null, tell: (told: Published | Diagnostic) => void) {
    this.#publisher = publisher;
    this.#every = every;
    this.#tell = tell;
  }

  /** Why the lockfile is not on its branch; null: it is, as far as that was tried. */
  get problem(): Diagnostic | null {
    return this.#problem;
  }

  /** The lockfile was saved: begins a commit when enough is in it. */
  saved(lock: Lock): void {
    if (this.#every === null || this.#publishing !== null || this.#problem !== null) return;
    if (this.#publisher.waiting(lock) < this.#every) return;
    this.#publishing = this.#publish(lock).finally(() => {
      this.#publishing = null;
    });
  }

  /** Commits what is left. @returns whether all of it is on the branch */
  async finish(lock: Lock): Promise<boolean> {
    await this.#publishing;
    this.#problem = null;
    await this.#publish(lock);
    return this.#problem === null;
  }

  /** What the world refuses is told, and ends nothing: videos are rendered and recorded here whatever becomes of it. */
  async #publish(lock: Lock): Promise<void> {
    try {
      this.#tell(await this.#publisher.publish(lock));
    } catch (error) {
      if (!(error instanceof ReelformError)) throw error;
      const { code, message, hint } = error;
      this.#problem = { code, severity: 'error', message, ...(hint === undefined ? {} : { hint }) };
      this.#tell(this.#problem);
    }
  }
}
