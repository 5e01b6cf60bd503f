import type { MeasuredLoudness } from '../codec/encoded-track.ts';
import { MIX_RATE } from '../codec/resampler.ts';
import { openSoundKernels, type SoundKernels } from './sound-kernels.ts';

/** Samples of a step, the smallest unit of all windows: 10 ms, which the maximum of the momentary loudness needs. */
export const STEP = MIX_RATE / 100;
/** Steps of each window. */
const MOMENTARY_STEPS = 40;
const SHORT_TERM_STEPS = 300;
/** Steps from one window of the integrated loudness, or of the range, to the next: an overlap of 75 %, and of 97 %. */
const HOP_STEPS = 10;
/** No louder than this, in LUFS, a window does not count. @see BS.1770-4, annex 1, (4) */
const ABSOLUTE_GATE = -70;
/** LU below the mean. @see BS.1770-4, annex 1, (5) · EBU Tech 3342, 2.2 */
const INTEGRATED_GATE = 10;
const RANGE_GATE = 20;

/**
 * Measures the loudness of a sound at 48 kHz. Memory use grows by 160 bytes a second.
 *
 * @see ITU-R BS.1770-4 · EBU Tech 3341 (momentary, short-term, integrated) · EBU Tech 3342 (range)
 */
export class LoudnessMeter {
  readonly #pairs: readonly ChannelPair[];
  /** Weighted energy of each of the last steps: a ring. */
  readonly #steps = new Float64Array(SHORT_TERM_STEPS);
  #stepCount = 0;
  /** Samples and energy of the step that is not complete. */
  #pending = 0;
  #energy = 0;
  #momentary = 0;
  #shortTerm = 0;
  /** Mean energies of the windows that exceed the absolute gate. */
  readonly #blocks: number[] = [];
  readonly #shortTerms: number[] = [];

  readonly #onStep: ((energy: number) => void) | undefined;

