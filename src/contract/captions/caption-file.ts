import { type Diagnostic, errorAt, startOf, warningAt } from '../../kernel/diagnostic.ts';
import type { Cue } from './cue.ts';
import type { TimeNotation } from './cue-time.ts';
import { type FileLine, fileLines, type Range, spanOf } from './file-lines.ts';

export const CAPTION_FORMATS = ['vtt', 'srt', 'ass'] as const satisfies readonly TimeNotation[];
export type CaptionFormat = (typeof CAPTION_FORMATS)[number];

/** A cue, and where its file has it. */
export interface FileCue extends Cue {
  readonly at: {
    /** The times as written. */
    readonly start: Range;
    readonly end: Range;
    /** The text as written, with markup, from its first to its last line. */
    readonly text: Range;
    /** Everything of the cue, from its identifier on, without the line break at its end. */
    readonly cue: Range;
  };
}

/** What a file of captions contains. */
export interface CaptionsReading {
  /** In the order of their start. */
  readonly cues: readonly FileCue[];
  /** What is dropped or changed, and errors if the file cannot be used. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Returns the format that the ending of a path names; null for another ending. */
export function captionFormat(path: string): CaptionFormat | null {
  const ending = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase();
  if (ending === 'ssa') return 'ass';
  return CAPTION_FORMATS.find((format) => format === ending) ?? null;
}

const MAX_LINES = 12;

/** Collects what a reader drops and changes. Equal changes of a file are one finding, which names their lines. */
export class CaptionFindings {
  readonly #file: string;
  readonly #starts: readonly number[];
  readonly #changes = new Map<string, { readonly at: Range; readonly hint: string; readonly lines: number[] }>();
  readonly #dropped: Diagnostic[] = [];

  constructor(file: string, lines: readonly FileLine[]) {
    this.#file = file;
    this.#starts = lines.map(({ start }) => start);
  }

  /** Reports a cue that is left out. */
  drop(at: Range, message: string, hint: string): void {
    this.#dropped.push(warningAt('cue_dropped', spanOf(this.#file, at), message, hint));
  }

  /** Reports something that the cue does not keep. @param message describes all cues of the file that have it */
  change(at: Range, message: string, hint: string): void {
    const known = this.#changes.get(message);
    const line = this.#lineOf(at[0]);
    if (known === undefined) this.#changes.set(message, { at, hint, lines: [line] });
    else if (known.lines.at(-1) !== line) known.lines.push(line);
  }

  all(): Diagnostic[] {
    const changed = [...this.#changes].map(([message, { at, hint, lines }]) => {
      return warningAt('captions_changed', spanOf(this.#file, at), `${message}${moreLines(lines.slice(1))}`, hint);
    });
    return [...this.#dropped, ...changed].sort((a, b) => (a.at?.start ?? 0) - (b.at?.start ?? 0));
  }

  /** Returns the number of the line, from 1. */
  #lineOf(offset: number): number {
    let [low, high] = [0, this.#starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  }
}

function moreLines(lines: readonly number[]): string {
  if (lines.length === 0) return '';
  const shown = lines.slice(0, MAX_LINES).join(', ');
  const rest = lines.length > MAX_LINES ? ` and ${lines.length - MAX_LINES} more` : '';
  return ` (also in ${lines.length === 1 ? 'line' : 'lines'} ${shown}${rest})`;
}

/** Sorts cues by their start, and reports those that overlap. */
export function finishReading(
  file: string,
  text: string,
  cues: readonly FileCue[],
  findings: Diagnostic[],
): CaptionsReading {
  const sorted = [...cues].sort((a, b) => a.start - b.start);
  if (sorted.length === 0 && findings.length === 0) {
    return { cues: [], diagnostics: [errorAt('captions_invalid', startOf(file), `${file} has no cues`, NO_CUES)] };
  }
  if (sorted.length === 0) {
    const none = errorAt('captions_invalid', startOf(file), `${file} has no cue that can be shown`, NO_CUES);
    return { cues: [], diagnostics: [...findings, none] };
  }
  const overlaps = new CaptionFindings(file, fileLines(text));
  let last: FileCue | null = null;
  const found: { readonly at: Range }[] = [];
  for (const cue of sorted) {
    if (last !== null && cue.start < last.end && cue.place === last.place) found.push({ at: cue.at.start });
    if (last === null || cue.end > last.end) last = cue;
  }
  for (const { at } of found) overlaps.change(at, OVERLAP, OVERLAP_HINT);
  const overlapping = overlaps.all().map((finding): Diagnostic => ({ ...finding, code: 'cues_overlap' }));
  return { cues: sorted, diagnostics: [...findings, ...overlapping] };
}

const NO_CUES = 'Write cues such as 00:00:01.200 --> 00:00:02.500 with their texts below';
const OVERLAP = 'A cue starts before the cue before it ends, so that both are shown';
const OVERLAP_HINT = 'End the cue before it earlier, or join the two';
