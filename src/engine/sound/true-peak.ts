import { windowedSinc } from '../codec/resampler.ts';
import { toDecibels } from './decibels.ts';

/** Positions between two samples; with the samples themselves, the rate is four times as high. */
const POSITIONS = [0.25, 0.5, 0.75] as const;
/** Samples on each side that a value between two samples depends on. */
export const PEAK_REACH = 16;
const TAPS = 2 * PEAK_REACH;
/** Shape of the window: flat to 0.05 dB up to 20 kHz at 48 kHz. */
const KAISER_BETA = 6;

const KERNELS = POSITIONS.map(kernel);
/** Values between samples exceed the samples around them by up to this factor. */
const LARGEST_GAIN = Math.max(...KERNELS.map((taps) => taps.reduce((sum, tap) => sum + Math.abs(tap), 0)));
/** Samples before a block that its first value depends on. */
const KEPT = TAPS - 1;

/**
 * Finds the peaks of a channel between its samples, at four times the sample rate.
 *
 * @see ITU-R BS.1770-4, annex 2
 */
export class TruePeakDetector {
  /** The last samples before the block, then the block. */
  #samples = new Float32Array(KEPT);

  /**
   * Raises each of `peaks` to the peak from a sample to the next. The output is delayed: `peaks[i]` belongs to the sample
   * `PEAK_REACH` before `block[i]`.
   *
   * @param floor peaks that do not exceed it may be missing
   */
  detect(block: Float32Array, peaks: Float32Array, floor = 0): void {
    const samples = this.#withKept(block);
    // Most blocks are too quiet for the floor.
    let lastLoud = -1;
    for (let at = 0; at < KEPT; at++) if (Math.abs(samples[at]!) * LARGEST_GAIN > floor) lastLoud = at;
    for (let at = 0; at < block.length; at++) {
      if (Math.abs(samples[at + KEPT]!) * LARGEST_GAIN > floor) lastLoud = at + KEPT;
      if (lastLoud < at) continue;
      const peak = peakIn(samples, at);
      if (peak > peaks[at]!) peaks[at] = peak;
    }
    samples.copyWithin(0, block.length, block.length + KEPT);
  }

  #withKept(block: Float32Array): Float32Array {
    if (this.#samples.length < KEPT + block.length) {
      const larger = new Float32Array(KEPT + block.length);
      larger.set(this.#samples.subarray(0, KEPT));
      this.#samples = larger;
    }
    this.#samples.set(block, KEPT);
    return this.#samples;
  }
}

/** Measures the largest peak between the samples of several channels. */
export class TruePeakMeter {
  readonly #detectors: readonly TruePeakDetector[];
  #peaks = new Float32Array(0);
  #peak = 0;

  constructor(channels = 2) {
    this.#detectors = Array.from({ length: channels }, () => new TruePeakDetector());
  }

  /** Adds the next samples: a list for each channel. */
  add(samples: readonly Float32Array[]): void {
    for (const [index, detector] of this.#detectors.entries()) this.#detect(detector, samples[index]!);
  }

  /** Returns the peak so far, in dBTP, but for the last `PEAK_REACH` samples; -Infinity for silence. */
  present(): number {
    return toDecibels(this.#peak);
  }

  /** Returns the peak of everything added, in dBTP; to be called once. -Infinity for silence. */
  result(): number {
    for (const detector of this.#detectors) this.#detect(detector, new Float32Array(PEAK_REACH));
    return toDecibels(this.#peak);
  }

  #detect(detector: TruePeakDetector, samples: Float32Array): void {
    if (this.#peaks.length < samples.length) this.#peaks = new Float32Array(samples.length);
    const peaks = this.#peaks.subarray(0, samples.length).fill(0);
    detector.detect(samples, peaks, this.#peak);
    for (const peak of peaks) if (peak > this.#peak) this.#peak = peak;
  }
}

/** Returns the largest value from the middle sample of a range to the next. @param from first of `TAPS` samples */
function peakIn(samples: Float32Array, from: number): number {
  const [first, second, third] = KERNELS as [Float32Array, Float32Array, Float32Array];
  let [firstSum, secondSum, thirdSum] = [0, 0, 0];
  for (let tap = 0; tap < TAPS; tap++) {
    const sample = samples[from + tap]!;
    firstSum += first[tap]! * sample;
    secondSum += second[tap]! * sample;
    thirdSum += third[tap]! * sample;
  }
  const middle = samples[from + PEAK_REACH - 1]!;
  return Math.max(Math.abs(middle), Math.abs(firstSum), Math.abs(secondSum), Math.abs(thirdSum));
}

/** Returns the weights of the samples around a position between two samples. */
function kernel(position: number): Float32Array {
  const taps = Float32Array.from({ length: TAPS }, (_, tap) =>
    windowedSinc(tap - (PEAK_REACH - 1) - position, PEAK_REACH, KAISER_BETA),
  );
  const sum = taps.reduce((total, tap) => total + tap, 0);
  return taps.map((tap) => tap / sum);
}
