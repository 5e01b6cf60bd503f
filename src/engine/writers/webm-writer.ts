import type { VideoStream } from '../codec/video-stream.ts';
import type { FrameWriter, WriterOptions } from '../frame-writer.ts';
import { createFrameRing, ringFrame } from '../raster/frame-ring.ts';
import { muxWebm } from './mux-webm.ts';
import { alphaPlane, fillUnseen, isOpaque } from './split-alpha.ts';
import { openVp9Stream } from './vp9-stream.ts';

/** A player can seek to so many seconds. */
const KEY_INTERVAL_SECONDS = 2;

/**
 * VP9 and Opus in WebM. Where a frame is not opaque the file gets a second stream with the alpha of all frames, as browsers
 * read it. Both are encoded at the same time, in threads of the encoder.
 */
export async function openWebmWriter(options: WriterOptions): Promise<FrameWriter> {
  const { rate } = options.format;
  const keyFrames = Math.max(1, Math.round((KEY_INTERVAL_SECONDS * rate.numerator) / rate.denominator));
  return new WebmWriter(options, keyFrames, await openVp9Stream(options.format, options.output.quality, keyFrames));
}

class WebmWriter implements FrameWriter {
  readonly #options: WriterOptions;
  readonly #keyFrames: number;
  readonly #color: VideoStream;
  #alpha: VideoStream | undefined;
  readonly #ring;
  readonly #filled: Uint32Array;
  readonly #plane: Uint8Array;

  constructor(options: WriterOptions, keyFrames: number, color: VideoStream) {
    const { width, height } = options.format;
    this.#options = options;
    this.#keyFrames = keyFrames;
    this.#color = color;
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
    const { format, output, sound } = this.#options;
    await Promise.all([this.#color.finish(), this.#alpha?.finish()]);
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
    this.#alpha = await openVp9Stream(this.#options.format, 'high', this.#keyFrames);
    this.#plane.fill(255, 0, this.#filled.length).fill(128, this.#filled.length);
    for (let before = 0; before < frame; before++) await this.#alpha.encode(this.#plane, before);
  }
}
