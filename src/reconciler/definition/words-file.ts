import type { Word } from '../../contract/captions/cue.ts';
import { BRIDGED_PAUSE, type Speech } from '../../contract/wire/mapping.ts';
import { errorAt, failure, type Result, type Span, startOf } from '../../kernel/diagnostic.ts';
import { isRecord } from '../../kernel/json.ts';

/**
 * Reads the times of words: WebVTT, with the times of words in its cues if it has them, or JSON: a list of `{text, start, end}`, also as
 * `words` of an object.
 *
 * @param path decides the format by its ending
 * @returns the words in the order of their start, or every line that is wrong
 * @see https://www.w3.org/TR/webvtt1/#webvtt-timestamp
 */
export function readWords(path: string, text: string): Result<Word[]> {
  return path.toLowerCase().endsWith('.vtt') ? readVtt(path, text) : readJson(path, text);
}

/** Returns where words are spoken, without the pauses that a sound lowered under them would not follow. */
export function speechOf(words: readonly Word[]): Speech {
  const spans: [from: number, to: number][] = [];
  for (const { start, end } of words) {
    const last = spans.at(-1);
    if (last !== undefined && start - last[1] < BRIDGED_PAUSE) last[1] = Math.max(last[1], end);
    else spans.push([start, end]);
  }
  return spans;
}

const TIME = /(?:(\d{2,}):)?([0-5]\d):([0-5]\d[.,]\d{3})/;
const CUE = new RegExp(`^\\s*${TIME.source}\\s+-->\\s+${TIME.source}(?:\\s.*)?$`);
const INNER = new RegExp(`<${TIME.source}>`);

function readVtt(path: string, text: string): Result<Word[]> {
  const problems: ReturnType<typeof errorAt>[] = [];
  const words: Word[] = [];
  const lines = linesOf(path, text);
  for (let index = 0; index < lines.length; index++) {
    const { text: line, at } = lines[index]!;
    if (!line.includes('-->')) continue;
    const times = CUE.exec(line);
    const [start, end] = times === null ? [0, 0] : [secondsOf(times.slice(1, 4)), secondsOf(times.slice(4, 7))];
    if (times === null) problems.push(invalid(at, 'The times of a cue cannot be read'));
    else if (start >= end) problems.push(invalid(at, 'A cue ends before it starts'));
    const spoken: string[] = [];
    while (index + 1 < lines.length && lines[index + 1]!.text.trim() !== '') spoken.push(lines[++index]!.text);
    words.push(...wordsOfCue(spoken.join(' '), start, end));
  }
  if (words.length === 0 && problems.length === 0) problems.push(invalid(lines[0]!.at, 'The file has no cues'));
  return problems.length > 0 ? { ok: false, diagnostics: problems } : { ok: true, value: sorted(words) };
}

/** Splits a cue at the times in it. */
function wordsOfCue(cue: string, start: number, end: number): Word[] {
  const parts = cue.split(INNER);
  const words: Word[] = [];
  let from = start;
  // Text, hours, minutes, seconds, text …
  for (let part = 0; part < parts.length; part += 4) {
    const next = parts.slice(part + 1, part + 4);
    const to = next.length === 3 ? secondsOf(next) : end;
    const text = (parts[part] ?? '').replaceAll(/<[^>]*>/g, '').trim();
    if (text !== '' && from < to) words.push({ text, start: from, end: to });
    from = to;
  }
  return words;
}

function readJson(path: string, text: string): Result<Word[]> {
  const start = startOf(path);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return failure('words_invalid', start, `${path} is not JSON: ${(error as Error).message}`, HINT);
  }
  const list = isRecord(json) ? json.words : json;
  if (!Array.isArray(list)) return failure('words_invalid', start, `${path} has no list of words`, HINT);
  const wrong = list.findIndex((word) => !isWord(word));
  if (wrong !== -1) return failure('words_invalid', start, `Word ${wrong + 1} of ${path} is not valid`, HINT);
  return { ok: true, value: sorted(list as Word[]) };
}

const HINT = 'Write a list of {"text": "Hello", "start": 0.2, "end": 0.6}, in seconds, or a WebVTT file';

function isWord(value: unknown): value is Word {
  if (!isRecord(value)) return false;
  const { text, start, end } = value;
  return typeof text === 'string' && typeof start === 'number' && typeof end === 'number' && start >= 0 && start < end;
}

function sorted(words: readonly Word[]): Word[] {
  return words.map(({ text, start, end }) => ({ text, start, end })).sort((a, b) => a.start - b.start);
}

function secondsOf([hours, minutes, seconds]: readonly (string | undefined)[]): number {
  return Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(seconds!.replace(',', '.'));
}

function linesOf(file: string, text: string): { readonly text: string; readonly at: Span }[] {
  return [...text.matchAll(/[^\r\n]*(?:\r\n|\n|\r|$)/g)].map(({ 0: line, index }) => {
    const words = line.replace(/[\r\n]+$/, '');
    return { text: words, at: { file, start: index, end: index + words.length } };
  });
}

function invalid(at: Span, message: string): ReturnType<typeof errorAt> {
  return errorAt('words_invalid', at, message, 'Write 00:00:01.200 --> 00:00:02.500');
}
