import { MAX_DURATIONS, type Pace, paceOf } from '../service/poll-schedule.ts';

/** The golden ratio spreads any number of phases evenly. */
export const GOLDEN = 0.6180339887498949;

/** Below this, one more sample changes what is expected of all that are at work. */
const FEW = 4;

/** What the sessions of one style version have shown of themselves, in this run and in earlier ones. */
export class SessionKind {
  /** Whether `render_progress` was seen to move. */
  showsProgress = false;
  /** Sessions that are watched now. */
  watched = 0;
  #durationsMs: readonly number[];
  #pace: Pace | null = null;
  #begun = 0;

  /** @param durationsMs of earlier runs, oldest first */
  constructor(durationsMs: readonly number[]) {
    this.#durationsMs = durationsMs.slice(-MAX_DURATIONS);
  }

  /** Oldest first. */
  get durationsMs(): readonly number[] {
    return this.#durationsMs;
  }

  /** Null before the first has ended. */
  get pace(): Pace | null {
    this.#pace ??= paceOf(this.#durationsMs);
    return this.#pace;
  }

  /** @returns whether what is expected of the others may be quite another thing now */
  learn(durationMs: number): boolean {
    this.#durationsMs = [...this.#durationsMs, durationMs].slice(-MAX_DURATIONS);
    this.#pace = null;
    return this.#durationsMs.length <= FEW;
  }

  /** @returns 0..1, another for each session */
  nextPhase(): number {
    this.#begun += 1;
    return (this.#begun * GOLDEN) % 1;
  }
}
