import { defined } from '../../kernel/defined.ts';
import { CaptionFindings, type CaptionsReading, type FileCue, finishReading } from './caption-file.ts';
import type { CuePlace } from './cue.ts';
import { MARKUP_CHANGES, placeOfNumpad, type TimedText, tidyText, wordsOf } from './cue-markup.ts';
import { readTime } from './cue-time.ts';
import { type FileLine, fileLines, type Range } from './file-lines.ts';
import { checkTimes } from './timing-line.ts';

/** What cues depend on outside their lines. */
interface AssFile {
  /** Columns of the events. */
  columns: readonly string[];
  /** Height that positions are relative to. */
  height: number;
  readonly places: Map<string, CuePlace>;
}

const EVENT_COLUMNS = 'Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text';

/**
 * Reads Advanced SubStation Alpha, and SubStation Alpha: texts, times, syllables of karaoke, and in which third of the picture
 * cues are.
 *
 * @param file repository-relative path or URL, for locations
 * @see http://www.tcax.org/docs/ass-specs.htm
 */
export function readAss(file: string, text: string): CaptionsReading {
  const lines = fileLines(text);
  const findings = new CaptionFindings(file, lines);
  const context: AssFile = { columns: columnsOf(EVENT_COLUMNS), height: 288, places: new Map() };
  const cues: FileCue[] = [];
  let section = '';
  let styleColumns: readonly string[] = [];
  for (const line of lines) {
    const heading = /^\s*\[([^\]]+)\]\s*$/.exec(line.text);
    if (heading !== null) {
      section = heading[1]!.toLowerCase();
      if (section === 'fonts' || section === 'graphics') {
        findings.change([line.start, line.end], `The files in [${heading[1]}] are not used`, 'Add fonts to the folder of "fonts" in reelform.yaml'); // biome-ignore format: one line
      }
      continue;
    }
    const property = /^\s*([A-Za-z]+)\s*:\s*(.*)$/.exec(line.text);
    if (property === null) continue;
    const [, name = '', value = ''] = property;
    if (section === 'script info' && name === 'PlayResY') context.height = Number(value) || context.height;
    else if (section.startsWith('v4')) {
      if (name === 'Format') styleColumns = columnsOf(value);
      else if (name === 'Style') readStyle(value, styleColumns, section === 'v4 styles', context);
    } else if (section === 'events') {
      if (name === 'Format') context.columns = columnsOf(value);
      else if (name === 'Dialogue') {
        const cue = readDialogue(line, line.text.length - value.length, context, findings);
        if (cue !== null) cues.push(cue);
      } else if (name !== 'Comment') {
        findings.change([line.start, line.end], `Events of the kind ${name} are not used`, 'Remove them');
      }
    }
  }
  return finishReading(file, text, cues, findings.all());
}

function columnsOf(format: string): string[] {
  return format.split(',').map((column) => column.trim().toLowerCase());
}

function readStyle(value: string, columns: readonly string[], isOld: boolean, { places }: AssFile): void {
  const values = value.split(',').map((field) => field.trim());
  const alignment = Number(values[columns.indexOf('alignment')] ?? 2);
  const place = isOld ? placeOfOldAlignment(alignment) : placeOfNumpad(alignment);
  const name = values[columns.indexOf('name')];
  if (name !== undefined && place !== undefined) places.set(name.replace(/^\*/, ''), place);
}

/** SubStation Alpha adds 4 for the top and 8 for the middle. */
function placeOfOldAlignment(alignment: number): CuePlace | undefined {
  return alignment >= 9 ? 'middle' : alignment >= 5 ? 'top' : undefined;
}

