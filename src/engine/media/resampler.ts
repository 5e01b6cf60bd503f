/** Samples a second of everything that is mixed. */
export const MIX_RATE = 48_000;

/** Zero crossings of the sinc on either side, and the shape of the window: 90 dB stopband attenuation. */
const CROSSINGS = 32;
const KAISER_BETA = 9;
/** Odd rates would want more phases than are worth having. */
const MOST_PHASES = 4_800;

/**
 * Brings sound to 48 kHz by a windowed sinc: flat to 0.1 dB up to 20 kHz for sources of 44.1 kHz and more, images and
 * aliases below -80 dB there. A source of 48 kHz passes untouched. Give it samples as they come, and take what it makes of
 * them.
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

  /** @param offset of the first output sample, in source samples from the first one that `push` is given, ≥ 0 */
  constructor(rate: number, offset: number) {
    const divisor = gcd(rate, MIX_RATE);
    this.#phases = Math.min(MOST_PHASES, MIX_RATE / divisor);
    this.#step = (rate / MIX_RATE) * this.#phases;
    const scale = Math.max(1, rate / MIX_RATE);
    const isSame = rate === MIX_RATE;
    this.#reach = isSame ? 0 : Math.ceil(CROSSINGS * scale);
    this.#taps = isSame ? [] : Array.from({ length: this.#phases }, (_, p) => this.#kernel(p / this.#phases, scale));
    this.#at = isSame ? Math.round(offset) : Math.floor(offset);
    this.#phase = isSame ? 0 : Math.round((offset - this.#at) * this.#phases);
    // Silence before the beginning.
    this.#held = silence(this.#reach);
  }

  /** Takes the next samples. */
  push(samples: Stereo): Stereo {
    this.#held = joined(this.#held, samples);
    return this.#make();
  }

  /** Returns the remaining output. */
  end(): Stereo {
    return this.push(silence(this.#reach));
  }

  #make(): Stereo {
    const { left, right } = this.#held;
    const reach = this.#reach;
    const available = left.length - 2 * reach;
    const position = this.#at + this.#phase / this.#phases;
    const count = Math.max(0, Math.ceil((available - position) / (this.#step / this.#phases)));
    const out = silence(count);
    let made = 0;
    for (; made < count; made++) {
      const at = this.#at + Math.floor(this.#phase / this.#phases);
      this.#phase %= this.#phases;
      this.#at = at;
      if (at >= available) break;
      if (reach === 0) {
        out.left[made] = left[at]!;
        out.right[made] = right[at]!;
      } else {
        const taps = this.#taps[Math.round(this.#phase) % this.#phases]!;
        let [l, r] = [0, 0];
        for (let tap = 0, from = at; tap < taps.length; tap++, from++) {
          l += taps[tap]! * left[from]!;
          r += taps[tap]! * right[from]!;
        }
        out.left[made] = l;
        out.right[made] = r;
      }
      this.#phase += this.#step;
    }
    const done = Math.min(this.#at + Math.floor(this.#phase / this.#phases), left.length - 2 * reach);
    if (done > 0) {
      this.#held = { left: left.slice(done), right: right.slice(done) };
      this.#at -= done;
    }
    return { left: out.left.subarray(0, made), right: out.right.subarray(0, made) };
  }

  /** Weights of the samples from `reach` before to `reach` after the one that the output lies `fraction` behind. */
  #kernel(fraction: number, scale: number): Float32Array {
    const taps = Float32Array.from({ length: 2 * this.#reach }, (_, tap) => {
      const x = (tap - this.#reach - fraction) / scale;
      const share = x / CROSSINGS;
      if (Math.abs(share) >= 1) return 0;
      const sinc = x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
      return (sinc * bessel(KAISER_BETA * Math.sqrt(1 - share * share))) / bessel(KAISER_BETA);
    });
    const sum = taps.reduce((total, tap) => total + tap, 0);
    return taps.map((tap) => tap / sum);
  }
}

/** The modified Bessel function of the first kind, order 0. */
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

/** Sound for both ears; lists of one length, samples in -1..1 or a little beyond. */
export interface Stereo {
  readonly left: Float32Array;
  readonly right: Float32Array;
}

/** @param count samples */
export function silence(count: number): Stereo {
  return { left: new Float32Array(count), right: new Float32Array(count) };
}

/** Joins two pieces of sound. @param from first sample of the second piece */
export function joined(a: Stereo, b: Stereo, from = 0): Stereo {
  const count = a.left.length;
  const all = silence(count + b.left.length - from);
  all.left.set(a.left);
  all.right.set(a.right);
  all.left.set(b.left.subarray(from), count);
  all.right.set(b.right.subarray(from), count);
  return all;
}

/** 3 dB less. */
const AWAY = Math.SQRT1_2;

/**
 * Any number of channels as two, by the weights of ITU-R BS.775-3 (centre and surround 3 dB less, no low-frequency channel),
 * turned down so that nothing can go beyond what came in. One channel is heard on both sides.
 *
 * @param channels in the order of FFmpeg's layouts: front left, front right, centre, low frequency, then pairs
 */
export function toStereo(channels: readonly Float32Array[]): Stereo {
  const [first, second, ...others] = channels as [Float32Array, ...Float32Array[]];
  if (second === undefined) return { left: first, right: first };
  if (others.length === 0) return { left: first, right: second };
  const hasCentre = channels.length !== 4;
  const hasLow = channels.length >= 6;
  const centre = hasCentre ? others[0] : undefined;
  const around = others.slice((hasCentre ? 1 : 0) + (hasLow ? 1 : 0));
  const pairs = Math.ceil(around.length / 2);
  const scale = 1 / (1 + (centre === undefined ? 0 : AWAY) + pairs * AWAY);
  const side = (front: Float32Array, offset: number): Float32Array =>
    front.map((sample, at) => {
      let sum = sample + AWAY * (centre?.[at] ?? 0);
      for (let pair = 0; pair < pairs; pair++) sum += AWAY * (around[pair * 2 + offset] ?? around[pair * 2]!)[at]!;
      return sum * scale;
    });
  return { left: side(first, 0), right: side(second, 1) };
}
