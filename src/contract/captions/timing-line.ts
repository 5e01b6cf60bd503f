import type { CaptionFindings } from './caption-file.ts';
import { readTime, TIME, type TimeNotation, type WrittenTime, writeTime } from './cue-time.ts';
import type { FileLine, Range } from './file-lines.ts';

/** The times of a cue, as its line has them. */
export interface CueTimes {
  /** Seconds, >= 0, before `end`. */
  readonly start: number;
  readonly end: number;
  readonly startAt: Range;
  readonly endAt: Range;
}

/** The line of a cue in WebVTT and SubRip. */
export interface TimingLine {
  /** Null if the cue is dropped. */
  readonly times: CueTimes | null;
  /** What follows the times. */
  readonly settings: string;
}

const LINE = new RegExp(`^\\s*(${TIME.source})\\s*--+>\\s*(${TIME.source})(?:\\s+(.*\\S))?\\s*$`);

/** Returns whether a line has an arrow as between the times of a cue. */
export function isTimingLine({ text }: Pick<FileLine, 'text'>): boolean {
  return text.includes('-->');
}

/** Reads the line with the times of a cue, and reports what is wrong with them. */
export function readTimingLine(
  line: FileLine,
  notation: Extract<TimeNotation, 'vtt' | 'srt'>,
  findings: CaptionFindings,
): TimingLine {
  const whole: Range = [line.start, line.end];
  const found = LINE.exec(line.text);
  const [, from = '', to = '', settings = ''] = found ?? [];
  const [start, end] = [readTime(from, notation), readTime(to, notation)];
  if (start === null || end === null) {
    findings.drop(
      whole,
      'The times of a cue cannot be read',
      `Write ${EXAMPLES[notation]}; until then the cue is left out`,
    );
    return { times: null, settings };
  }
  const first = line.start + line.text.indexOf(from);
  const second = line.start + line.text.indexOf(to, line.text.indexOf('>'));
  const startAt: Range = [first, first + from.length];
  const endAt: Range = [second, second + to.length];
  if (!(start.isStrict && end.isStrict)) {
    findings.change(whole, `Times are not written as ${NAMES[notation]} has them`, `Write ${EXAMPLES[notation]}`);
  }
  return { times: checkTimes({ start, end, startAt, endAt }, findings), settings };
}

const NAMES = { vtt: 'WebVTT', srt: 'SubRip' };
const EXAMPLES = { vtt: '00:00:01.200 --> 00:00:02.500', srt: '00:00:01,200 --> 00:00:02,500' };

const LEFT_OUT = 'Correct its times; until then the cue is left out';

/** Returns the times of a cue that can be shown; null if it is dropped. */
export function checkTimes(
  { start, end, startAt, endAt }: Record<'start' | 'end', WrittenTime> & Pick<CueTimes, 'startAt' | 'endAt'>,
  findings: CaptionFindings,
): CueTimes | null {
  const whole: Range = [startAt[0], endAt[1]];
  if (end.seconds <= start.seconds) {
    const relation = end.seconds < start.seconds ? 'ends before it starts' : 'has no length';
    findings.drop(whole, `A cue ${relation}`, LEFT_OUT);
    return null;
  }
  if (end.seconds <= 0) {
    findings.drop(whole, 'A cue ends before the start of the video', LEFT_OUT);
    return null;
  }
  if (start.seconds < 0) {
    findings.change(
      whole,
      `A cue starts before the video, and is shown from ${writeTime(0, 'vtt')}`,
      'Correct its times',
    );
  }
  return { start: Math.max(0, start.seconds), end: end.seconds, startAt, endAt };
}
