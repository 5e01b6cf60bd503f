import type { ApplyEvent, Begin } from '../../apply/events.ts';
import type { VideoId } from '../../definition/video.ts';

/** A video that is at work. */
export interface RunningVideo {
  readonly id: VideoId;
  readonly begin: Begin;
  /** The service has it. */
  readonly isSubmitted: boolean;
  /** It is finished, and on its way. */
  readonly isDelivering: boolean;
  readonly startedAt: number;
  /** 0 to 100; null while nothing was said of it. */
  readonly percent: number | null;
  /** What the first word of it was: progress made before this run began is none of this run's speed. */
  readonly firstPercent: number;
}

/** Percent: a guess never says that a video is done. */
const MOST_GUESSED = 95;

/** How far a run is, from its events: all that a footer or a heartbeat tells. Times are milliseconds since the epoch. */
export class RunProgress {
  readonly #running = new Map<VideoId, RunningVideo>();
  readonly #durationsMs: number[] = [];
  #total = 0;
  #concurrency = 1;
  #startedAt = 0;
  #rendered = 0;
  #failed = 0;
  #otherwise = 0;
  #skipped = 0;

  take(event: ApplyEvent, nowMs: number): void {
    switch (event.kind) {
      case 'run-started':
        this.#total = event.ids.length;
        this.#concurrency = event.concurrency;
        this.#startedAt = nowMs;
        break;
      case 'video-started': {
        const { id, begin } = event;
        const known = { isSubmitted: false, isDelivering: false, startedAt: nowMs, percent: null };
        const firstPercent = begin === 'posted' ? 0 : -1;
        this.#running.set(id, { id, begin, ...known, firstPercent });
        break;
      }
      case 'video-submitted':
        this.#change(event.id, (video) => ({ ...video, isSubmitted: true }));
        break;
      case 'video-progressed': {
        const { id, percent } = event;
        this.#change(id, (video) => {
          const firstPercent = video.firstPercent < 0 ? percent : video.firstPercent;
          return { ...video, isSubmitted: true, percent, firstPercent };
        });
        break;
      }
      case 'video-delivering':
        this.#change(event.id, (video) => ({ ...video, isDelivering: true, percent: 100 }));
        break;
      case 'video-rendered':
        if (this.#running.get(event.id)?.begin === 'posted') this.#durationsMs.push(event.elapsedMs);
        this.#end(event.id, () => (this.#rendered += 1));
        break;
      case 'video-failed':
        this.#end(event.id, () => (this.#failed += 1));
        break;
      case 'video-unknown':
      case 'video-left':
        this.#end(event.id, () => (this.#otherwise += 1));
        break;
      case 'video-skipped':
        // It may have been begun, and nothing asked for yet.
        this.#running.delete(event.id);
        this.#skipped += 1;
        break;
      case 'video-recorded':
        // One that waited for another video's rendering was at work until now.
        if (this.#running.has(event.id)) this.#end(event.id, () => (this.#otherwise += 1));
        break;
      case 'video-warned':
      case 'video-undelivered':
      case 'run-finished':
        break;
    }
  }

  /** In the order in which they were begun. */
  get running(): readonly RunningVideo[] {
    return [...this.#running.values()];
  }

  /** Videos to render in all. */
  get total(): number {
    return this.#total;
  }

  /** Done with, one way or another. */
  get finished(): number {
    return this.#rendered + this.#failed + this.#otherwise;
  }

  get failed(): number {
    return this.#failed;
  }

  elapsedMs(nowMs: number): number {
    return nowMs - this.#startedAt;
  }

  /** Rendered videos per minute; null until two are. */
  perMinute(nowMs: number): number | null {
    const minutes = this.elapsedMs(nowMs) / 60_000;
    return this.#rendered < 2 || minutes <= 0 ? null : this.#rendered / minutes;
  }

  /**
   * How far a video is. A service that is asked seldom says nothing on the way: then it is how far the videos of this run
   * were after the same time. Null while neither is known, and of what the service does not have yet.
   */
  percentOf(video: RunningVideo, nowMs: number): { percent: number; isGuess: boolean } | null {
    const { percent, begin, isSubmitted, startedAt } = video;
    if (percent !== null && percent > 0) return { percent, isGuess: false };
    const durations = this.#durationsMs.slice(-LAST_DURATIONS);
    // What an earlier run asked for has been at work for longer than this one knows.
    const isComparable = begin === 'posted' && isSubmitted && durations.length > 0;
    if (!isComparable) return percent === null ? null : { percent, isGuess: false };
    const meanMs = durations.reduce((sum, each) => sum + each, 0) / durations.length;
    const share = (nowMs - startedAt) / Math.max(1, meanMs);
    return { percent: Math.min(MOST_GUESSED, Math.floor(share * 100)), isGuess: true };
  }

  /** Null while this run has not shown how long its videos take. */
  leftMs(nowMs: number): number | null {
    return estimateLeftMs({
      durationsMs: this.#durationsMs,
      running: this.running.map(({ startedAt, percent, firstPercent }) => ({
        elapsedMs: nowMs - startedAt,
        done: Math.max(0, (percent ?? 0) - Math.max(0, firstPercent)) / 100,
        left: 1 - (percent ?? 0) / 100,
      })),
      waiting: Math.max(0, this.#total - this.finished - this.#skipped - this.#running.size),
      concurrency: this.#concurrency,
    });
  }

  #change(id: VideoId, change: (video: RunningVideo) => RunningVideo): void {
    const video = this.#running.get(id);
    if (video !== undefined) this.#running.set(id, change(video));
  }

  #end(id: VideoId, count: () => void): void {
    this.#running.delete(id);
    count();
  }
}

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
const LAST_DURATIONS = 20;

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
