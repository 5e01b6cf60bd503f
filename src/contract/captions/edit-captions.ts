import { defined } from '../../kernel/defined.ts';
import { type CaptionFormat, captionFormat, type FileCue } from './caption-file.ts';
import type { Cue, Word } from './cue.ts';
import { TIME, writeTime } from './cue-time.ts';
import type { Range } from './file-lines.ts';
import { readCaptions } from './read-captions.ts';
import { vttText } from './write-captions.ts';

/** A change of a file of captions. Cues count from 0 in the order of their start, as `readCaptions` returns them. */
export type CueEdit =
  | {
      readonly kind: 'change';
      readonly index: number;
      readonly start?: number;
      readonly end?: number;
      readonly text?: string;
    }
  | { readonly kind: 'remove'; readonly index: number }
  /** `after`: index of the cue that it follows in the file; -1 for the start. */
  | { readonly kind: 'add'; readonly after: number; readonly cue: Pick<Cue, 'start' | 'end' | 'text'> };

interface Replacement {
  readonly at: Range;
  readonly text: string;
}

/**
 * Changes cues of a WebVTT, SubRip or ASS file. All other bytes of the file stay the same, such as comments, styles, settings, numbers
 * of cues and line breaks. A cue that is moved takes the times of its words along; a text with as many words as before keeps
 * them.
 *
 * @param path decides the format, as for `readCaptions`
 * @throws RangeError for a cue that does not exist
 */
export function editCaptions(path: string, text: string, edits: readonly CueEdit[]): string {
  const format = captionFormat(path) ?? 'srt';
  const { cues } = readCaptions(path, text, format);
  const cueAt = (index: number): FileCue => {
    const cue = cues[index];
    if (cue === undefined) throw new RangeError(`There is no cue ${index}`);
    return cue;
  };
  const lineBreak = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n';
  const file = { text, format, lineBreak };
  const replacements = edits.flatMap((edit): Replacement[] => {
    if (edit.kind === 'change') return changeCue(cueAt(edit.index), edit, file);
    if (edit.kind === 'remove') return [{ at: withBreaks(text, cueAt(edit.index).at.cue, format), text: '' }];
    return [addCue(edit.after === -1 ? null : cueAt(edit.after), edit.cue, file, cues)];
  });
  replacements.sort((a, b) => b.at[0] - a.at[0]);
  return replacements.reduce((edited, { at, text: by }) => edited.slice(0, at[0]) + by + edited.slice(at[1]), text);
}

interface EditedFile {
  readonly text: string;
  readonly format: CaptionFormat;
  readonly lineBreak: string;
}

function changeCue(
  cue: FileCue,
  {
    start = cue.start,
    end = cue.end,
    text,
  }: { readonly start?: number; readonly end?: number; readonly text?: string },
  { text: file, format, lineBreak }: EditedFile,
): Replacement[] {
  const replacements: Replacement[] = [];
  const retime = (at: Range, from: number, to: number): void => {
    if (from !== to) replacements.push({ at, text: writeTime(to, format, file.slice(...at)) });
  };
  retime(cue.at.start, cue.start, start);
  retime(cue.at.end, cue.end, end);
  const written = file.slice(...cue.at.text);
  const moved = start - cue.start;
  const isMoved = moved !== 0 && Math.abs(end - cue.end - moved) < 1e-6;
  const words = isMoved
    ? cue.words?.map((word) => ({ ...word, start: word.start + moved, end: word.end + moved }))
    : cue.words;
  if (text !== undefined && text !== cue.text) {
    const { speaker: _speaker, place: _place, at: _at, words: _words, ...rest } = cue;
    const kept = wordsWithTexts(words, text);
    const by = writeText({ ...rest, start, end, text, ...defined({ words: kept }) }, written, format);
    replacements.push({ at: cue.at.text, text: by.replaceAll('\n', lineBreak) });
  } else if (isMoved && format !== 'ass') {
    const by = written.replaceAll(STAMPS, (_whole, time: string) => `<${shiftTime(time, moved, format)}>`);
    if (by !== written) replacements.push({ at: cue.at.text, text: by });
  }
  return replacements;
}

