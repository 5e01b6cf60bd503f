import { windowedSinc } from '../codec/resampler.ts';
import { toDecibels } from './decibels.ts';
import { openSoundKernels, type SoundKernels } from './sound-kernels.ts';

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
/** Samples that the kernel reads at once. */
const CHUNK = 4096;

/**
 * Finds the peaks of a channel between its samples, at four times the sample rate.
 *
 * @see ITU-R BS.1770-4, annex 2
 */
export class TruePeakDetector {
  /** The last samples before the block. */
  readonly #kept = new Float32Array(KEPT);

  /**
   * Raises each of `peaks` to the peak from a sample to the next. The output is delayed: `peaks[i]` belongs to the sample
   * `PEAK_REACH` before `block[i]`.
   *
   * @param floor peaks that do not exceed it may be missing
   */
  detect(block: Float32Array, peaks: Float32Array, floor = 0): void {
    for (let at = 0; at < block.length; at += CHUNK) {
      this.#detect(block.subarray(at, at + CHUNK), peaks.subarray(at, at + CHUNK), floor, 0);
    }
  }

  /** Returns the largest peak, or the floor if none exceeds it. */
  largest(block: Float32Array, floor: number): number {
    let largest = floor;
    for (let at = 0; at < block.length; at += CHUNK) {
      const chunk = block.subarray(at, at + CHUNK);
      const peaks = UNSET.subarray(0, chunk.length).fill(0);
      this.#detect(chunk, peaks, largest, 1);
      for (const peak of peaks) if (peak > largest) largest = peak;
    }
    return largest;
  }

  #detect(block: Float32Array, peaks: Float32Array, floor: number, isRising: 0 | 1): void {
    kernels ??= openDetection();
    const { peaksAbove, floats } = kernels;
    floats.set(this.#kept, 0);
    floats.set(block, KEPT);
    floats.set(peaks, PEAKS_AT / 4);
    peaksAbove(0, PEAKS_AT, block.length, TAPS_AT, floor, LARGEST_GAIN, isRising);
    peaks.set(floats.subarray(PEAKS_AT / 4, PEAKS_AT / 4 + block.length));
    this.#kept.set(floats.subarray(block.length, block.length + KEPT));
  }
}

// Addresses in the memory of the kernel: the samples, and three that are read with the last ones; the peaks; the weights.
const PEAKS_AT = (KEPT + CHUNK + 3) * 4;
const TAPS_AT = PEAKS_AT + CHUNK * 4;
const UNSET = new Float32Array(CHUNK);

let kernels: SoundKernels | undefined;

function openDetection(): SoundKernels {
  const opened = openSoundKernels(TAPS_AT + KERNELS.length * TAPS * 4);
  for (const [index, taps] of KERNELS.entries()) opened.floats.set(taps, TAPS_AT / 4 + index * TAPS);
  return opened;
}

/** Measures the largest peak between the samples of several channels. */
export class TruePeakMeter {
  readonly #detectors: readonly TruePeakDetector[];
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
    this.#peak = detector.largest(samples, this.#peak);
  }
}

/** Returns the weights of the samples around a position between two samples. */
function kernel(position: number): Float32Array {
  const taps = Float32Array.from({ length: TAPS }, (_, tap) =>
    windowedSinc(tap - (PEAK_REACH - 1) - position, PEAK_REACH, KAISER_BETA),
  );
  const sum = taps.reduce((total, tap) => total + tap, 0);
  return taps.map((tap) => tap / sum);
}
