import { createColors } from 'picocolors';
import type { ApplyEvent, Begin } from '../../apply/events.ts';
import { escapeControls } from '../wording/escape-controls.ts';
import { placeOfUrl } from '../wording/place-of-url.ts';
import { someOf } from './failure-lines.ts';
import { RunProgress } from './run-progress.ts';
import { leftWords } from './time-left.ts';
import { VideoLines } from './video-lines.ts';

/** After so long without a line the run says that it is there. */
const SILENCE_MS = 30_000;

const BEGIN_WORDS: Readonly<Record<Begin, string>> = {
  posted: 'begun',
  resumed: 'resumed: an earlier run asked for it',
  resent: 'asked for again, as the same request',
  followed: 'followed: another run has asked for it',
  found: 'rendered already',
};

/** One line per change of state, each with its video's id: for logs, where lines of several videos mix. */
export class ApplyLines {
  readonly #colors: ReturnType<typeof createColors>;
  readonly #lines: VideoLines;
  readonly #progress = new RunProgress();
  #lastLineAt = 0;

  constructor(options: { readonly color: boolean }) {
    this.#colors = createColors(options.color);
    this.#lines = new VideoLines(options);
  }

  /** The lines that an event makes, without line breaks. */
  linesOf(event: ApplyEvent, nowMs: number): string[] {
    this.#progress.take(event, nowMs);
    const lines = this.#wordsOf(event);
    if (lines.length > 0 || event.kind === 'run-started') this.#lastLineAt = nowMs;
    return lines;
  }

  /** Videos that are at work. */
  get runningCount(): number {
    return this.#progress.running.length;
  }

  /** How far the run is, when nothing was said for half a minute while something is at work; else nothing. */
  heartbeat(nowMs: number): string[] {
    const { running, finished, total } = this.#progress;
    if (running.length === 0 || nowMs - this.#lastLineAt < SILENCE_MS) return [];
    this.#lastLineAt = nowMs;
    const left = this.#progress.leftMs(nowMs);
    const parts = [`${finished} of ${total}`, `${running.length} at work`, ...(left === null ? [] : [leftWords(left)])];
    return [this.#colors.dim(`  ${parts.join(' · ')}`)];
  }

  #wordsOf(event: ApplyEvent): string[] {
    const { dim } = this.#colors;
    switch (event.kind) {
      case 'video-started':
        return [`${dim('…')} ${this.#lines.name(event.id)}  ${dim(BEGIN_WORDS[event.begin])}`];
      case 'video-submitted':
        return [`${dim('…')} ${this.#lines.name(event.id)}  ${dim(`rendering as ${escapeControls(event.session)}`)}`];
      case 'video-delivering':
        return [
          `${dim('…')} ${this.#lines.name(event.id)}  ${dim(`delivering to ${someOf(event.to.map(placeOfUrl), 2)}`)}`,
        ];
      case 'video-rendered':
      case 'video-failed':
      case 'video-unknown':
      case 'video-left': {
        const [first = '', ...rest] = this.#lines.linesOf(event);
        return [`${first}  ${dim(`(${this.#progress.finished} of ${this.#progress.total})`)}`, ...rest];
      }
      default:
        return this.#lines.linesOf(event);
    }
  }
}
