import { BufferSource } from 'mediabunny';

/**
 * In one turn of the event loop: less than a second of nothing but reading for a small file, and more for a large one, such as
 * an MP3 whose length nothing but its frames tell.
 */
const MOST_REQUESTS = 500_000;
const BYTES_A_REQUEST = 16;

/**
 * Bytes that cannot be read for ever. On some damaged files the reader (mediabunny 1.61.0) goes round in circles, and
 * never lets the event loop turn; it asks for the size before each read, here, and is stopped.
 */
export class BoundedSource extends BufferSource {
  readonly #size: number;
  #requests = 0;

  constructor(bytes: Uint8Array) {
    super(bytes);
    this.#size = bytes.byteLength;
  }

  /** The reader's own name for it. @throws Error where it goes round in circles */
  _getFileSize(): number {
    if (this.#requests === 0) {
      setImmediate(() => {
        this.#requests = 0;
      }).unref();
    }
    this.#requests += 1;
    if (this.#requests > MOST_REQUESTS + this.#size / BYTES_A_REQUEST)
      throw new Error('its parts refer to each other in circles');
    return this.#size;
  }
}
