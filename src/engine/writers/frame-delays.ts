import type { FrameRate } from '../frame-rate.ts';

/** When each frame begins, in whole ticks: rounded one by one, so that what is lost in one is not lost in the sum. */
export function tickOf(frame: number, { numerator, denominator }: FrameRate, ticksPerSecond: number): number {
  return Math.round((frame * denominator * ticksPerSecond) / numerator);
}

/** Browsers show what is to be shown for less for a tenth of a second. */
export const MIN_GIF_DELAY = 2;

/**
 * Whether a frame is shown in a GIF: not where the frame before would be on for less than 2 hundredths of a second.
 *
 * @param shownSince start of the frame that is on, in hundredths
 */
export function isShownInGif(frame: number, rate: FrameRate, shownSince: number): boolean {
  return tickOf(frame, rate, 100) - shownSince >= MIN_GIF_DELAY;
}
