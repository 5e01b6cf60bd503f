import type { FrameWriter, WriterOptions } from '../frame-writer.ts';
import { loadWebcodecs } from '../h264/webcodecs-encoder.ts';
import { createFrameRing, ringFrame } from '../raster/frame-ring.ts';
import { muxWebm } from './mux-webm.ts';
import { alphaPlane, fillUnseen, isOpaque } from './split-alpha.ts';
import { Vp9Stream } from './vp9-stream.ts';

/** A player can seek to so many seconds. */
const KEY_INTERVAL_SECONDS = 2;

/**
 * VP9 and Opus in WebM. Where a frame is not opaque the file gets a second stream with the alpha of all frames, as browsers
 * read it. Both are encoded at the same time, in threads of the encoder.
 */
export async function openWebmWriter(options: WriterOptions): Promise<FrameWriter> {
  return new WebmWriter(await loadWebcodecs(), options);
}

class WebmWriter implements FrameWriter {
  readonly #webcodecs: Awaited<ReturnType<typeof loadWebcodecs>>;
  readonly #options: WriterOptions;
  readonly #keyFrames: number;
  readonly #color: Vp9Stream;
  #alpha: Vp9Stream | undefined;
  readonly #ring;
  readonly #filled: Uint32Array;
  readonly #plane: Uint8Array;

  constructor(webcodecs: Awaited<ReturnType<typeof loadWebcodecs>>, options: WriterOptions) {
    const { width, height, rate } = options.format;
    this.#webcodecs = webcodecs;
    this.#options = options;
    this.#keyFrames = Math.max(1, Math.round((KEY_INTERVAL_SECONDS * rate.numerator) / rate.denominator));
    this.#color = new Vp9Stream(webcodecs, options.format, options.output.quality, this.#keyFrames);
    this.#ring = createFrameRing({ width, height, pixels: 'i420' });
    this.#filled = new Uint32Array(width * height);
    this.#plane = new Uint8Array((width * height * 3) / 2);
  }

  async write(rgba: Uint8Array, frame: number): Promise<void> {
    const { width, height } = this.#options.format;
    const pixels = new Uint32Array(rgba.buffer, rgba.byteOffset, rgba.byteLength / 4);
    const opaque = isOpaque(pixels);
    if (!opaque) await this.#beginAlpha(frame);
    if (!opaque) fillUnseen(pixels, this.#filled, width);
    this.#ring.put(opaque ? rgba : new Uint8Array(this.#filled.buffer), 0);
    await this.#color.encode(ringFrame(this.#ring.buffer, { width, height, pixels: 'i420' }, 0), frame);
    if (this.#alpha === undefined) return;
    alphaPlane(pixels, this.#plane);
    await this.#alpha.encode(this.#plane, frame);
  }

  async finish(): Promise<Uint8Array> {
    const { frameCount, format, output, sound } = this.#options;
    await Promise.all([this.#color.finish(frameCount), this.#alpha?.finish(frameCount)]);
    const alpha = this.#alpha?.packets ?? null;
    const fingerprint = output.fingerprint;
    return muxWebm({ format, color: this.#color.packets, alpha, sound: await sound, fingerprint });
  }

  close(): void {
    this.#color.close();
    this.#alpha?.close();
  }

  /** The frames before the first one that is not opaque are opaque in the stream of alpha, too. */
  async #beginAlpha(frame: number): Promise<void> {
    if (this.#alpha !== undefined) return;
    // Of its own quality it would save little: alpha is mostly flat, and its edges are what is seen.
    this.#alpha = new Vp9Stream(this.#webcodecs, this.#options.format, 'high', this.#keyFrames);
    this.#plane.fill(255, 0, this.#filled.length).fill(128, this.#filled.length);
    for (let before = 0; before < frame; before++) await this.#alpha.encode(this.#plane, before);
  }
}
