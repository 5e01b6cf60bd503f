/** Sample rate of the mix, in Hz. */
export const MIX_RATE = 48_000;

/** Zero crossings of the sinc on each side, and the window's shape parameter: 90 dB stopband attenuation. */
const CROSSINGS = 32;
const KAISER_BETA = 9;
/** Limit for the memory of the filter; only unusual rates would need more phases. */
const MAX_PHASES = 4_800;

/**
 * Resamples a stream to 48 kHz with a windowed sinc. From sources of 44.1 kHz and more, it is flat to 0.1 dB up to 20 kHz, with
 * images and aliases below -80 dB. A source of 48 kHz is unchanged.
 */
export class Resampler {
  readonly #step: number;
  readonly #phases: number;
  readonly #reach: number;
  readonly #taps: readonly Float32Array[];
  /** Position of the next output sample: whole source samples from the start of the buffer, plus phases. */
  #at: number;
  #phase: number;
  #held: Stereo;

  /** @param offset of the first output sample, in source samples from the first pushed sample, ≥ 0 */
  constructor(rate: number, offset: number) {
    const divisor = gcd(rate, MIX_RATE);
    this.#phases = Math.min(MAX_PHASES, MIX_RATE / divisor);
    this.#step = (rate / MIX_RATE) * this.#phases;
    const scale = Math.max(1, rate / MIX_RATE);
    const isSame = rate === MIX_RATE;
    this.#reach = isSame ? 0 : Math.ceil(CROSSINGS * scale);
    const phases = isSame ? [] : Array.from({ length: this.#phases }, (_, phase) => phase);
    this.#taps = phases.map((phase) => this.#kernel(phase / this.#phases, scale));
    this.#at = isSame ? Math.round(offset) : Math.floor(offset);
    this.#phase = isSame ? 0 : Math.round((offset - this.#at) * this.#phases);
    // Silence before the beginning.
    this.#held = silence(this.#reach);
  }

  /** Adds source samples and returns the output that they complete, which may be a part of them. */
  push(samples: Stereo): Stereo {
    if (this.#reach === 0) return this.#pass(samples);
    this.#held = joined(this.#held, samples);
    return this.#resample();
  }

  /** Returns the remaining output. */
  end(): Stereo {
    return this.push(silence(this.#reach));
  }

  #resample(): Stereo {
    const { left, right } = this.#held;
    const reach = this.#reach;
    const available = left.length - 2 * reach;
    const position = this.#at + this.#phase / this.#phases;
    const count = Math.max(0, Math.ceil((available - position) / (this.#step / this.#phases)));
    const out = silence(count);
    let written = 0;
    for (; written < count; written++) {
      const at = this.#at + Math.floor(this.#phase / this.#phases);
      this.#phase %= this.#phases;
      this.#at = at;
      if (at >= available) break;
      const taps = this.#taps[Math.round(this.#phase) % this.#phases]!;
      let leftSum = 0;
      let rightSum = 0;
      for (let tap = 0, from = at; tap < taps.length; tap++, from++) {
        leftSum += taps[tap]! * left[from]!;
        rightSum += taps[tap]! * right[from]!;
      }
      out.left[written] = leftSum;
      out.right[written] = rightSum;
      this.#phase += this.#step;
    }
    const done = Math.min(this.#at + Math.floor(this.#phase / this.#phases), left.length - 2 * reach);
    if (done > 0) {
      this.#held = { left: left.slice(done), right: right.slice(done) };
      this.#at -= done;
    }
    return { left: out.left.subarray(0, written), right: out.right.subarray(0, written) };
  }

  /** Returns the samples of a source of 48 kHz, from the first output sample on. */
  #pass({ left, right }: Stereo): Stereo {
    const skipped = Math.min(this.#at, left.length);
    this.#at -= skipped;
    return { left: left.subarray(skipped), right: right.subarray(skipped) };
  }

  /** Returns weights for an output sample `fraction` after a source sample, from `reach` before that sample to `reach` after it. */
  #kernel(fraction: number, scale: number): Float32Array {
    const taps = Float32Array.from({ length: 2 * this.#reach }, (_, tap) =>
      windowedSinc((tap - this.#reach - fraction) / scale, CROSSINGS, KAISER_BETA),
    );
    const sum = taps.reduce((total, tap) => total + tap, 0);
    return taps.map((tap) => tap / sum);
  }
}

/**
 * Returns the weight of a sample at a distance, with a Kaiser window.
 *
 * @param x distance in samples
 * @param crossings distance at which the window ends
 * @param beta shape of the window: a larger value means more attenuation and a wider transition
 */
export function windowedSinc(x: number, crossings: number, beta: number): number {
  const share = x / crossings;
  if (Math.abs(share) >= 1) return 0;
  const sinc = x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
  return (sinc * bessel(beta * Math.sqrt(1 - share * share))) / bessel(beta);
}

/** Computes the modified Bessel function of the first kind, order 0. */
function bessel(x: number): number {
  let [sum, term] = [1, 1];
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

/** Two channels of equal length, with samples in about -1..1. */
export interface Stereo {
  readonly left: Float32Array;
  readonly right: Float32Array;
}

/** @param count samples */
export function silence(count: number): Stereo {
  return { left: new Float32Array(count), right: new Float32Array(count) };
}

/** Joins two pieces of sound. @param from first sample of the second piece */
export function joined(first: Stereo, second: Stereo, from = 0): Stereo {
  const count = first.left.length;
  const both = silence(count + second.left.length - from);
  both.left.set(first.left);
  both.right.set(first.right);
  both.left.set(second.left.subarray(from), count);
  both.right.set(second.right.subarray(from), count);
  return both;
}

/** Gains of -3 and -6 dB. */
const MINUS_3_DB = Math.SQRT1_2;
const MINUS_6_DB = 0.5;

type Gains = readonly [left: number, right: number];

/**
 * Gains of each speaker in the order of FFmpeg's layouts, which is the order of channels too: front left, front right, centre, low
 * frequency, back left, back right, left and right of the centre, back centre, side left, side right.
 */
const SPEAKERS: readonly Gains[] = [
  [1, 0],
  [0, 1],
  [MINUS_3_DB, MINUS_3_DB],
  [0, 0],
  [MINUS_3_DB, 0],
  [0, MINUS_3_DB],
  [1, 0],
  [0, 1],
  [MINUS_6_DB, MINUS_6_DB],
  [MINUS_3_DB, 0],
  [0, MINUS_3_DB],
];

/** Speakers of files that do not declare them, by the number of channels: bit 0 is the first of `SPEAKERS`. */
const USUAL_SPEAKERS: Readonly<Record<number, number>> = { 3: 0x7, 4: 0x33, 5: 0x37, 6: 0x3f, 7: 0x70f, 8: 0x63f };

/**
 * Mixes any number of channels down to two as ITU-R BS.775: the centre and each surround channel at -3 dB, a single surround channel
 * at -6 dB on both sides, without the low-frequency channel. Front channels keep their level, so that the sum may exceed the
 * range of the input; the limiter of the mix attenuates it. A single channel becomes both.
 *
 * @param speakers a bit for each channel, as in FFmpeg's layouts; undefined if the file does not declare them
 * @see ITU-R BS.775-3, table 2; ATSC A/52, 7.8.2 (single surround)
 */
export function toStereo(channels: readonly Float32Array[], speakers?: number): Stereo {
  const [first, second] = channels as [Float32Array, Float32Array?];
  if (second === undefined) return { left: first, right: first };
  if (channels.length === 2) return { left: first, right: second };
  const gains = gainsOf(channels.length, speakers);
  const side = (index: 0 | 1): Float32Array => {
    const sum = new Float32Array(first.length);
    for (const [channel, samples] of channels.entries()) {
      const gain = gains[channel]![index];
      if (gain !== 0) for (let at = 0; at < sum.length; at++) sum[at]! += gain * samples[at]!;
    }
    return sum;
  };
  return { left: side(0), right: side(1) };
}

function gainsOf(count: number, speakers = USUAL_SPEAKERS[count] ?? 0): readonly Gains[] {
  const gains = SPEAKERS.filter((_, bit) => (speakers & (1 << bit)) !== 0);
  if (gains.length === count) return gains;
  // Channels of unknown position alternate, the first two at the front.
  const backGains: readonly Gains[] = [SPEAKERS[4]!, SPEAKERS[5]!];
  return Array.from({ length: count }, (_, channel) => (channel < 2 ? SPEAKERS[channel]! : backGains[channel % 2]!));
}
