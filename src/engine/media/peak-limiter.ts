/** Samples between hearing of a peak and reaching it: 5 ms at 48 kHz. */
const LOOK_AHEAD = 240;
/** Share of the way back to full gain in one sample: nine tenths of it in about 100 ms. */
const RELEASE = 0.00048;

/**
 * Keeps sound within -1..1: what would go beyond is turned down smoothly from 5 ms before, and comes back within a tenth of a
 * second. Sound that stays within passes untouched. What comes out is 240 samples late.
 */
export class PeakLimiter {
  static readonly delay = LOOK_AHEAD;
  readonly #left = new Float32Array(LOOK_AHEAD);
  readonly #right = new Float32Array(LOOK_AHEAD);
  #slot = 0;
  #gain = 1;
  #target = 1;
  #fall = 0;
  #hold = 0;

  /** Replaces the samples by those that came 240 before. */
  process(left: Float32Array, right: Float32Array): void {
    for (let at = 0; at < left.length; at++) {
      const [l, r] = [clean(left[at]!), clean(right[at]!)];
      const peak = Math.max(Math.abs(l), Math.abs(r));
      if (peak > 1) this.#hear(1 / peak);
      if (this.#gain > this.#target) this.#gain = Math.max(this.#target, this.#gain - this.#fall);
      if (this.#hold > 0) this.#hold -= 1;
      else [this.#target, this.#fall, this.#gain] = [1, 0, this.#gain + (1 - this.#gain) * RELEASE];
      if (this.#gain > 0.99999 && this.#target === 1) this.#gain = 1;
      left[at] = clamp(this.#left[this.#slot]! * this.#gain);
      right[at] = clamp(this.#right[this.#slot]! * this.#gain);
      this.#left[this.#slot] = l;
      this.#right[this.#slot] = r;
      this.#slot = (this.#slot + 1) % LOOK_AHEAD;
    }
  }

  #hear(needed: number): void {
    this.#hold = LOOK_AHEAD + 1;
    this.#target = Math.min(this.#target, needed);
    this.#fall = Math.max(this.#fall, (this.#gain - needed) / LOOK_AHEAD);
  }
}

/** A damaged file may hold anything. */
function clean(value: number): number {
  return Number.isFinite(value) ? value : 0;
}

function clamp(value: number): number {
  return Math.max(-1, Math.min(1, value));
}
