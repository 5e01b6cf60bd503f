import { divide, rational, rationalRate, toNumber } from '../../contract/timeline/rational.ts';
import type { PlaceReason, SceneReason, Timeline } from '../../contract/timeline/timeline.ts';
import type { SceneDocument } from '../../reconciler/plan/plan-document.ts';

/** Frames as seconds in words: `6.3 s`. */
type Seconds = (frames: number) => string;

function secondsOf({ rate }: Pick<Timeline, 'rate'>): Seconds {
  return (frames) => `${Number(toNumber(divide(rational(frames), rationalRate(rate))).toFixed(2))} s`;
}

/** `4.0 s`: seconds with the digits that they have, at least one. */
export function sceneSeconds(seconds: number): string {
  const text = String(Number(seconds.toFixed(2)));
  return `${text.includes('.') ? text : `${text}.0`} s`;
}

/** Says how a scene differs from the last rendering: `4.0 s → 6.8 s, its voice is longer`. Empty if only its values do. */
export function sceneChangeWords({ difference, length, before, rule, item }: SceneDocument): string {
  const known = length === null ? 'length not known' : sceneSeconds(length);
  switch (difference) {
    case 'added':
      return `added, ${known}`;
    case 'removed':
      return before === null ? 'removed' : `removed, ${sceneSeconds(before)}`;
    default: {
      const moved = difference === 'moved' ? 'moved' : '';
      if (before === null || length === null || before === length) return moved;
      const comparison = length > before ? 'longer' : 'shorter';
      const cause = rule === 'content' ? [`its ${item} is ${comparison}`] : [];
      return [`${sceneSeconds(before)} → ${sceneSeconds(length)}`, ...cause, ...(moved === '' ? [] : [moved])].join(
        ', ',
      );
    }
  }
}

/** Says which rule decided the length of a scene: `as long as its voice, 6.3 s, and 0.5 s after it`. */
export function lengthWords({ length, shortened }: SceneReason, timeline: Pick<Timeline, 'rate'>): string {
  const seconds = secondsOf(timeline);
  const cut = shortened === undefined ? '' : `, ${seconds(shortened.frames)} ${CUT_WORDS[shortened.by]}`;
  switch (length.rule) {
    case 'natural':
      return 'as designed';
    case 'seconds':
      return `set to ${Number(length.seconds.toFixed(3))} s${cut}`;
    case 'fill':
      return `what is left of ${seconds(length.duration)}${cut}`;
    case 'content_empty':
      return 'as designed, because it has no content';
    case 'content': {
      const tail = length.tail === 0 ? '' : `, and ${seconds(length.tail)} after it`;
      const limit = length.limit === undefined ? '' : `, ${LIMIT_WORDS[length.limit]}`;
      return `as long as its ${length.item}, ${seconds(length.end)}${tail}${limit}${cut}`;
    }
  }
}

/** Says why a scene has its longest length: the length of the track is not known that decides it. */
export function estimateWords({ length }: SceneReason): string {
  const item = length.rule === 'content' ? length.item : 'content';
  return `at most, because the length of its ${item} is not known yet`;
}

const CUT_WORDS = { cut: 'are left out at the end', speed: 'are saved by a faster picture' } as const;

const LIMIT_WORDS = {
  min: 'but at least `min`',
  max: 'but at most `max`',
  template_min: 'but its template cannot be shorter',
  template_max: 'but its template cannot be longer',
  loop: 'up to the next length that its loop can have',
} as const;

/**
 * Says how the places of a template changed: `holds its picture at 3.1 s for 2.8 s`.
 *
 * @param templateRate frames per second, in which the positions of places are counted
 */
export function placeWords(
  { kind, from, to, change, held, passes }: PlaceReason,
  timeline: Pick<Timeline, 'rate'>,
  templateRate: Timeline['rate'],
): string {
  const seconds = secondsOf(timeline);
  const at = secondsOf({ rate: templateRate });
  const by = `${seconds(Math.abs(change))} ${change < 0 ? 'shorter' : 'longer'}`;
  switch (kind) {
    case 'hold':
      return `holds its picture at ${at(from)} for ${seconds(change)}`;
    case 'loop': {
      const rest = held === 0 ? '' : `, the last ${seconds(held)} of it on its last picture`;
      return `plays ${at(from)} to ${at(to)} ${passes === 1 ? 'once' : `${passes} times`}, ${by}${rest}`;
    }
    case 'stretch':
      return `plays ${at(from)} to ${at(to)} ${change < 0 ? 'faster' : 'slower'}, ${by}`;
  }
}