  /**
   * @param weights of the channels: 1 for left, right and centre, 1.41 for surround channels
   * @param onStep called with the mean energy of every 10 ms
   */
  constructor(weights: readonly number[] = [1, 1], onStep?: (energy: number) => void) {
    this.#pairs = Array.from({ length: Math.ceil(weights.length / 2) }, (_, pair) => ({
      weights: [weights[2 * pair]!, weights[2 * pair + 1] ?? 0],
      state: new Float64Array(STATE_VALUES),
    }));
    this.#onStep = onStep;
  }

  /** Adds the next samples: a list for each channel. */
  add(samples: readonly Float32Array[]): void {
    const count = samples[0]!.length;
    for (let at = 0; at < count; ) {
      const end = Math.min(count, at + STEP - this.#pending);
      for (const [index, pair] of this.#pairs.entries()) {
        const left = samples[2 * index]!;
        // An odd channel is its own neighbour, of no weight.
        const right = samples[2 * index + 1] ?? left;
        const [leftEnergy, rightEnergy] = energiesOf(pair, left.subarray(at, end), right.subarray(at, end));
        this.#energy += leftEnergy;
        this.#energy += rightEnergy;
      }
      this.#pending += end - at;
      at = end;
      if (this.#pending === STEP) this.#endStep();
    }
  }

  /** Returns the loudness of the last 400 ms and of the last 3 s, in LUFS; of what there is, if that is shorter. */
  present(): Pick<MeasuredLoudness, 'momentary' | 'shortTerm'> {
    const meanOf = (steps: number): number =>
      this.#stepCount === 0 ? 0 : this.#mean(Math.min(steps, this.#stepCount));
    return { momentary: toLoudness(meanOf(MOMENTARY_STEPS)), shortTerm: toLoudness(meanOf(SHORT_TERM_STEPS)) };
  }

  /** Returns the loudness of everything added. A window that is not complete does not count. */
  result(): Omit<MeasuredLoudness, 'truePeak'> {
    return {
      integrated: toLoudness(gatedMean(this.#blocks, INTEGRATED_GATE)),
      momentary: toLoudness(this.#momentary),
      shortTerm: toLoudness(this.#shortTerm),
      range: rangeOf(this.#shortTerms),
    };
  }

  #endStep(): void {
    const energy = this.#energy / STEP;
    this.#onStep?.(energy);
    this.#steps[this.#stepCount % SHORT_TERM_STEPS] = energy;
    this.#stepCount += 1;
    this.#pending = 0;
    this.#energy = 0;
    const isHop = this.#stepCount % HOP_STEPS === 0;
    if (this.#stepCount >= MOMENTARY_STEPS) {
      const window = this.#mean(MOMENTARY_STEPS);
      this.#momentary = Math.max(this.#momentary, window);
      if (isHop && toLoudness(window) > ABSOLUTE_GATE) this.#blocks.push(window);
    }
    if (this.#stepCount >= SHORT_TERM_STEPS) {
      const window = this.#mean(SHORT_TERM_STEPS);
      this.#shortTerm = Math.max(this.#shortTerm, window);
      if (isHop && toLoudness(window) > ABSOLUTE_GATE) this.#shortTerms.push(window);
    }
  }

  /** Returns the mean energy of the last steps. */
  #mean(count: number): number {
    let sum = 0;
    for (let step = this.#stepCount - count; step < this.#stepCount; step++) {
      sum += this.#steps[step % SHORT_TERM_STEPS]!;
    }
    return sum / count;
  }
}

/** Coefficients of a filter of second order; a0 is 1. */
interface Biquad {
  readonly b0: number;
  readonly b1: number;
  readonly b2: number;
  readonly a1: number;
  readonly a2: number;
}

/** Effect of the head: +4 dB above 2 kHz. @see BS.1770-4, annex 1, table 1 */
const SHELF: Biquad = {
  b0: 1.53512485958697,
  b1: -2.69169618940638,
  b2: 1.19839281085285,
  a1: -1.69065929318241,
  a2: 0.73248077421585,
};
/** High-pass at 38 Hz; its b are 1, -2, 1. @see BS.1770-4, annex 1, table 2 */
const HIGH_PASS: Pick<Biquad, 'a1' | 'a2'> = { a1: -1.99004745483398, a2: 0.99007225036621 };

/** Two channels, because the filters of a channel wait for each other. */
interface ChannelPair {
  readonly weights: readonly [number, number];
  /** Of the shelf and of the high-pass, in transposed direct form II: for each value, one of both channels. */
  readonly state: Float64Array;
}

const STATE_VALUES = 8;
// Addresses in the memory of the kernel.
const RIGHT_AT = STEP * 4;
const STATE_AT = 2 * RIGHT_AT;
const COEFFICIENTS_AT = STATE_AT + STATE_VALUES * 8;
const SUMS_AT = COEFFICIENTS_AT + 64;

let kernels: SoundKernels | undefined;

function openWeighing(): SoundKernels {
  const opened = openSoundKernels(SUMS_AT + 16);
  const coefficients = [SHELF.b0, SHELF.b1, SHELF.b2, SHELF.a1, SHELF.a2, HIGH_PASS.a1, HIGH_PASS.a2];
  opened.doubles.set(coefficients, COEFFICIENTS_AT / 8);
  return opened;
}

/** Filters at most a step of two channels. @returns the weighted sums of their squares */
function energiesOf({ weights, state }: ChannelPair, left: Float32Array, right: Float32Array): [number, number] {
  kernels ??= openWeighing();
  const { weigh, floats, doubles } = kernels;
  floats.set(left, 0);
  floats.set(right, RIGHT_AT / 4);
  doubles.set(state, STATE_AT / 8);
  weigh(0, RIGHT_AT, left.length, STATE_AT, COEFFICIENTS_AT, SUMS_AT);
  for (let index = 0; index < STATE_VALUES; index++) state[index] = flushed(doubles[STATE_AT / 8 + index]!);
  return [doubles[SUMS_AT / 8]! * weights[0], doubles[SUMS_AT / 8 + 1]! * weights[1]];
}

/** Values of a filter that rings out in silence become so small that processors compute them slowly. */
function flushed(state: number): number {
  return Math.abs(state) < 1e-30 ? 0 : state;
}

/** Returns the mean of the energies above the relative gate; 0 for none. @param gate LU below the mean of all */
function gatedMean(energies: readonly number[], gate: number): number {
  const threshold = mean(energies) * 10 ** (-gate / 10);
  return mean(energies.filter((energy) => energy > threshold));
}

/** @see EBU Tech 3342, 2.2 and 3 */
function rangeOf(energies: readonly number[]): number {
  const threshold = mean(energies) * 10 ** (-RANGE_GATE / 10);
  const kept = energies.filter((energy) => energy >= threshold).sort((a, b) => a - b);
  if (kept.length === 0) return 0;
  const percentile = (share: number): number => toLoudness(kept[Math.round((kept.length - 1) * share)]!);
  return percentile(0.95) - percentile(0.1);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Converts a mean energy to LUFS. @see BS.1770-4, annex 1, (2) */
export function toLoudness(energy: number): number {
  return energy > 0 ? -0.691 + 10 * Math.log10(energy) : -Infinity;
}
