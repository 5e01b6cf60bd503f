import { CaptionFindings, type CaptionsReading, type FileCue, finishReading } from './caption-file.ts';
import { plainText } from './cue-markup.ts';
import { type FileLine, fileLines } from './file-lines.ts';
import { isTimingLine, readTimingLine } from './timing-line.ts';

/**
 * Reads SubRip. There is no standard; `<i>`, `<b>`, `<u>`, `<font>` and `{\an8}` are understood as by VLC and mpv.
 *
 * @param file repository-relative path or URL, for locations
 */
export function readSrt(file: string, text: string): CaptionsReading {
  const lines = fileLines(text);
  const findings = new CaptionFindings(file, lines);
  const timings = lines.flatMap((line, index) => (isTimingLine(line) ? [index] : []));
  const starts = timings.map((timing) => (timing > 0 && isNumber(lines[timing - 1]!) ? timing - 1 : timing));
  const [first = lines.length] = starts;
  const strays = lines.slice(0, first).filter((line) => line.text.trim() !== '');
  if (strays.length > 0) {
    const [{ start, end }] = strays as [FileLine];
    findings.drop([start, end], 'Lines have no times', 'Add times above them, or remove them');
  }
  const cues = timings.flatMap((timing, index): FileCue[] => {
    const cue = readCue(lines.slice(starts[index], starts[index + 1]), timing - starts[index]!, findings);
    return cue === null ? [] : [cue];
  });
  return finishReading(file, text, cues, findings.all());
}

function isNumber({ text }: FileLine): boolean {
  return /^\s*\d+\s*$/.test(text);
}

function readCue(block: readonly FileLine[], timing: number, findings: CaptionFindings): FileCue | null {
  const line = block[timing]!;
  const { times, settings } = readTimingLine(line, 'srt', findings);
  if (times === null) return null;
  if (settings !== '') {
    findings.change(
      [line.start, line.end],
      'Coordinates after the times are not used',
      'Set the place in their "style"',
    );
  }
  const payload = block.slice(timing + 1);
  while (payload[0]?.text.trim() === '') payload.shift();
  while (payload.at(-1)?.text.trim() === '') payload.pop();
  const gap = payload.find(({ text }) => text.trim() === '');
  if (gap !== undefined) {
    findings.change([gap.start, gap.end], 'An empty line inside a cue is left out, and the text after it belongs to the cue', 'Remove the line, or add times below it'); // biome-ignore format: one line
  }
  const [from, to] = [payload[0]?.start ?? line.end, payload.at(-1)?.end ?? line.end];
  const { changes, ...texts } = plainText(payload.map(({ text }) => text).join('\n'), times, 'srt');
  if (texts.text === '') {
    findings.change([line.start, line.end], 'A cue has no text, and is not shown', 'Add a text, or remove the cue');
    return null;
  }
  for (const { message, hint } of changes) findings.change([from, to], message, hint);
  const at = { start: times.startAt, end: times.endAt, text: [from, to], cue: [block[0]!.start, to] } as const;
  return { start: times.start, end: times.end, ...texts, at };
}
