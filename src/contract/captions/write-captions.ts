import type { Cue, Word } from './cue.ts';
import { writeTime } from './cue-time.ts';

export const SIDECAR_FORMATS = ['vtt', 'srt'] as const;
export type SidecarFormat = (typeof SIDECAR_FORMATS)[number];

/** Writes cues as a file. Times are rounded to milliseconds. */
export function writeCaptions(cues: readonly Cue[], format: SidecarFormat): string {
  return format === 'vtt' ? writeVtt(cues) : writeSrt(cues);
}

/**
 * Writes WebVTT, with the times of words inside their cues.
 *
 * @see https://www.w3.org/TR/webvtt1/#syntax
 */
export function writeVtt(cues: readonly Cue[]): string {
  const blocks = cues.map(({ start, end, place, ...cue }) => {
    const setting = place === undefined ? '' : ` line:${place === 'top' ? '0' : '50%'}`;
    return `${writeTime(start, 'vtt')} --> ${writeTime(end, 'vtt')}${setting}\n${vttText({ start, end, ...cue })}\n`;
  });
  return ['WEBVTT\n', ...blocks].join('\n');
}

/** Returns the text of a cue in WebVTT. */
export function vttText({ text, words, start, end, speaker }: Cue): string {
  const timed = words === undefined ? escapeVtt(text) : textWithTimes(text, words, start, end);
  if (speaker === undefined) return timed;
  const name = escapeVtt(speaker.replaceAll('\n', ' '));
  // With the bracket, hyphens would be the arrow of a line with times.
  return `<v ${name}${name.endsWith('--') ? ' ' : ''}>${timed}`;
}

/** A time follows a word only if there is a pause before the next, or before the end of the cue. */
function textWithTimes(text: string, words: readonly Word[], start: number, end: number): string {
  let written = '';
  let [at, clock] = [0, -1];
  const stamp = (time: number): void => {
    if (milliseconds(time) === clock) return;
    clock = milliseconds(time);
    written += `<${writeTime(time, 'vtt')}>`;
  };
  // The start of the cue needs no time, except beside a word that is all of it.
  if (words.length > 1) clock = milliseconds(start);
  for (const [index, word] of words.entries()) {
    const found = findWord(text, word.text, at);
    // A word that the text does not contain has no place in it.
    if (found === null) continue;
    written += escapeVtt(text.slice(at, found[0]));
    stamp(word.start);
    written += escapeVtt(text.slice(...found));
    at = found[1];
    if (milliseconds(word.end) < milliseconds(words[index + 1]?.start ?? end)) stamp(word.end);
  }
  return written + escapeVtt(text.slice(at));
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000);
}

/** Finds a word in a text from an offset on, in which line feeds stand for its spaces. */
function findWord(text: string, word: string, from: number): [start: number, end: number] | null {
  const at = text.replaceAll('\n', ' ').indexOf(word, from);
  return at === -1 ? null : [at, at + word.length];
}

function escapeVtt(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Writes SubRip, which has no speakers and no times of words. */
export function writeSrt(cues: readonly Cue[]): string {
  const blocks = cues.map(({ start, end, text, place }, index) => {
    const alignment = place === undefined ? '' : place === 'top' ? '{\\an8}' : '{\\an5}';
    return `${index + 1}\n${writeTime(start, 'srt')} --> ${writeTime(end, 'srt')}\n${alignment}${text}\n`;
  });
  return blocks.join('\n');
}
