import { createColors } from 'picocolors';
import { present } from '../../kernel/defined.ts';
import type { ApplyEvent, Begin, VideoFailure } from '../../reconciler/apply/events.ts';
import type { Delivery } from '../../reconciler/lock/lock.ts';
import { failureKey } from '../json/failure-groups.ts';
import { maxWidth, padCells } from '../wording/cell-width.ts';
import { displayUrl, escapeControls, listNames } from '../wording/display-text.ts';
import { formatDuration, segmentProgress } from '../wording/quantities.ts';
import { failureLines } from './error-text.ts';
import { formatTimeLeft, type RunningVideo, RunProgress } from './run-progress.ts';

/** Time without output after which the run prints a heartbeat. */
const SILENCE_MS = 30_000;

const BEGIN_WORDS: Readonly<Record<Begin, string>> = {
  posted: 'begun',
  resumed: 'resumed from an earlier run',
  resent: 'same request sent again',
  followed: 'waiting for another run',
  found: 'already rendered',
};

/** Prints a line per change of state with the id of its video, for logs in which lines of several videos interleave. */
export class ApplyLines {
  readonly #colors: ReturnType<typeof createColors>;
  readonly #lines: VideoLines;
  readonly #progress = new RunProgress();
  #lastLineAt = 0;

  constructor(options: { readonly color: boolean }) {
    this.#colors = createColors(options.color);
    this.#lines = new VideoLines(options);
  }

  /** Returns the lines for an event, without line breaks. */
  linesOf(event: ApplyEvent, nowMs: number): string[] {
    const before = this.#progress.running;
    this.#progress.take(event, nowMs);
    const lines = this.#wordsOf(event, before);
    if (lines.length > 0 || event.kind === 'run-started') this.#lastLineAt = nowMs;
    return lines;
  }

  get runningCount(): number {
    return this.#progress.running.length;
  }

