import type { Cue } from '../../contract/captions/cue.ts';
import { canonicalJson, type Json, sha256 } from '../../kernel/digest.ts';

/** Maximum characters of the texts of captions that the lockfile keeps literally. */
const VERBATIM_LENGTH = 4_000;
/** Maximum cues that the lockfile keeps one by one. */
const MAX_CUES = 800;

/** A cue as a lock entry has it. */
export interface RecordedCue {
  /** Seconds. */
  readonly start: number;
  readonly end: number;
  /** On one line; a digest, as `#` and 8 digits, if the captions are too long. */
  readonly text: string;
}

/**
 * Describes cues in the lockfile's form: a line `start-end text` a cue, and a line with a digest of times of words, speakers and places if there
 * are any. Of long captions each text is a digest, and of very many cues all of them.
 */
export function describeCues(cues: readonly Cue[]): string {
  if (cues.length > MAX_CUES) return `sha256:${sha256(canonicalJson(cues as unknown as Json))}`;
  const texts = cues.map(({ text }) => text.replaceAll('\n', ' / '));
  const isLong = texts.reduce((sum, text) => sum + text.length, 0) > VERBATIM_LENGTH;
  const lines = cues.map(({ start, end }, index) => {
    const text = texts[index]!;
    return `${start}-${end} ${isLong ? `#${sha256(text).slice(0, 8)}` : text}`;
  });
  const details = cues.map(({ words, speaker, place }) => [words ?? null, speaker ?? null, place ?? null]);
  const hasDetails = details.some((values) => values.some((value) => value !== null));
  const digest = sha256(canonicalJson(details as unknown as Json)).slice(0, 8);
  return [...lines, ...(hasDetails ? [`# ${digest}`] : [])].join('\n');
}

/** Reads the result of `describeCues`. @returns null if the cues were not recorded one by one */
export function readCues(text: string): RecordedCue[] | null {
  if (text.startsWith('sha256:')) return null;
  return text.split('\n').flatMap((line): RecordedCue[] => {
    const [, start, end, words = ''] = /^([\d.]+)-([\d.]+) (.*)$/.exec(line) ?? [];
    return start === undefined ? [] : [{ start: Number(start), end: Number(end), text: words }];
  });
}

/** A cue before and after a change; null if it was added or removed. */
export interface CueChange {
  readonly before: RecordedCue | null;
  readonly after: RecordedCue | null;
}

/** Returns the cues that differ, in the order of their start. A cue with the same start or the same text as before was changed. */
export function compareCues(before: readonly RecordedCue[], after: readonly RecordedCue[]): CueChange[] {
  const changes: CueChange[] = [];
  let [removed, added] = [[...before], [...after]];
  const pair = (isSame: (old: RecordedCue, now: RecordedCue) => boolean, isChange: boolean): void => {
    const left: RecordedCue[] = [];
    for (const now of added) {
      const index = removed.findIndex((old) => isSame(old, now));
      if (index === -1) left.push(now);
      else {
        const [old] = removed.splice(index, 1);
        if (isChange) changes.push({ before: old!, after: now });
      }
    }
    added = left;
  };
  pair((old, now) => old.start === now.start && old.end === now.end && old.text === now.text, false);
  pair((old, now) => old.start === now.start, true);
  pair((old, now) => old.text === now.text, true);
  changes.push(...removed.map((old) => ({ before: old, after: null })));
  changes.push(...added.map((now) => ({ before: null, after: now })));
  const startOf = ({ before: old, after: now }: CueChange): number => (now ?? old)!.start;
  return changes.sort((a, b) => startOf(a) - startOf(b));
}
