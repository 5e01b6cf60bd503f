import { shareJson } from '../../kernel/digest.ts';
import { remembered } from '../../kernel/memory.ts';
import type { FittedPlace } from './fit-places.ts';
import {
  add,
  ceiling,
  compare,
  divide,
  multiply,
  ONE,
  type Rational,
  type RationalJson,
  rational,
  rationalJson,
  rationalOf,
  subtract,
  ZERO,
} from './rational.ts';

/**
 * A stretch of a scene in which the time of its template passes evenly. Both ends are in frames of the timeline from the start of
 * the scene; `to` is excluded.
 */
export interface TimeSegment {
  readonly from: Rational;
  readonly to: Rational;
  /** Frame of the template at `from`. */
  readonly at: Rational;
  /** Frames of the template for each frame of the timeline; 0 where the picture is held. */
  readonly speed: Rational;
}

/** The template's time in a scene: adjacent segments from 0 to the length of the scene, none of them empty. */
export type TimeMap = readonly TimeSegment[];

/** A time map as JSON. */
export type TimeMapJson = readonly Readonly<Record<keyof TimeSegment, RationalJson>>[];

/** Returns a time map as JSON: the same object for the same map, which the scenes of many videos share. */
export const timeMapJson = remembered((map: TimeMap): TimeMapJson => {
  const json = map.map(({ from, to, at, speed }) => {
    return { at: rationalJson(at), from: rationalJson(from), speed: rationalJson(speed), to: rationalJson(to) };
  });
  return shareJson(json);
});

/** Returns the time map of its JSON. */
export function timeMapFrom(json: TimeMapJson): TimeMap {
  return json.map(({ from, to, at, speed }) => {
    return { from: rationalOf(from), to: rationalOf(to), at: rationalOf(at), speed: rationalOf(speed) };
  });
}

/** A half-open range of frames. */
export interface FrameSpan {
  readonly from: number;
  readonly to: number;
}

/**
 * Builds the map of a scene.
 *
 * @param ratio frames of the timeline for each frame of the template
 * @param length length of the scene in frames of the timeline; a template that goes on longer is cut there
 */
export function timeMapOf(fitted: readonly FittedPlace[], ratio: Rational, length: number): TimeMap {
  const natural = divide(ONE, ratio);
  const end = rational(length);
  const segments: TimeSegment[] = [];
  let [now, time] = [ZERO, ZERO];
  const pass = (frames: Rational, at: Rational, speed: Rational): void => {
    const to = compare(add(now, frames), end) > 0 ? end : add(now, frames);
    if (compare(to, now) > 0) segments.push({ from: now, to, at, speed });
    now = compare(to, now) > 0 ? to : now;
  };
  for (const { place, natural: frames, change, held, passes } of [...fitted].sort(inTime)) {
    if (change === 0) continue;
    const from = rational(place.from);
    pass(multiply(subtract(from, time), ratio), time, natural);
    time = rational(place.to);
    const moving = add(frames, rational(change - held));
    if (place.kind === 'hold') {
      pass(rational(change), from, ZERO);
    } else {
      const passFrames = divide(moving, rational(passes));
      const speed = divide(subtract(time, from), passFrames);
      for (let index = 0; index < passes; index++) pass(passFrames, from, speed);
      pass(rational(held), rational(place.to - 1), ZERO);
    }
  }
  pass(subtract(end, now), time, natural);
  return segments;
}

/**
 * Plays a map faster or slower.
 *
 * @param length length of the map
 * @param target its new length, at least 1
 */
export function scaleTimeMap(map: TimeMap, length: number, target: number): TimeMap {
  const factor = rational(target, length);
  return map.map(({ from, to, at, speed }) => {
    return { from: multiply(from, factor), to: multiply(to, factor), at, speed: divide(speed, factor) };
  });
}

/**
 * Returns the frame of the template at a time of the scene, which may be a fraction.
 *
 * @param time frames of the timeline from the start of the scene; from 0 up to its length, excluded
 */
export function templateTimeAt(map: TimeMap, time: Rational): Rational {
  const { from, at, speed } = map.find(({ to }) => compare(time, to) < 0) ?? map.at(-1)!;
  return add(at, multiply(subtract(time, from), speed));
}

/**
 * Returns whether a map shows a template from its first frame on without a change of speed.
 *
 * @param speed frames of the template for each frame of the timeline at their rates
 */
export function isNatural([first, second]: TimeMap, speed: Rational): boolean {
  if (first === undefined || second !== undefined) return false;
  return [first.from, first.at].every((time) => compare(time, ZERO) === 0) && compare(first.speed, speed) === 0;
}

/**
 * Returns the frames that show a range of the template's time: the inverse of the map. A loop shows it in each pass.
 *
 * @param from first frame of the template, which may be a fraction
 * @param to frame of the template after the range
 * @param step time between two frames, in frames of the timeline; an output of another rate has another step than 1
 * @returns ascending, not adjacent
 */
export function framesShowing(map: TimeMap, from: Rational, to: Rational, step: Rational = ONE): FrameSpan[] {
  const spans: FrameSpan[] = [];
  for (const segment of map) {
    const [start, end] = showing(segment, from, to);
    const span = { from: ceiling(divide(start, step)), to: ceiling(divide(end, step)) };
    if (span.from >= span.to) continue;
    const previous = spans.at(-1);
    if (previous?.to === span.from) spans[spans.length - 1] = { from: previous.from, to: span.to };
    else spans.push(span);
  }
  return spans;
}

/** Returns the times of a segment at which it shows a range; empty if the second is not above the first. */
function showing({ from, to, at, speed }: TimeSegment, first: Rational, end: Rational): [Rational, Rational] {
  if (compare(speed, ZERO) === 0) {
    return compare(at, first) >= 0 && compare(at, end) < 0 ? [from, to] : [from, from];
  }
  const timeOf = (time: Rational): Rational => add(from, divide(subtract(time, at), speed));
  const [start, stop] = [timeOf(first), timeOf(end)];
  return [compare(start, from) > 0 ? start : from, compare(stop, to) < 0 ? stop : to];
}

/** Orders places by their position. A hold on the first edge of another place comes before it, one on the last edge after it. */
function inTime(a: FittedPlace, b: FittedPlace): number {
  return a.place.from - b.place.from || a.place.to - b.place.to;
}
