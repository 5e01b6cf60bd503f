import { LoudnessMeter } from './loudness-meter.ts';
import { TruePeakMeter } from './true-peak.ts';

/** Full scale, less the rounding of 16 bits. */
const FULL_SCALE = 0.9995;
/** So many equal samples in a row at full scale are cut off: the peak of a tone that only reaches it is round. */
const CLIPPED_SAMPLES = 5;
const EQUAL = 1e-5;

/** What was measured of a sound. */
export interface HeardSound {
  /** Loudness in LUFS; null for a sound that is silent, or shorter than 0.4 s. */
  readonly integrated: number | null;
  /** Largest peak between samples, in dBTP; null for digital silence. */
  readonly truePeak: number | null;
  /** Places at which the decoded samples stay at full scale, in all channels. */
  readonly clippedPlaces: number;
  /** Correlation of left and right, -1..1; null if a channel is silent. In mono, a sound of -1 is silent. */
  readonly correlation: number | null;
}

/** Measures what is wrong with a sound at 48 kHz. */
export class SoundListener {
  readonly #meter = new LoudnessMeter();
  readonly #peaks = new TruePeakMeter();
  /** Equal samples at full scale up to now, and the last sample, for each channel of the source. */
  readonly #runs: { count: number; last: number }[] = [];
  #clippedPlaces = 0;
  #leftEnergy = 0;
  #rightEnergy = 0;
  #product = 0;

  add(left: Float32Array, right: Float32Array): void {
    this.#meter.add([left, right]);
    this.#peaks.add([left, right]);
    let [leftEnergy, rightEnergy, product] = [0, 0, 0];
    for (let at = 0; at < left.length; at++) {
      leftEnergy += left[at]! * left[at]!;
      rightEnergy += right[at]! * right[at]!;
      product += left[at]! * right[at]!;
    }
    this.#leftEnergy += leftEnergy;
    this.#rightEnergy += rightEnergy;
    this.#product += product;
  }

  /** Adds samples of the source before resampling, which would move clipped samples off full scale. */
  addDecoded(channels: readonly Float32Array[]): void {
    for (const [channel, samples] of channels.entries()) {
      let { count, last } = this.#runs[channel] ?? { count: 0, last: 0 };
      for (const sample of samples) {
        if (Math.abs(sample) < FULL_SCALE) count = 0;
        else count = Math.abs(sample - last) <= EQUAL ? count + 1 : 1;
        if (count === CLIPPED_SAMPLES) this.#clippedPlaces += 1;
        last = sample;
      }
      this.#runs[channel] = { count, last };
    }
  }

  /** To be called once. */
  result(): HeardSound {
    const { integrated } = this.#meter.result();
    const energy = Math.sqrt(this.#leftEnergy * this.#rightEnergy);
    return {
      integrated: finiteOrNull(integrated),
      truePeak: finiteOrNull(this.#peaks.result()),
      clippedPlaces: this.#clippedPlaces,
      correlation: energy > 0 ? this.#product / energy : null,
    };
  }
}

/** Replaces the -Infinity of silence, which JSON cannot represent. */
export function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