  /** Returns the progress of the run if nothing was printed for 30 seconds while videos are running. */
  heartbeat(nowMs: number): string[] {
    const { running, finished, total, segments } = this.#progress;
    if (running.length === 0 || nowMs - this.#lastLineAt < SILENCE_MS) return [];
    this.#lastLineAt = nowMs;
    const left = this.#progress.leftMs(nowMs);
    const parts = present([
      `${finished} of ${total}`,
      `${running.length} running`,
      segments !== null && segmentProgress(segments),
      left !== null && formatTimeLeft(left),
    ]);
    return [this.#colors.dim(`  ${parts.join(' · ')}`)];
  }

  /** @param before running videos before the event */
  #wordsOf(event: ApplyEvent, before: readonly RunningVideo[]): string[] {
    const { dim } = this.#colors;
    switch (event.kind) {
      case 'video-started':
        return [`${dim('…')} ${this.#lines.name(event.id)}  ${dim(BEGIN_WORDS[event.begin])}`];
      case 'video-submitted':
        return [`${dim('…')} ${this.#lines.name(event.id)}  ${dim(`rendering as ${escapeControls(event.session)}`)}`];
      case 'video-delivering':
        return [
          `${dim('…')} ${this.#lines.name(event.id)}  ${dim(`delivering to ${listNames(event.to.map(displayUrl), 2)}`)}`,
        ];
      case 'video-rendered':
      case 'video-failed':
      case 'video-unknown':
      case 'video-left': {
        const [first = '', ...rest] = this.#lines.linesOf(event);
        const segments = event.kind === 'video-rendered' ? before.find(({ id }) => id === event.id)?.segments : null;
        const counted = segments == null ? '' : `, ${segmentProgress(segments)}`;
        return [`${first}  ${dim(`(${this.#progress.finished} of ${this.#progress.total}${counted})`)}`, ...rest];
      }
      default:
        return this.#lines.linesOf(event);
    }
  }
}

type Colors = ReturnType<typeof createColors>;

/** Ids are padded to the longest id, up to this width. */
const WIDEST_ID = 28;

/**
 * Formats the permanent lines of a run: finished videos and warnings. Repeated failures and warnings refer to the first
 * video that had them.
 */
export class VideoLines {
  readonly #colors: Colors;
  /** Maps printed failures to the first video that had them. */
  readonly #reported = new Map<string, string>();
  #idWidth = 0;

  constructor(options: { readonly color: boolean }) {
    this.#colors = createColors(options.color);
  }

  /** Returns lines without line breaks; none for transient events. */
  linesOf(event: ApplyEvent): string[] {
    const { green, red, yellow, dim } = this.#colors;
    switch (event.kind) {
      case 'run-started':
        this.#idWidth = Math.min(WIDEST_ID, maxWidth(event.ids));
        return [];
      case 'video-recorded':
        return [
          `${green('✓')} ${this.name(event.id)}  ${dim(recordedWords(event))}`,
          ...this.#destinationLines(event.deliveries ?? []),
        ];
      case 'video-rendered':
        return [
          `${green('✓')} ${this.name(event.id)}  ${dim(formatDuration(event.elapsedMs).padStart(8))}  ${displayUrl(event.videoUrl)}${event.byOtherRun ? dim('  rendered by another run') : ''}`,
          ...this.#destinationLines(event.deliveries ?? []),
        ];
      case 'video-failed': {
        const after = `failed after ${formatDuration(event.elapsedMs)}`;
        return this.#withFailures(`${red('✗')} ${this.name(event.id)}  ${dim(after)}`, event.id, event.failures);
      }
      case 'video-undelivered': {
        const line = `${red('✗')} ${this.name(event.id)}  ${red('finished, but not delivered')}`;
        return this.#withFailures(line, event.id, event.failures);
      }
      case 'video-warned':
        return this.#withFailures(`${yellow('!')} ${this.name(event.id)}`, event.id, [event.warning]);
      case 'video-unknown': {
        const what =
          event.session === null ? 'it is unknown whether the service accepted it' : 'its session has no usable video';
        const line = `${yellow('?')} ${this.name(event.id)}  ${yellow(`requested, but ${what}`)}`;
        return this.#withFailures(line, event.id, [event.failure]);
      }
      case 'video-left':
        return [
          `${yellow('…')} ${this.name(event.id)}  ${dim(`still running on the service as ${escapeControls(event.session)}`)}`,
        ];
      case 'video-started':
      case 'video-delivering':
      case 'video-submitted':
      case 'video-progressed':
      case 'video-skipped':
      case 'run-finished':
        return [];
    }
  }

  /** Pads the id, so that the following text aligns. */
  name(id: string): string {
    return padCells(escapeControls(id), this.#idWidth);
  }

  #destinationLines(deliveries: readonly Delivery[]): string[] {
    const { cyan, dim } = this.#colors;
    const gap = ' '.repeat(this.#idWidth + 2);
    return deliveries.map(({ to, url }) => {
      const place = displayUrl(to);
      return `  ${gap}${cyan('↑')} ${url === undefined ? place : `${displayUrl(url)}  ${dim(place)}`}`;
    });
  }

  #withFailures(line: string, id: string, failures: readonly VideoFailure[]): string[] {
    const key = failureKey(failures);
    const first = this.#reported.get(key);
    if (first !== undefined && first !== id) {
      const codes = failures.map(({ code }) => escapeControls(code)).join(', ');
      return [`${line}  ${codes}, as ${escapeControls(first)}`];
    }
    this.#reported.set(key, id);
    return [line, ...failures.flatMap((failure) => failureLines(failure, this.#colors)).map((text) => `    ${text}`)];
  }
}

function recordedWords({ action, previousId, videoUrl, deliveries }: ApplyEvent & { kind: 'video-recorded' }): string {
  switch (action) {
    case 'move':
      return `moved from ${escapeControls(previousId ?? '')}`;
    case 'adopt':
      return `adopted, not rendered again${videoUrl === null ? '' : `  ${displayUrl(videoUrl)}`}`;
    case 'relabel':
      return 'relabelled';
    case 'forget':
      return 'forgotten';
    case 'deliver':
      return (deliveries ?? []).length > 0 ? 'delivered, not rendered again' : 'not delivered';
    default:
      return action;
  }
}
