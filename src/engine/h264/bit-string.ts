/** Reads bits, most significant first, from the payload of an H.264 NAL unit. */
export class BitReader {
  readonly #bytes: Uint8Array;
  /** In bits from the start. */
  position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** u(n), n ≤ 32. @throws RangeError beyond the end */
  bits(count: number): number {
    let value = 0;
    for (let index = 0; index < count; index++, this.position++) {
      const byte = this.#bytes[this.position >> 3];
      if (byte === undefined) throw new RangeError('the bit string ends early');
      value = value * 2 + ((byte >> (7 - (this.position & 7))) & 1);
    }
    return value;
  }

  flag(): boolean {
    return this.bits(1) === 1;
  }

  /** ue(v); se(v) takes as many bits. @see ITU-T H.264, 9.1 */
  exponentialGolomb(): number {
    let zeros = 0;
    while (!this.flag()) {
      zeros += 1;
      if (zeros > 32) throw new RangeError('an Exp-Golomb code is too long');
    }
    return 2 ** zeros - 1 + this.bits(zeros);
  }
}

/** Collects bits, most significant first. */
export class BitWriter {
  readonly #bits: number[] = [];

  /** u(n), n ≤ 32 */
  bits(value: number, count: number): this {
    for (let index = count - 1; index >= 0; index--) this.#bits.push(Math.floor(value / 2 ** index) % 2);
    return this;
  }

  /** Copies the bits [from, to) of `bytes`. */
  copy(bytes: Uint8Array, from: number, to: number): this {
    const reader = new BitReader(bytes);
    reader.position = from;
    while (reader.position < to) this.#bits.push(reader.bits(1));
    return this;
  }

  /** The bits, the stop bit and zeros up to a whole byte. @see ITU-T H.264, 7.3.2.11 */
  withTrailingBits(): Uint8Array {
    const bits = [...this.#bits, 1];
    const bytes = new Uint8Array(Math.ceil(bits.length / 8));
    for (const [index, bit] of bits.entries()) bytes[index >> 3]! |= bit << (7 - (index & 7));
    return bytes;
  }
}
