import { PEAK_REACH, TruePeakDetector } from './true-peak.ts';

/** Samples between detecting a peak and reaching it: 5 ms at 48 kHz. */
const LOOK_AHEAD = 240;
/** Share of the remaining way to full gain that is recovered per sample: nine tenths in about 100 ms. */
const RELEASE = 0.00048;

/** What a limiter limits: the samples, or also the peaks between them. */
export type LimitedPeaks = 'samples' | 'between samples';

/**
 * Limits sound to a ceiling: attenuates smoothly from 5 ms before a peak and recovers within a tenth of a second. Sound within the
 * ceiling is unchanged.
 */
export class PeakLimiter {
  readonly #ceiling: number;
  /** Of both channels; absent if only samples are limited. */
  readonly #detectors: readonly [TruePeakDetector, TruePeakDetector] | undefined;
  /** Samples by which the output is later than the input. */
  readonly delay: number;
  /** Ring of the last samples of each channel. */
  readonly #left: Float32Array;
  readonly #right: Float32Array;
  #slot = 0;
  #gain = 1;
  /** Gain to reach, and its decrease per sample until then. */
  #target = 1;
  #fall = 0;
  /** Samples until the gain may rise again. */
  #hold = 0;

  /** @param ceiling amplitude, 0 to 1 */
  constructor(ceiling = 1, peaks: LimitedPeaks = 'samples') {
    this.#ceiling = ceiling;
    this.#detectors = peaks === 'samples' ? undefined : [new TruePeakDetector(), new TruePeakDetector()];
    this.delay = LOOK_AHEAD + (this.#detectors === undefined ? 0 : PEAK_REACH);
    this.#left = new Float32Array(this.delay);
    this.#right = new Float32Array(this.delay);
  }

  /** Replaces the samples with the limited samples from `delay` earlier. */
  process(left: Float32Array, right: Float32Array): void {
    const peaks = this.#peaksOf(left, right);
    for (let at = 0; at < left.length; at++) {
      const [leftSample, rightSample] = [left[at]!, right[at]!];
      const peak = peaks[at]!;
      if (peak > this.#ceiling) this.#lowerTo(this.#ceiling / peak);
      if (this.#gain > this.#target) this.#gain = Math.max(this.#target, this.#gain - this.#fall);
      if (this.#hold > 0) this.#hold -= 1;
      else {
        this.#target = 1;
        this.#fall = 0;
        this.#gain += (1 - this.#gain) * RELEASE;
      }
      if (this.#gain > 0.99999 && this.#target === 1) this.#gain = 1;
      left[at] = this.#clamp(this.#left[this.#slot]! * this.#gain);
      right[at] = this.#clamp(this.#right[this.#slot]! * this.#gain);
      this.#left[this.#slot] = leftSample;
      this.#right[this.#slot] = rightSample;
      this.#slot = (this.#slot + 1) % this.delay;
    }
  }

  /** Returns the peak that each sample completes, and replaces NaN and infinity, which damaged files may contain, with silence. */
  #peaksOf(left: Float32Array, right: Float32Array): Float32Array {
    const peaks = new Float32Array(left.length);
    for (let at = 0; at < left.length; at++) {
      if (!Number.isFinite(left[at]!)) left[at] = 0;
      if (!Number.isFinite(right[at]!)) right[at] = 0;
      if (this.#detectors === undefined) peaks[at] = Math.max(Math.abs(left[at]!), Math.abs(right[at]!));
    }
    this.#detectors?.[0].detect(left, peaks, this.#ceiling);
    this.#detectors?.[1].detect(right, peaks, this.#ceiling);
    return peaks;
  }

  #lowerTo(gain: number): void {
    this.#hold = LOOK_AHEAD + 1;
    this.#target = Math.min(this.#target, gain);
    this.#fall = Math.max(this.#fall, (this.#gain - gain) / LOOK_AHEAD);
  }

  #clamp(value: number): number {
    return Math.max(-this.#ceiling, Math.min(this.#ceiling, value));
  }
}
