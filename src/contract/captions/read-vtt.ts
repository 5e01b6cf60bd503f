import { defined } from '../../kernel/defined.ts';
import { CaptionFindings, type CaptionsReading, type FileCue, finishReading } from './caption-file.ts';
import type { CuePlace } from './cue.ts';
import { plainText } from './cue-markup.ts';
import { type FileLine, fileLines } from './file-lines.ts';
import { isTimingLine, readTimingLine } from './timing-line.ts';

/**
 * Reads WebVTT, also as it is found in files that browsers would not read.
 *
 * @param file repository-relative path or URL, for locations
 * @see https://www.w3.org/TR/webvtt1/#file-parsing
 */
export function readVtt(file: string, text: string): CaptionsReading {
  const lines = fileLines(text);
  const findings = new CaptionFindings(file, lines);
  const cues: FileCue[] = [];
  let index = readHeader(lines, findings);
  while (index < lines.length) {
    if (lines[index]!.text === '') {
      index += 1;
      continue;
    }
    const end = blockEnd(lines, index);
    const block = lines.slice(index, end);
    index = end;
    const timing = block.findIndex(isTimingLine);
    if (timing === -1 || timing > 1) readOtherBlock(block, timing > 1, findings);
    else {
      const cue = readCue(block, timing, findings);
      if (cue !== null) cues.push(cue);
    }
  }
  return finishReading(file, text, cues, findings.all());
}

/** Returns the index of the first line after the header. */
function readHeader(lines: readonly FileLine[], findings: CaptionFindings): number {
  const first = lines[0]!;
  if (!/^WEBVTT(?:[ \t]|$)/.test(first.text)) {
    findings.change([first.start, first.end], 'The first line is not WEBVTT, so that browsers do not read the file', 'Start the file with WEBVTT and an empty line'); // biome-ignore format: one line
    return 0;
  }
  let index = 1;
  for (; index < lines.length && lines[index]!.text !== '' && !isTimingLine(lines[index]!); index++) {
    const { text, start, end } = lines[index]!;
    if (!/^X-TIMESTAMP-MAP=/.test(text) || /MPEGTS:0+(?:,|$)/.test(text)) continue;
    findings.change(
      [start, end],
      'The offset of X-TIMESTAMP-MAP is not applied',
      'Move the times of the cues, and remove it',
    );
  }
  return index;
}

/** Returns the index of the empty line that ends a block. A second arrow begins another cue, as its identifier does. */
function blockEnd(lines: readonly FileLine[], from: number): number {
  let hasTimes = false;
  for (let index = from; index < lines.length; index++) {
    const line = lines[index]!;
    if (line.text === '') return index;
    if (isTimingLine(line)) {
      if (hasTimes) return index;
      hasTimes = true;
    }
    // A line of spaces separates cues only in files that were written by hand; YouTube shows it.
    const [next, second] = [lines[index + 1], lines[index + 2]];
    const begins = next !== undefined && (isTimingLine(next) || (second !== undefined && next.text.trim() !== '' && isTimingLine(second))); // biome-ignore format: one line
    if (line.text.trim() === '' && begins) return index + 1;
  }
  return lines.length;
}

function readOtherBlock(block: readonly FileLine[], hasTimes: boolean, findings: CaptionFindings): void {
  const [{ text, start, end }] = block as [FileLine];
  if (/^NOTE(?:[ \t]|$)/.test(text) && !hasTimes) return;
  if (/^STYLE[ \t]*$/.test(text)) {
    findings.change([start, end], 'The CSS of STYLE is not used', 'Set how captions look in their "style"');
  } else if (/^REGION[ \t]*$/.test(text)) {
    findings.change([start, end], 'Regions are not used', 'Set where captions are in their "style"');
  } else if (text.trim() !== '') {
    findings.drop([start, end], 'Lines have no times', 'Add times above them, or start them with NOTE');
  }
}

function readCue(block: readonly FileLine[], timing: number, findings: CaptionFindings): FileCue | null {
  const line = block[timing]!;
  const { times, settings } = readTimingLine(line, 'vtt', findings);
  if (times === null) return null;
  const payload = block.slice(timing + 1);
  while (payload.at(-1)?.text.trim() === '') payload.pop();
  const [from, to] = [payload[0]?.start ?? line.end, payload.at(-1)?.end ?? line.end];
  const read = plainText(payload.map(({ text }) => text).join('\n'), times, 'vtt');
  if (read.text === '') {
    findings.change([line.start, line.end], 'A cue has no text, and is not shown', 'Add a text, or remove the cue');
    return null;
  }
  const { changes, ...texts } = read;
  for (const { message, hint } of changes) findings.change([from, to], message, hint);
  const place = readSettings(settings, line, findings);
  const at = { start: times.startAt, end: times.endAt, text: [from, to], cue: [block[0]!.start, to] } as const;
  return { start: times.start, end: times.end, ...texts, ...defined({ place }), at };
}

/** Reads where a cue is shown. @see https://www.w3.org/TR/webvtt1/#webvtt-cue-settings-list */
function readSettings(settings: string, { start, end }: FileLine, findings: CaptionFindings): CuePlace | undefined {
  let place: CuePlace | undefined;
  const unused = new Set<string>();
  for (const setting of settings.split(/\s+/).filter((word) => word !== '')) {
    const [name = '', value = ''] = setting.split(':');
    const line = name === 'line' ? /^(-?\d+(?:\.\d+)?)(%?)(?:,(?:start|center|end))?$/.exec(value) : null;
    if (line !== null) place = placeOfLine(Number(line[1]), line[2] === '%');
    else if (!(name === 'align' && (value === 'center' || value === 'middle'))) unused.add(name);
  }
  for (const name of unused) {
    const message = `The setting ${name} is not used, because the style places captions`;
    findings.change(
      [start, end],
      message,
      'Set the place in their "style", or "line" for the upper part of the picture',
    );
  }
  return place;
}

/** Lines of text count from the top, and negative ones from the bottom; a picture has about 15. */
const LINES = 15;

function placeOfLine(line: number, isPercent: boolean): CuePlace | undefined {
  const share = isPercent ? line / 100 : (line < 0 ? LINES + line : line) / LINES;
  return share < 1 / 3 ? 'top' : share < 2 / 3 ? 'middle' : undefined;
}
