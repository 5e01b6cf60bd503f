import type { Word } from '../../contract/captions/cue.ts';
import { readVtt } from '../../contract/captions/read-vtt.ts';
import { BRIDGED_PAUSE, type Speech } from '../../contract/wire/mapping.ts';
import { errorAt, failure, type Result, startOf } from '../../kernel/diagnostic.ts';
import { isRecord } from '../../kernel/json.ts';

/**
 * Reads the times of words: WebVTT, with the times of words in its cues if it has them, or JSON: a list of `{text, start, end}`, also as
 * `words` of an object.
 *
 * @param path decides the format by its ending
 * @returns the words in the order of their start, or every line that is wrong
 */
export function readWords(path: string, text: string): Result<Word[]> {
  return path.toLowerCase().endsWith('.vtt') ? readVttWords(path, text) : readJson(path, text);
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

/** A cue without times of words counts as one. What a cue looks like does not matter here. */
function readVttWords(path: string, text: string): Result<Word[]> {
  const { cues, diagnostics } = readVtt(path, text);
  const dropped = diagnostics.filter(({ code }) => code === 'cue_dropped');
  const problems = dropped.length > 0 ? dropped : diagnostics.filter(({ code }) => code === 'captions_invalid');
  if (problems.length > 0) {
    const hint = 'Write 00:00:01.200 --> 00:00:02.500';
    return { ok: false, diagnostics: problems.map(({ at, message }) => errorAt('words_invalid', at, message, hint)) };
  }
  const words = cues.flatMap(({ start, end, text: words, ...cue }) => {
    return cue.words ?? [{ text: words.replaceAll('\n', ' '), start, end }];
  });
  return { ok: true, value: sorted(words) };
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
