import { createColors } from 'picocolors';
import type { ApplyEvent } from '../apply/events.ts';
import type { VideoId } from '../definition/video.ts';
import { finishedLines, longest } from './apply-text.ts';
import { formatDuration } from './duration.ts';

const BAR_WIDTH = 24;

/**
 * A run as a terminal shows it: lines of finished videos, which scroll away, and a footer of what is at work, which is
 * drawn again and again. Holds the state and makes the lines; who writes them is somebody else's business.
 */
export class LiveView {
  readonly #colors: ReturnType<typeof createColors>;
  readonly #running = new Map<VideoId, { percent: number; startedAt: number }>();
  #renders = 0;
  #idWidth = 0;
  #finished = 0;
  #failed = 0;
  #startedAt = 0;
  #stopping = false;

  constructor(options: { readonly color: boolean }) {
    this.#colors = createColors(options.color);
  }

  /** Takes an event in. @returns lines to keep above the footer */
  take(event: ApplyEvent, nowMs: number): string[] {
    switch (event.kind) {
      case 'run-started':
        this.#renders = event.ids.length;
        this.#idWidth = longest(event.ids);
        this.#startedAt = nowMs;
        break;
      case 'video-started':
        this.#running.set(event.id, { percent: 0, startedAt: nowMs });
        break;
      case 'video-progressed': {
        const video = this.#running.get(event.id);
        if (video !== undefined) video.percent = event.percent;
        break;
      }
      case 'video-failed':
        this.#failed += 1;
        this.#finish(event.id);
        break;
      case 'video-rendered':
        this.#finish(event.id);
        break;
      case 'video-skipped':
        this.#stopping = true;
        break;
      case 'video-recorded':
      case 'run-finished':
        break;
    }
    return finishedLines(event, this.#colors, this.#idWidth);
  }

  stopping(): void {
    this.#stopping = true;
  }

  /** At most `rows - 1` lines of at most `columns` characters; empty when nothing is at work. */
  footer(nowMs: number, columns: number, rows: number): string[] {
    if (this.#running.size === 0) return [];
    const room = Math.max(0, rows - 3);
    const shown = [...this.#running].slice(0, room);
    const hidden = this.#running.size - shown.length;
    const idWidth = Math.min(this.#idWidth, Math.max(10, columns - BAR_WIDTH - 18));
    const lines = shown.map(([id, { percent, startedAt }]) => {
      const name = id.length > idWidth ? `…${id.slice(id.length - idWidth + 1)}` : id.padEnd(idWidth);
      const elapsed = formatDuration(nowMs - startedAt);
      if (columns < idWidth + BAR_WIDTH + 18) return `  ${name} ${percent} %`.slice(0, columns - 1);
      return `  ${name}  ${this.#bar(percent)} ${String(percent).padStart(3)} %  ${this.#colors.dim(elapsed)}`;
    });
    return [...lines, this.#totals(nowMs, hidden, columns)];
  }

  #totals(nowMs: number, hidden: number, columns: number): string {
    const parts = [`${this.#finished} of ${this.#renders}`];
    if (this.#failed > 0) parts.push(`${this.#failed} failed`);
    if (hidden > 0) parts.push(`${hidden} more at work`);
    parts.push(formatDuration(nowMs - this.#startedAt));
    const left = this.#timeLeftMs(nowMs);
    if (this.#stopping) parts.push('stopping; Ctrl-C again to leave at once');
    else if (left !== null) parts.push(`about ${formatDuration(left)} left`);
    return this.#colors.dim(`  ${parts.join(' · ')}`.slice(0, Math.max(0, columns - 1)));
  }

  /** From the share of all videos that is done, those at work counted in part. */
  #timeLeftMs(nowMs: number): number | null {
    let done = this.#finished;
    for (const { percent } of this.#running.values()) done += percent / 100;
    if (done < 0.2 || this.#renders === 0) return null;
    return ((nowMs - this.#startedAt) / done) * (this.#renders - done);
  }

  #finish(id: VideoId): void {
    this.#running.delete(id);
    this.#finished += 1;
  }

  #bar(percent: number): string {
    const filled = Math.round((percent / 100) * BAR_WIDTH);
    return this.#colors.green('━'.repeat(filled)) + this.#colors.dim('─'.repeat(BAR_WIDTH - filled));
  }
}
