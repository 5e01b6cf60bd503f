import type { ApplyEvent, Begin, SegmentProgress } from '../../reconciler/apply/events.ts';
import type { VideoId } from '../../reconciler/definition/video.ts';

export interface RunningVideo {
  readonly id: VideoId;
  readonly begin: Begin;
  /** True if the service has accepted it. */
  readonly isSubmitted: boolean;
  /** True if it is rendered and being delivered. */
  readonly isDelivering: boolean;
  readonly startedAt: number;
  /** 0 to 100; null before the first report. */
  readonly percent: number | null;
  /** Segments of a video that this machine renders; null if there are none. */
  readonly segments: SegmentProgress | null;
  /** First reported percentage: earlier progress is not part of this run's speed. */
  readonly firstPercent: number;
}

/** In percent. An estimate never claims that a video is finished. */
const MAX_GUESSED = 95;

/** Tracks the progress of a run from its events, for a footer or a heartbeat. Times are milliseconds since the epoch. */
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
        const known = { isSubmitted: false, isDelivering: false, startedAt: nowMs, percent: null, segments: null };
        const firstPercent = begin === 'posted' ? 0 : -1;
        this.#running.set(id, { id, begin, ...known, firstPercent });
        break;
      }
      case 'video-submitted':
        this.#change(event.id, (video) => ({ ...video, isSubmitted: true }));
        break;
      case 'video-progressed': {
        const { id, percent, segments } = event;
        this.#change(id, (video) => {
          const firstPercent = video.firstPercent < 0 ? percent : video.firstPercent;
          return { ...video, isSubmitted: true, percent, firstPercent, segments: segments ?? video.segments };
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
        // It may have started without having been requested.
        this.#running.delete(event.id);
        this.#skipped += 1;
        break;
      case 'video-recorded':
        // A duplicate that waited for another video's rendering was running until now.
        if (this.#running.has(event.id)) this.#end(event.id, () => (this.#otherwise += 1));
        break;
      case 'video-warned':
      case 'video-undelivered':
      case 'run-finished':
        break;
    }
  }

  /** In order of their start. */
  get running(): readonly RunningVideo[] {
    return [...this.#running.values()];
  }

  /** Number of videos to render. */
  get total(): number {
    return this.#total;
  }

  /** Number of videos that have ended, successfully or not. */
  get finished(): number {
    return this.#rendered + this.#failed + this.#otherwise;
  }

  get failed(): number {
    return this.#failed;
  }

  /** Segments of the running videos together; null if there are none. */
  get segments(): SegmentProgress | null {
    const all = this.running.flatMap(({ segments }) => segments ?? []);
    const sum = (of: keyof SegmentProgress): number => all.reduce((count, segments) => count + segments[of], 0);
    return all.length === 0 ? null : { done: sum('done'), total: sum('total'), reused: sum('reused') };
  }

  elapsedMs(nowMs: number): number {
    return nowMs - this.#startedAt;
  }

  /** Rendered videos per minute; null before the second video. */
  perMinute(nowMs: number): number | null {
    const minutes = this.elapsedMs(nowMs) / 60_000;
    return this.#rendered < 2 || minutes <= 0 ? null : this.#rendered / minutes;
  }

  /**
   * Returns the progress of a video. Estimates it from earlier durations of this run, because a rarely polled service
   * reports no progress. Null if neither is known or the service has not accepted the video.
   */
  percentOf(video: RunningVideo, nowMs: number): { percent: number; isGuess: boolean } | null {
    const { percent, begin, isSubmitted, startedAt } = video;
    if (percent !== null && percent > 0) return { percent, isGuess: false };
    const durations = this.#durationsMs.slice(-LAST_DURATIONS);
    // A resumed video has been running for longer than this run knows.
    const isComparable = begin === 'posted' && isSubmitted && durations.length > 0;
    if (!isComparable) return percent === null ? null : { percent, isGuess: false };
    const meanMs = durations.reduce((sum, each) => sum + each, 0) / durations.length;
    const share = (nowMs - startedAt) / Math.max(1, meanMs);
    return { percent: Math.min(MAX_GUESSED, Math.floor(share * 100)), isGuess: true };
  }

  /** Null until this run has shown how long its videos take. */
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

/** State of a run that determines the remaining time. */
export interface LeftInput {
  /** Durations of videos that this run rendered from start to end. */
  readonly durationsMs: readonly number[];
  readonly running: readonly {
    readonly elapsedMs: number;
    /** Share completed in that time, 0..1. */
    readonly done: number;
    /** Remaining share. */
    readonly left: number;
  }[];
  /** Number of videos that have not started. */
  readonly waiting: number;
  /** Number of concurrent videos, ≥ 1. */
  readonly concurrency: number;
}

/** A smaller share says little about speed. */
const MIN_DONE = 0.1;
/** Number of recent durations that predict the next ones. */
const LAST_DURATIONS = 20;

/** Estimates the remaining time from finished videos and the progress of running ones. Null if there is not enough data. */
export function estimateLeftMs({ durationsMs, running, waiting, concurrency }: LeftInput): number | null {
  const projected = running.filter(({ done }) => done >= MIN_DONE).map(({ elapsedMs, done }) => elapsedMs / done);
  const known = durationsMs.length > 0 ? durationsMs.slice(-LAST_DURATIONS) : projected;
  if (known.length === 0) return null;
  const durationMs = known.reduce((sum, each) => sum + each, 0) / known.length;

  const leftOfEach = running.map(({ elapsedMs, done, left }) => {
    if (done >= MIN_DONE) return (elapsedMs / done) * left;
    // A video that takes longer than the others may take a while yet.
    return Math.max(durationMs - elapsedMs, 0.1 * elapsedMs);
  });
  const work = leftOfEach.reduce((sum, each) => sum + each, waiting * durationMs);
  return Math.max(work / concurrency, ...leftOfEach, waiting > 0 ? durationMs : 0);
}

/**
 * Formats a remaining time no more precisely than it is known: `a few seconds left`, `about 25 s left`, `about 2 h 10 min
 * left`.
 */
export function formatTimeLeft(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 7.5) return 'a few seconds left';
  if (seconds < 57.5) return `about ${Math.round(seconds / 5) * 5} s left`;
  const minutes = Math.max(1, Math.round(seconds / 60));
  if (minutes < 60) return `about ${minutes} min left`;
  const tens = Math.round(minutes / 10) * 10;
  return `about ${Math.floor(tens / 60)} h${tens % 60 === 0 ? '' : ` ${tens % 60} min`} left`;
}
