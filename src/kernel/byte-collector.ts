/** Room for a body whose length is not known. */
const INITIAL_BYTES = 1 << 20;

/**
 * Collects the chunks of a body in a single buffer as they arrive. Joining them at the end would block the event loop for as long
 * as copying the whole body takes, 0.1 s for 200 MB.
 */
export class ByteCollector {
  #buffer: Buffer;
  #length = 0;

  readonly #allocate: (bytes: number) => Buffer;

  /**
   * @param expectedBytes length of the body where it is known; more may come
   * @param allocate makes the buffers
   */
  constructor(expectedBytes = INITIAL_BYTES, allocate: (bytes: number) => Buffer = Buffer.allocUnsafe) {
    this.#allocate = allocate;
    this.#buffer = allocate(expectedBytes);
  }

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  add(chunk: Uint8Array): void {
    const end = this.#length + chunk.length;
    if (end > this.#buffer.length) {
      const larger = this.#allocate(Math.max(end, 2 * this.#buffer.length));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    this.#buffer.set(chunk, this.#length);
    this.#length = end;
  }

  /** All bytes so far, without a copy. */
  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}
