import { frameRateOf } from '../../contract/timeline/frame-rate.ts';
import {
  add,
  compare,
  divide,
  multiply,
  nearest,
  type Rational,
  rational,
  rationalRate,
  subtract,
  ZERO,
} from '../../contract/timeline/rational.ts';
import { outputFrameOf } from '../../contract/timeline/resolve-timeline.ts';
import type { TimeMap } from '../../contract/timeline/time-map.ts';
import type { Timeline } from '../../contract/timeline/timeline.ts';
import { Memory } from '../../kernel/memory.ts';
import type { InputFile, Still } from '../render-input.ts';

/** Stills of a video of several scenes, at most. */
export const MAX_STILLS = 20;

const known = new Memory<readonly Still[]>();

/**
 * Returns the stills of a scene, named `<scene>.<stillcut>`: the first frame of the output that shows the frame of the template and
 * that no transition covers. A still that is seen in transitions only is the first of those frames; a still that the scene never
 * shows is left out.
 *
 * @param stills at frames of the template
 */
export function sceneStills(
  timeline: Timeline,
  index: number,
  stills: readonly Still[],
  file: Pick<InputFile, 'fps' | 'frameCount'>,
): readonly Still[] {
  if (stills.length === 0) return [];
  const { fps, frameCount } = file;
  const named = stills.map(({ name, frame }) => `${name} ${frame}`);
  return known.of(timeline, `${index} ${fps} ${frameCount} ${named.join()}`, () =>
    shownStills(timeline, index, stills, file),
  );
}

function shownStills(
  timeline: Timeline,
  index: number,
  stills: readonly Still[],
  { fps, frameCount }: Pick<InputFile, 'fps' | 'frameCount'>,
): Still[] {
  const scene = timeline.scenes[index]!;
  const next = timeline.scenes[index + 1];
  const outputRate = frameRateOf(fps);
  const firstOf = (frame: number): number => outputFrameOf(frame, timeline.rate, outputRate);
  const step = divide(rationalRate(outputRate), rationalRate(timeline.rate));
  const first = firstOf(scene.start);
  const end = Math.min(frameCount, firstOf(scene.start + scene.length));
  const covering = [scene.transition, next?.transition ?? null].filter((transition) => transition !== null);
  const isCovered = (frame: number): boolean => {
    // In frames of the timeline from the start of the scene, as frames are drawn.
    const time = divide(rational(frame - first), step);
    return covering.some(({ from, frames }) => {
      const start = rational(from - scene.start);
      return compare(time, start) >= 0 && compare(time, add(start, rational(frames))) < 0;
    });
  };
  return stills.flatMap(({ name, frame }) => {
    const shown = occurrences(scene.map, rational(frame)).flatMap(([from, to]) => {
      const start = Math.min(end - 1, first + nearest(multiply(from, step)));
      const stop = Math.max(start + 1, Math.min(end, first + nearest(multiply(to, step))));
      return Array.from({ length: stop - start }, (_, at) => start + at);
    });
    const still = shown.find((candidate) => candidate >= first && !isCovered(candidate)) ?? shown[0];
    return still === undefined || end <= first ? [] : [{ name: `${scene.id}.${name}`, frame: still }];
  });
}

/** Returns the times of a scene at which it shows a frame of its template, with equal ends for a moment. */
function occurrences(map: TimeMap, frame: Rational): [from: Rational, to: Rational][] {
  return map.flatMap(({ from, to, at, speed }): [Rational, Rational][] => {
    if (compare(speed, ZERO) === 0) return compare(at, frame) === 0 ? [[from, to]] : [];
    const time = add(from, divide(subtract(frame, at), speed));
    return compare(time, from) >= 0 && compare(time, to) < 0 ? [[time, time]] : [];
  });
}
