import type { CueChange } from '../../edit-protocol.ts';
import type { CueBlock } from '../../timeline-protocol.ts';

/** Times of a cue in seconds of the video. */
export interface CueTimes {
  readonly start: number;
  readonly end: number;
}

/** What a drag changes: both times, or one of them. */
export type CueEdge = 'both' | 'start' | 'end';

/** Returns the times of a cue in the video. */
export function timesOf({ origin, start, end }: CueBlock): CueTimes {
  return { start: origin + start, end: origin + end };
}

/** Moves a cue or one of its ends to whole frames, inside its scene or video and at least a frame long. @param by seconds */
export function draggedTimes(cue: CueBlock, edge: CueEdge, by: number, fps: number): CueTimes {
  const { origin, limit } = cue;
  const { start, end } = timesOf(cue);
  const snapped = (seconds: number): number => Math.round(seconds * fps) / fps;
  const frame = 1 / fps;
  if (edge === 'start') return { start: Math.max(origin, Math.min(snapped(start + by), snapped(end) - frame)), end };
  if (edge === 'end') return { start, end: Math.min(limit, Math.max(snapped(end + by), snapped(start) + frame)) };
  const length = end - start;
  const moved = Math.max(origin, Math.min(snapped(start + by), limit - length));
  return { start: moved, end: moved + length };
}

/** Returns the change that gives a cue other times of the video; null if they are the same. */
export function timeChange(cue: CueBlock, { start, end }: CueTimes): CueChange | null {
  const [from, to] = [milliseconds(start - cue.origin), milliseconds(end - cue.origin)];
  const changed = { ...(from !== cue.start && { start: from }), ...(to !== cue.end && { end: to }) };
  if (Object.keys(changed).length === 0) return null;
  return { kind: 'change', position: cue.at!.position, ...changed };
}

/**
 * Returns the changes that split a cue.
 *
 * @param at characters of the text that stay in the first part
 * @param seconds of the video at which the second part starts; by the share of the text if it is not inside the cue
 * @returns null if a part would be empty
 */
export function splitChanges(cue: CueBlock, at: number, seconds: number, fps: number): CueChange[] | null {
  const [before, after] = [cue.text.slice(0, at).trim(), cue.text.slice(at).trim()];
  if (before === '' || after === '') return null;
  const wanted = seconds - cue.origin;
  const share = cue.start + ((cue.end - cue.start) * before.length) / (before.length + after.length);
  const isInside = wanted > cue.start + 0.5 / fps && wanted < cue.end - 0.5 / fps;
  const cut = milliseconds(isInside ? wanted : Math.round((share + cue.origin) * fps) / fps - cue.origin);
  if (cut <= cue.start || cut >= cue.end) return null;
  const { position } = cue.at!;
  return [
    { kind: 'change', position, end: cut, text: before },
    { kind: 'add', after: position, start: cut, end: cue.end, text: after },
  ];
}

/** Returns the changes that join two cues of a file. */
export function joinChanges(first: CueBlock, second: CueBlock): CueChange[] {
  return [
    { kind: 'change', position: first.at!.position, end: second.end, text: `${first.text}\n${second.text}` },
    { kind: 'remove', position: second.at!.position },
  ];
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
