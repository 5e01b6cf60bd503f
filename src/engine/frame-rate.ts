import { type FrameRate, frameRateOf } from '../contract/timeline/frame-rate.ts';
import type { RenderInput } from '../template/render-input.ts';

/** Consecutive frames from `first` up to, but excluding, `end`. */
export interface FrameRange {
  readonly first: number;
  readonly end: number;
}

/** Returns the start of a frame, in seconds from the start of the video. */
export function frameTimeSeconds(rate: FrameRate, frame: number): number {
  return (frame * rate.denominator) / rate.numerator;
}

/** Returns the animation frames per video frame; exact for fractional rates such as 30000/1001. */
export function animationFramesPerFrame({ animation, fps }: Pick<RenderInput, 'animation' | 'fps'>): number {
  if (animation.fr === fps) return 1;
  const animationRate = frameRateOf(animation.fr);
  const videoRate = frameRateOf(fps);
  return (animationRate.numerator * videoRate.denominator) / (animationRate.denominator * videoRate.numerator);
}

/** Returns the start of a frame in whole ticks. Each start is rounded separately, so that rounding errors do not add up. */
export function tickOf(frame: number, { numerator, denominator }: FrameRate, ticksPerSecond: number): number {
  return Math.round((frame * denominator * ticksPerSecond) / numerator);
}

/** Shortest delay in hundredths of a second that browsers respect; they replace shorter ones by a tenth of a second. */
const MIN_GIF_DELAY = 2;

/**
 * Returns whether a GIF contains a frame. A frame is omitted if it would end the previous frame before the shortest delay.
 *
 * @param shownSince start of the previous frame, in hundredths of a second
 */
export function isShownInGif(frame: number, rate: FrameRate, shownSince: number): boolean {
  return tickOf(frame, rate, 100) - shownSince >= MIN_GIF_DELAY;
}
