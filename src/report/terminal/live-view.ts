import { createColors } from 'picocolors';
import { present } from '../../kernel/defined.ts';
import type { ApplyEvent, Begin } from '../../reconciler/apply/events.ts';
import { cellWidth, cutCells, cutCellsStart, maxWidth, padCells } from '../wording/cell-width.ts';
import { escapeControls } from '../wording/display-text.ts';
import { formatCount, formatDuration, segmentProgress } from '../wording/quantities.ts';
import { VideoLines } from './apply-lines.ts';
import { formatTimeLeft, type RunningVideo, RunProgress } from './run-progress.ts';

/** Columns of a progress bar, by the width of the line. */
const BAR_WIDTHS: readonly (readonly [columns: number, bar: number])[] = [
  [72, 24],
  [52, 12],
  [40, 6],
];
/** Columns of `100 %` and `1:02:09 h`, including gaps. */
const PERCENT_WIDTH = 5;
const ELAPSED_WIDTH = 9;
const MIN_NAME = 8;
/** More lines are hard to read, and lines that scroll off the screen cannot be redrawn. */
const MAX_VIDEOS = 16;

const BEGIN_NOTES: Readonly<Record<Exclude<Begin, 'posted'>, string>> = {
  resumed: 'resumed',
  resent: 'requested again',
  followed: 'followed',
  found: '',
};

/**
 * Formats a run for a terminal: permanent lines of finished videos, and a footer of running videos that is redrawn. Holds
 * the state; the caller writes the lines.
 */
export class LiveView {
  readonly #colors: ReturnType<typeof createColors>;
  readonly #lines: VideoLines;
  readonly #progress = new RunProgress();
  #stopping = false;

  constructor(options: { readonly color: boolean }) {
    this.#colors = createColors(options.color);
    this.#lines = new VideoLines(options);
  }

  /** Processes an event. @returns lines to print above the footer */
  take(event: ApplyEvent, nowMs: number): string[] {
    this.#progress.take(event, nowMs);
    if (event.kind === 'video-skipped' && event.reason === 'interrupted') this.#stopping = true;
    return this.#lines.linesOf(event);
  }

  stopping(): void {
    this.#stopping = true;
  }

  get runningCount(): number {
    return this.#progress.running.length;
  }

  /** At most `rows - 1` lines, each shorter than `columns`; empty if nothing is running. */
  footer(nowMs: number, columns: number, rows: number): string[] {
    const { running } = this.#progress;
    const room = Math.min(MAX_VIDEOS, rows - 2);
    if (running.length === 0 || rows < 2 || columns < 2) return [];
    const shown = running.slice(0, Math.max(0, room));
    const layout = layOut(shown, columns - 1);
    const lines = shown.map((video) => this.#videoLine(video, nowMs, layout));
    return [...lines, this.#totals(nowMs, running.length - shown.length, columns - 1)];
  }

  #videoLine(video: RunningVideo, nowMs: number, { width, name, bar, note }: Layout): string {
    const { dim } = this.#colors;
    const far = this.#progress.percentOf(video, nowMs);
    const percent = far === null ? '' : `${far.isGuess ? '~' : ''}${far.percent} %`;
    const id = padCells(cutCellsStart(escapeControls(video.id), name), name);
    if (name === width) return id.trimEnd();
    if (bar === 0) return `  ${id} ${percent.padStart(PERCENT_WIDTH)}`.trimEnd();
    const words = note ? noteOf(video) : '';
    return present([
      `  ${id}`,
      `${this.#bar(far?.percent ?? 0, bar)} ${percent.padStart(PERCENT_WIDTH)}`,
      dim(formatDuration(nowMs - video.startedAt).padStart(8)),
      words !== '' && dim(words),
    ]).join('  ');
  }

  /** Drops the least important parts if there is not enough room. */
  #totals(nowMs: number, hidden: number, width: number): string {
    const { finished, total, failed } = this.#progress;
    const left = this.#progress.leftMs(nowMs);
    const rate = this.#progress.perMinute(nowMs);
    const parts: { readonly text: string; readonly rank: number }[] = [
      { text: `${formatCount(finished)} of ${formatCount(total)}`, rank: 0 },
      { text: failed > 0 ? `${formatCount(failed)} failed` : '', rank: 2 },
      { text: hidden > 0 ? `${formatCount(hidden)} more running` : '', rank: 4 },
      { text: formatDuration(this.#progress.elapsedMs(nowMs)), rank: 5 },
      { text: rate === null ? '' : `${rate < 10 ? rate.toFixed(1) : Math.round(rate)} per minute`, rank: 6 },
      { text: this.#stopping || left === null ? '' : formatTimeLeft(left), rank: 3 },
      { text: this.#stopping ? 'stopping' : '', rank: 1 },
      { text: this.#stopping ? 'Ctrl-C again to exit immediately' : '', rank: 3 },
    ].filter(({ text }) => text !== '');
    const join = (): string => `  ${parts.map(({ text }) => text).join(' · ')}`;
    while (parts.length > 1 && cellWidth(join()) > width) {
      const last = Math.max(...parts.map(({ rank }) => rank));
      parts.splice(
        parts.findIndex(({ rank }) => rank === last),
        1,
      );
    }
    return this.#colors.dim(cutCells(cellWidth(join()) > width ? join().trimStart() : join(), width));
  }

  #bar(percent: number, width: number): string {
    const filled = Math.round((Math.min(100, Math.max(0, percent)) / 100) * width);
    return this.#colors.green('━'.repeat(filled)) + this.#colors.dim('─'.repeat(width - filled));
  }
}

/** Layout shared by all lines of the footer. */
interface Layout {
  /** Columns of a line. */
  readonly width: number;
  /** Columns of the name; the whole line if nothing else fits. */
  readonly name: number;
  /** Columns of the bar; 0 hides the bar and the time. */
  readonly bar: number;
  readonly note: boolean;
}

function layOut(videos: readonly RunningVideo[], width: number): Layout {
  const widest = maxWidth(videos.map(({ id }) => escapeControls(id)));
  const bar = BAR_WIDTHS.find(([columns]) => width >= columns)?.[1] ?? 0;
  if (bar === 0) {
    const room = width - 2 - 1 - PERCENT_WIDTH;
    return { width, name: room < MIN_NAME ? width : Math.min(widest, room), bar, note: false };
  }
  const room = width - (2 + 2 + bar + 1 + PERCENT_WIDTH + 2 + ELAPSED_WIDTH);
  const noteWidth = Math.max(0, ...videos.map((video) => noteOf(video).length));
  const beside = room - 2 - noteWidth;
  const note = noteWidth > 0 && beside >= Math.min(widest, 2 * MIN_NAME);
  return { width, name: Math.min(widest, note ? beside : room), bar, note };
}

/** Describes finished segments, an unusual start or the delivery; empty otherwise. */
function noteOf({ begin, isSubmitted, isDelivering, segments }: RunningVideo): string {
  if (isDelivering) return 'delivering';
  if (segments !== null) return segmentProgress(segments);
  if (begin === 'posted') return isSubmitted ? '' : 'sending';
  return BEGIN_NOTES[begin];
}
