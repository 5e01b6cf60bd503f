import { sha256 } from '../../digest.ts';
import type { SceneImage } from '../../template/scene.ts';
import { fitImage } from './fit-image.ts';

/** Those of some frames of 1920 × 1080. */
const MAX_KEPT_BYTES = 48 * 1024 * 1024;

/**
 * Pictures that were fitted, each content once while it is in use: the videos of a template, and a video before and
 * after a change, have most of them in common.
 */
export class FittedImages {
  readonly #maxBytes: number;
  /** By what they were made from; the least recently used one first. */
  readonly #kept = new Map<string, Buffer>();
  #bytes = 0;

  /** @param maxBytes of all that is kept; what is larger than half of that is not */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * The picture as `fitImage` makes it.
   *
   * @returns PNG; not to be written to
   * @throws SceneError as `fitImage`
   */
  async fit(image: SceneImage): Promise<Buffer> {
    const { width, height, transform } = image;
    const key = JSON.stringify([sha256(image.bytes), width, height, transform]);
    const png = this.#kept.get(key) ?? (await fitImage(image));
    this.#keep(key, png);
    return png;
  }

  #keep(key: string, png: Buffer): void {
    if (png.length > this.#maxBytes / 2) return;
    if (!this.#kept.delete(key)) this.#bytes += png.length;
    this.#kept.set(key, png);
    for (const [oldest, { length }] of this.#kept) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#kept.delete(oldest);
      this.#bytes -= length;
    }
  }
}

/** Of this thread. */
export const fittedImages = new FittedImages(MAX_KEPT_BYTES);
