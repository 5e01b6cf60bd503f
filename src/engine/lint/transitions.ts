/**
 * Finds transitions in the signals of many pixels: changes between adjacent peaks and valleys by at least a threshold. Each is
 * reported on the frame on which it reaches the threshold, once until the signal turns.
 *
 * @see https://www.w3.org/TR/WCAG22/#dfn-general-flash-and-red-flash-thresholds
 */
export class TransitionTracker {
  readonly #threshold: number;
  readonly #counts: (from: number, to: number) => boolean;
  readonly #direction: Int8Array;
  readonly #isCounted: Uint8Array;
  /** Last turning point, and the extreme since then. */
  readonly #origin: Float32Array;
  readonly #extreme: Float32Array;
  #isEmpty = true;

  /** @param counts whether a change between two values, from the turning point to the present one, is a transition */
  constructor(pixelCount: number, threshold: number, counts: (from: number, to: number) => boolean) {
    this.#threshold = threshold;
    this.#counts = counts;
    this.#direction = new Int8Array(pixelCount);
    this.#isCounted = new Uint8Array(pixelCount);
    this.#origin = new Float32Array(pixelCount);
    this.#extreme = new Float32Array(pixelCount);
  }

  /** @param values of the pixels on the next frame @param found receives 1 for a rise, -1 for a fall, 0 for no transition */
  next(values: Float32Array, found: Int8Array): void {
    if (this.#isEmpty) {
      this.#isEmpty = false;
      this.#origin.set(values);
      this.#extreme.set(values);
      found.fill(0);
      return;
    }
    for (let pixel = 0; pixel < values.length; pixel++) {
      const value = values[pixel]!;
      const extreme = this.#extreme[pixel]!;
      // The common case: nothing changes.
      found[pixel] = value === extreme ? 0 : this.#step(pixel, value, extreme);
    }
  }

  #step(pixel: number, value: number, extreme: number): number {
    const sign = value > extreme ? 1 : -1;
    if (this.#direction[pixel] !== sign) {
      if (Math.abs(value - extreme) < this.#threshold) return 0;
      this.#direction[pixel] = sign;
      this.#origin[pixel] = extreme;
      this.#isCounted[pixel] = 0;
    }
    this.#extreme[pixel] = value;
    if (this.#isCounted[pixel] === 1 || !this.#counts(this.#origin[pixel]!, value)) return 0;
    this.#isCounted[pixel] = 1;
    return sign;
  }
}
