import { frameRateOf } from '../../contract/timeline/frame-rate.ts';
import {
  divide,
  multiply,
  type Rational,
  rational,
  rationalOf,
  rationalRate,
  toNumber,
} from '../../contract/timeline/rational.ts';
import { isNatural, type TimeMap, templateTimeAt, timeMapFrom } from '../../contract/timeline/time-map.ts';
import type { LottieDocument, RenderInput } from '../../template/render-input.ts';
import { animationFramesPerFrame } from '../frame-rate.ts';
import type { ComposedInput, ShownScene } from './drawn-input.ts';

/** The time of a document at each frame of the input that shows it. */
export interface DocumentClock {
  /** Returns the frame of the document, counted from its first; may be a fraction. */
  timeAt(frame: number): number;
  /** Frames of the document for each frame of the input where it is not held, repeated or stretched. */
  readonly pace: number;
  /** First frame of the input that shows the document; frames before it show the same picture. */
  readonly first: number;
  /** The time passes evenly, at its pace, from the first frame of the input on. */
  readonly isEven: boolean;
}

/** Returns the clock of a document that is drawn at its own times. */
export function ownClock(input: Pick<RenderInput, 'animation' | 'fps'>): DocumentClock {
  const pace = animationFramesPerFrame(input);
  return { timeAt: (frame) => frame * pace, pace, first: 0, isEven: true };
}

/** Part of a frame that is left before the end of a document, which shows nothing from its end on. */
const BEFORE_END = 1 / 64;

/** Returns the clock of a scene. */
export function sceneClock(
  {
    map: json,
    frame: shownFirst,
    animation,
  }: Pick<ShownScene, 'map' | 'frame'> & { readonly animation: LottieDocument },
  { step: stepJson, fps }: Pick<ComposedInput, 'step' | 'fps'>,
): DocumentClock {
  const map = timeMapFrom(json);
  const step = rationalOf(stepJson);
  return {
    timeAt: sceneTimes({ map, frame: shownFirst, animation, step }),
    pace: animationFramesPerFrame({ animation, fps }),
    first: -shownFirst,
    isEven:
      shownFirst === 0 &&
      isNatural(map, divide(rationalRate(frameRateOf(animation.fr)), multiply(rationalRate(frameRateOf(fps)), step))),
  };
}

/** A scene whose times are asked for: the fields of a `ShownScene` and a `ComposedInput`, as fractions. */
interface TimedScene {
  readonly map: TimeMap;
  readonly frame: number;
  readonly animation: Pick<LottieDocument, 'ip' | 'op'>;
  readonly step: Rational;
}

/** Returns `timeAt` of a scene's clock. */
export function sceneTimes({ map, frame: shownFirst, animation, step }: TimedScene): DocumentClock['timeAt'] {
  const last = animation.op - animation.ip - BEFORE_END;
  return (frame) => {
    const time = multiply(rational(Math.max(0, shownFirst + frame)), step);
    return Math.min(last, toNumber(templateTimeAt(map, time)));
  };
}
