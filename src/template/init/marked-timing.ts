import { frameRateOf } from '../../contract/timeline/frame-rate.ts';
import { checkPlaces, MAX_PLACES, type Place } from '../../contract/timeline/place.ts';
import { isRecord } from '../../kernel/json.ts';
import type { LottieDocument } from '../render-input.ts';
import type { InitNote } from './editable-targets.ts';

const KIND = /^(hold|loop|stretch)(?:[ _-]?\d+)?$/i;

/**
 * Reads the composition markers `hold`, `loop` and `stretch`, also with a number such as `loop 2`. A loop and a stretch are as long
 * as their marker.
 *
 * @returns places in order of time, with a note for each marker that gives no place
 */
export function markedTiming({ markers, ip, op, fr }: LottieDocument): { places: Place[]; notes: InitNote[] } {
  const frames = Math.round(op - ip);
  const rate = frameRateOf(fr);
  const secondsOf = (frame: number): number => Number(((frame * rate.denominator) / rate.numerator).toFixed(3));
  const places: Place[] = [];
  const notes: InitNote[] = [];
  const marked = (Array.isArray(markers) ? markers : []).flatMap((marker: unknown) => {
    const kind = isRecord(marker) ? KIND.exec(nameOf(marker.cm))?.[1]?.toLowerCase() : undefined;
    if (kind === undefined || !isRecord(marker) || typeof marker.tm !== 'number') return [];
    const from = Math.round(marker.tm - ip);
    const length = typeof marker.dr === 'number' ? Math.round(marker.dr) : 0;
    return [{ kind, from, to: from + length }];
  });
  for (const { kind, from, to } of marked.sort((a, b) => a.from - b.from)) {
    const place: Place =
      kind === 'hold' ? { hold: from } : kind === 'loop' ? { loop: [from, to] } : { stretch: [from, to] };
    const problem = checkPlaces([...places, place], frames).at(-1);
    if (problem === undefined && places.length < MAX_PLACES) {
      places.push(place);
      continue;
    }
    const reason =
      problem === undefined
        ? `a template has at most ${MAX_PLACES} places`
        : problem.code === 'places_overlap'
          ? 'it overlaps an earlier place'
          : to === from && kind !== 'hold'
            ? 'it has no duration'
            : 'it lies outside of the animation';
    notes.push({
      kind: 'skipped',
      message: `The marker ${kind} at ${secondsOf(from)} s is not a place of timing: ${reason}`,
    });
  }
  return { places, notes };
}

/** Returns the name of a marker: its comment, or the name in a comment that is JSON. Exporters add line breaks. */
function nameOf(comment: unknown): string {
  const text = typeof comment === 'string' ? comment.trim() : '';
  if (!text.startsWith('{')) return text;
  try {
    // Line breaks in strings are not valid JSON, and those between fields mean nothing.
    const value: unknown = JSON.parse(text.replaceAll(/[\r\n]+/g, ' '));
    return isRecord(value) && typeof value.name === 'string' ? value.name.trim() : '';
  } catch {
    return '';
  }
}