/** @param from offset of the fields in the line */
function readDialogue(line: FileLine, from: number, context: AssFile, findings: CaptionFindings): FileCue | null {
  const { columns, places } = context;
  const fields = new Map<string, Range>();
  let at = from;
  for (const [index, column] of columns.entries()) {
    const comma = index === columns.length - 1 ? -1 : line.text.indexOf(',', at);
    const end = comma === -1 ? line.text.length : comma;
    const padding = /^\s*/.exec(line.text.slice(at, end))![0].length;
    fields.set(column, [line.start + at + (column === 'text' ? 0 : padding), line.start + end]);
    at = Math.min(line.text.length, end + 1);
  }
  const field = (name: string): string => {
    const [start, end] = fields.get(name) ?? [line.start, line.start];
    return line.text.slice(start - line.start, end - line.start).trimEnd();
  };
  const whole: Range = [line.start, line.end];
  const [start, end] = [readTime(field('start'), 'ass'), readTime(field('end'), 'ass')];
  const [startAt, endAt, textAt] = [fields.get('start'), fields.get('end'), fields.get('text')];
  if (start === null || end === null || startAt === undefined || endAt === undefined || textAt === undefined) {
    findings.drop(
      whole,
      'The times of a cue cannot be read',
      'Write 0:00:01.20,0:00:02.50; until then the cue is left out',
    );
    return null;
  }
  const times = checkTimes({ start, end, startAt, endAt }, findings);
  if (times === null) return null;
  if (!(start.isStrict && end.isStrict)) {
    findings.change(whole, 'Times are not written as ASS has them', 'Write 0:00:01.20');
  }
  if (field('effect') !== '') findings.change(whole, 'Effects are not shown', 'Set an animation in their "style"');
  const read = readText(field('text'), times, context, (change) => findings.change(whole, change.message, change.hint));
  if (read.text === '') {
    const [what, hint] = read.isDrawing
      ? ['draws shapes', 'Remove it']
      : ['has no text', 'Add a text, or remove the cue'];
    findings.change(whole, `A cue ${what}, and is not shown`, hint);
    return null;
  }
  const name = field('name') || field('actor');
  const place = read.place === null ? places.get(field('style').replace(/^\*/, '')) : read.place || undefined;
  return {
    start: times.start,
    end: times.end,
    text: read.text,
    ...defined({ words: read.words, speaker: name === '' ? undefined : name, place }),
    at: { start: startAt, end: endAt, text: textAt, cue: whole },
  };
}

interface AssText extends Pick<FileCue, 'text' | 'words'> {
  /** Empty for the bottom; null if the text does not say. */
  readonly place: CuePlace | '' | null;
  readonly isDrawing: boolean;
}

type ReportChange = (change: { readonly message: string; readonly hint: string }) => void;

function readText(
  written: string,
  times: Pick<FileCue, 'start' | 'end'>,
  { height }: AssFile,
  report: ReportChange,
): AssText {
  const passages: TimedText[] = [];
  let [text, from] = ['', null as number | null];
  let clock = times.start;
  let place: AssText['place'] = null;
  let [isDrawing, hasDrawing] = [false, false];
  for (const part of written.split(/(\{[^}]*\})/)) {
    if (!part.startsWith('{')) {
      if (!isDrawing) text += part.replaceAll('\\N', '\n').replaceAll('\\n', ' ').replaceAll('\\h', '\u00a0');
      continue;
    }
    for (const [tag, name = '', value = ''] of part.matchAll(
      /\\(\d?[a-zA-Z]+?)(-?[\d.&][^\\}]*|\([^)}]*\)|(?=[\\}]))/g,
    )) {
      if (/^(?:k|K|kf|ko)$/.test(name)) {
        passages.push({ text, from });
        [text, from] = ['', clock];
        clock = Math.min(times.end, clock + Number(value) / 100);
      } else if (name === 'an') place = placeOfNumpad(Number(value)) ?? '';
      else if (name === 'a') place = placeOfOldAlignment(Number(value)) ?? '';
      else if (name === 'p') {
        isDrawing = Number(value) > 0;
        hasDrawing ||= isDrawing;
      } else if (name === 'pos' || name === 'move') {
        const y = Number(value.slice(1, -1).split(',')[1]) / height;
        place ??= y < 1 / 3 ? 'top' : y < 2 / 3 ? 'middle' : '';
        report({ message: `The position of \\${name} is only kept as the upper, middle or lower part of the picture`, hint: 'Set the place in their "style"' }); // biome-ignore format: one line
      } else if (/^(?:i|b|u|s)$/.test(name)) report(MARKUP_CHANGES.emphasis);
      else
        report({
          message: `The override \\${name || tag.slice(1)} is not used`,
          hint: 'Set how captions look in their "style"',
        });
    }
  }
  // The last syllable ends with its own time, not with the cue.
  passages.push({ text, from });
  if (from !== null && clock < times.end) passages.push({ text: '', from: clock });
  const words = wordsOf(passages, times.start, times.end);
  const plain = tidyText(passages.map((passage) => passage.text).join(''));
  return { text: plain, ...defined({ words }), place, isDrawing: hasDrawing };
}