const STAMPS = new RegExp(`<(${TIME.source})>`, 'g');

function shiftTime(time: string, by: number, format: Exclude<CaptionFormat, 'ass'>): string {
  const seconds = time.split(':').reduce((sum, part) => sum * 60 + Number(part.replace(',', '.')), 0);
  return writeTime(Math.max(0, seconds + by), format, time);
}

/** Returns the times of words for a text with as many words; undefined for another number. */
function wordsWithTexts(words: readonly Word[] | undefined, text: string): Word[] | undefined {
  const texts = text.split(/\s+/).filter((word) => word !== '');
  return words?.length === texts.length ? words.map((word, index) => ({ ...word, text: texts[index]! })) : undefined;
}

/** Writes a text with what the old text starts with: its speaker, or its place. */
function writeText(cue: Cue, old: string, format: CaptionFormat): string {
  const text = cue.text.split('\n').filter((line) => line.trim() !== '').join('\n'); // biome-ignore format: one line
  switch (format) {
    case 'vtt':
      return (/^(?:<v[^>]*>)?/.exec(old)?.[0] ?? '') + vttText({ ...cue, text });
    case 'srt':
      return (/^(?:\{\\an[1-9]\})?/.exec(old)?.[0] ?? '') + text;
    case 'ass': {
      const overrides = (/^(?:\{[^}]*\})*/.exec(old)?.[0] ?? '')
        .replaceAll(/\\(?:kf|ko|k|K)\d+/g, '')
        .replaceAll('{}', '');
      return overrides + text.replaceAll('{', '\\{').replaceAll('\n', '\\N');
    }
  }
}

/** Adds the line breaks after a cue to its range: all of those that separate it from the next cue. */
function withBreaks(text: string, [start, end]: Range, format: CaptionFormat): Range {
  const breaks = format === 'ass' ? /^(?:\r\n|\n|\r)/ : /^(?:\r\n|\n|\r)+/;
  return [start, end + (breaks.exec(text.slice(end))?.[0].length ?? 0)];
}

function addCue(
  after: FileCue | null,
  cue: Pick<Cue, 'start' | 'end' | 'text'>,
  { text, format, lineBreak }: EditedFile,
  cues: readonly FileCue[],
): Replacement {
  const neighbour = after ?? [...cues].sort((a, b) => a.at.cue[0] - b.at.cue[0])[0];
  const at = after?.at.cue[1] ?? neighbour?.at.cue[0] ?? text.length;
  const block = writeBlock(cue, neighbour, { text, format });
  const gap = format === 'ass' ? '\n' : '\n\n';
  const added = after === null && neighbour !== undefined ? `${block}${gap}` : `${gap}${block}`;
  return { at: [at, at], text: added.replaceAll('\n', lineBreak) };
}

function writeBlock(
  cue: Pick<Cue, 'start' | 'end' | 'text'>,
  neighbour: FileCue | undefined,
  { text: file, format }: Pick<EditedFile, 'text' | 'format'>,
): string {
  const like = neighbour === undefined ? undefined : file.slice(...neighbour.at.start);
  const time = (seconds: number): string => writeTime(seconds, format, like);
  const text = writeText(cue, '', format);
  if (format !== 'ass' || neighbour === undefined) {
    const number = format === 'srt' ? `${numberAfter(neighbour, file)}\n` : '';
    return `${number}${time(cue.start)} --> ${time(cue.end)}\n${text}`;
  }
  // The other fields are those of its neighbour.
  const { cue: whole, start, end, text: oldText } = neighbour.at;
  const parts = [file.slice(whole[0], start[0]), file.slice(start[1], end[0]), file.slice(end[1], oldText[0])];
  return `${parts[0]}${time(cue.start)}${parts[1]}${time(cue.end)}${parts[2]}${text}`;
}

function numberAfter(neighbour: FileCue | undefined, file: string): number {
  const number = neighbour === undefined ? 0 : Number.parseInt(file.slice(...neighbour.at.cue), 10);
  return Number.isNaN(number) ? 1 : number + 1;
}
