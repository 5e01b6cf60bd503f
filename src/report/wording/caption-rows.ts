import { writeTime } from '../../contract/captions/cue-time.ts';
import { type CueChange, compareCues, type RecordedCue, readCues } from '../../reconciler/lock/recorded-cues.ts';
import type { InputDocument } from '../../reconciler/plan/plan-document.ts';
import type { DiffRow } from './diff-row.ts';
import { countNoun } from './quantities.ts';

/** Cues that a plan shows of a video; the rest is counted. */
const MAX_CUES = 6;

/** Shows the cues that changed: `00:12.400: old → new`. */
export function captionRows({ before, after }: Pick<InputDocument, 'before' | 'after'>): DiffRow[] {
  const [was, is] = [before, after].map((text) => (text === null ? [] : readCues(text)));
  if (was === null || was === undefined || is === null || is === undefined) return [heading('changed')];
  const changes = compareCues(was, is);
  if (changes.length === 0) return [heading('times of words, speakers or places changed')];
  if (before === null) return [heading(`${countNoun(is.length, 'cue')} added`)];
  if (after === null) return [heading(`${countNoun(was.length, 'cue')} removed`)];
  const rest = changes.length - MAX_CUES;
  return [
    heading(`${countNoun(changes.length, 'cue')} changed`),
    ...changes.slice(0, MAX_CUES).map(cueRow),
    ...(rest > 0 ? [heading(`and ${countNoun(rest, 'more cue')}`)] : []),
  ];
}

/** Formats recorded cues: `3 cues`, or a digest if they were not recorded one by one. */
export function cuesWords(recorded: string): string {
  const cues = readCues(recorded);
  return cues === null ? recorded.replace(/^sha256:(.{8}).*$/, 'sha256 $1') : countNoun(cues.length, 'cue');
}

function heading(words: string): DiffRow {
  return { name: 'captions', subject: null, before: null, after: null, heading: words };
}

function cueRow({ before, after }: CueChange): DiffRow {
  const name = time((before ?? after)!.start);
  const isMoved = before !== null && after !== null && before.text === after.text;
  if (isMoved) {
    const show = (cue: RecordedCue) => ({ kind: 'name', name: `${time(cue.start)} to ${time(cue.end)}` }) as const;
    return { name, subject: null, before: show(before), after: show(after) };
  }
  const show = (cue: RecordedCue | null) => (cue === null ? null : ({ kind: 'text', text: cue.text } as const));
  return { name, subject: null, before: show(before), after: show(after) };
}

/** Formats a time without hours if there are none. */
function time(seconds: number): string {
  return writeTime(seconds, 'vtt', '00:00.000');
}
