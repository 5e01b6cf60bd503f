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
  /** The last `delay` samples, and room for a block behind them. */
  #left: Float32Array;
  #right: Float32Array;
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
    const count = left.length;
    this.#left = grown(this.#left, this.delay + count);
    this.#right = grown(this.#right, this.delay + count);
    this.#left.set(left, this.delay);
    this.#right.set(right, this.delay);
    if (this.#isIdle(peaks)) {
      left.set(this.#left.subarray(0, count));
      right.set(this.#right.subarray(0, count));
    } else this.#limit(left, right, peaks);
    this.#left.copyWithin(0, count, count + this.delay);
    this.#right.copyWithin(0, count, count + this.delay);
  }

  /** Returns whether the gain is full and remains so. */
  #isIdle(peaks: Float32Array): boolean {
    if (this.#gain !== 1 || this.#target !== 1 || this.#hold !== 0) return false;
    const ceiling = this.#ceiling;
    for (let at = 0; at < peaks.length; at++) if (peaks[at]! > ceiling) return false;
    return true;
  }

  #limit(left: Float32Array, right: Float32Array, peaks: Float32Array): void {
    const [delayedLeft, delayedRight, ceiling] = [this.#left, this.#right, this.#ceiling];
    for (let at = 0; at < peaks.length; at++) {
      const peak = peaks[at]!;
      if (peak > ceiling) this.#lowerTo(ceiling / peak);
      let gain = this.#gain;
      if (gain > this.#target) gain = Math.max(this.#target, gain - this.#fall);
      if (this.#hold > 0) this.#hold -= 1;
      else {
        this.#target = 1;
        this.#fall = 0;
        gain += (1 - gain) * RELEASE;
      }
      if (gain > 0.99999 && this.#target === 1) gain = 1;
      this.#gain = gain;
      left[at] = Math.max(-ceiling, Math.min(ceiling, delayedLeft[at]! * gain));
      right[at] = Math.max(-ceiling, Math.min(ceiling, delayedRight[at]! * gain));
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
}

/** Returns the list, or a larger copy that holds `count` samples. */
function grown(list: Float32Array, count: number): Float32Array {
  if (list.length >= count) return list;
  const larger = new Float32Array(count);
  larger.set(list);
  return larger;
}
