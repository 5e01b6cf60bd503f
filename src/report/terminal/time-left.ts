/** What is known of the videos at work, as far as it tells how long the rest will take. */
export interface LeftInput {
  /** Of videos that this run rendered from beginning to end. */
  readonly durationsMs: readonly number[];
  readonly running: readonly {
    readonly elapsedMs: number;
    /** The share, 0 to 1, that was made in that time. */
    readonly done: number;
    /** The share that is to be made. */
    readonly left: number;
  }[];
  /** Videos that are not begun. */
  readonly waiting: number;
  /** At work at once, ≥ 1. */
  readonly concurrency: number;
}

/** A smaller share than this says little about the speed. */
const LEAST_DONE = 0.1;
/** So many of the last durations say how long the next ones take. */
export const LAST_DURATIONS = 20;

/**
 * How long a run has to go, from what it has shown so far: its finished videos, and the progress of those at work. Null
 * while that is not enough: a guess would be none.
 */
export function estimateLeftMs({ durationsMs, running, waiting, concurrency }: LeftInput): number | null {
  const projected = running.filter(({ done }) => done >= LEAST_DONE).map(({ elapsedMs, done }) => elapsedMs / done);
  const known = durationsMs.length > 0 ? durationsMs.slice(-LAST_DURATIONS) : projected;
  if (known.length === 0) return null;
  const durationMs = known.reduce((sum, each) => sum + each, 0) / known.length;

  const leftOfEach = running.map(({ elapsedMs, done, left }) => {
    if (done >= LEAST_DONE) return (elapsedMs / done) * left;
    // One that takes longer than the others did may take a while yet.
    return Math.max(durationMs - elapsedMs, 0.1 * elapsedMs);
  });
  const work = leftOfEach.reduce((sum, each) => sum + each, waiting * durationMs);
  return Math.max(work / concurrency, ...leftOfEach, waiting > 0 ? durationMs : 0);
}

/** A time to come, no finer than it can be known: `a few seconds left`, `about 25 s left`, `about 2 h 10 min left`. */
export function leftWords(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 7.5) return 'a few seconds left';
  if (seconds < 57.5) return `about ${Math.round(seconds / 5) * 5} s left`;
  const minutes = Math.max(1, Math.round(seconds / 60));
  if (minutes < 60) return `about ${minutes} min left`;
  const tens = Math.round(minutes / 10) * 10;
  return `about ${Math.floor(tens / 60)} h${tens % 60 === 0 ? '' : ` ${tens % 60} min`} left`;
}
