import type { OutputQuality } from '../../contract/wire/output.ts';
import { TemporaryFile } from '../../kernel/temporary-file.ts';
import type { FrameFormat } from '../codec/encoded-track.ts';
import { appendVideo, readVideo } from '../codec/packet-file.ts';
import { VideoStream } from '../codec/video-stream.ts';
import { createFrameRing, ringFrame } from '../raster/frame-ring.ts';
import type { FrameWriter, WriterOptions } from './frame-writer.ts';
import { muxWebm } from './mux.ts';

/** Distance of key frames, to which players can seek, in seconds. */
const KEY_INTERVAL_SECONDS = 2;

/**
 * Opens a writer of WebM with VP9 and Opus. If a frame is not opaque, the file has a second stream with the alpha of all frames, which
 * browsers support.
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
  readonly #colorPackets = TemporaryFile.create();
  readonly #alphaPackets = TemporaryFile.create();
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
    if (!opaque) {
      await this.#beginAlpha(frame);
      fillTransparent(pixels, this.#filled, width);
    }
    this.#ring.put(opaque ? rgba : new Uint8Array(this.#filled.buffer), 0);
    await this.#color.encode(ringFrame(this.#ring.buffer, { width, height, pixels: 'i420' }, 0), frame);
    if (this.#alpha !== undefined) {
      alphaPlane(pixels, this.#plane);
      await this.#alpha.encode(this.#plane, frame);
    }
    await this.#store();
  }

  async finish(): Promise<TemporaryFile> {
    const { format, output, sound, captions } = this.#options;
    await Promise.all([this.#color.finish(), this.#alpha?.finish()]);
    await this.#store();
    const alpha = this.#alpha === undefined ? null : readVideo(this.#alphaPackets);
    const { fingerprint, lang } = output;
    return muxWebm({
      format,
      color: readVideo(this.#colorPackets),
      alpha,
      sound: await sound,
      fingerprint,
      captions,
      lang,
    });
  }

  close(): void {
    this.#color.close();
    this.#alpha?.close();
    this.#colorPackets.close();
    this.#alphaPackets.close();
  }

  /** Moves the packets of both streams from memory to their files. */
  async #store(): Promise<void> {
    await appendVideo(this.#colorPackets, this.#color.packets.splice(0));
    if (this.#alpha !== undefined) await appendVideo(this.#alphaPackets, this.#alpha.packets.splice(0));
  }

  /** Opens the alpha stream at the first frame that is not opaque, and encodes opaque alpha for all earlier frames. */
  async #beginAlpha(frame: number): Promise<void> {
    if (this.#alpha !== undefined) return;
    // A lower quality would save little: alpha is mostly flat, and its edges are visible.
    this.#alpha = await openVp9Stream(this.#options.format, 'high', this.#keyFrames);
    this.#plane.fill(255, 0, this.#filled.length).fill(128, this.#filled.length);
    for (let before = 0; before < frame; before++) {
      await this.#alpha.encode(this.#plane, before);
      await this.#store();
    }
  }
}

/** Size of the blocks that the codec transforms, in pixels. */
const BLOCK = 16;

/** Returns whether all pixels are opaque. @param pixels RGBA as four bytes each, little-endian */
function isOpaque(pixels: Uint32Array): boolean {
  for (let index = 0; index < pixels.length; index++) if (pixels[index]! < 0xff000000) return false;
  return true;
}

/** Writes alpha as the luma of a grey I420 picture: a plane of 0..255, then both chroma planes at 128. */
function alphaPlane(pixels: Uint32Array, target: Uint8Array): void {
  for (let index = 0; index < pixels.length; index++) target[index] = pixels[index]! >>> 24;
  target.fill(128, pixels.length);
}

/**
 * Fills transparent pixels with the mean colour of the visible pixels in their 16×16 block, so that averaging and coding of chroma
 * does not darken edges. Visible pixels are unchanged.
 */
function fillTransparent(pixels: Uint32Array, target: Uint32Array, width: number): void {
  target.set(pixels);
  const height = pixels.length / width;
  for (let top = 0; top < height; top += BLOCK) {
    for (let left = 0; left < width; left += BLOCK) {
      fillBlock(target, width, {
        left,
        top,
        right: Math.min(width, left + BLOCK),
        bottom: Math.min(height, top + BLOCK),
      });
    }
  }
}

function fillBlock(
  pixels: Uint32Array,
  width: number,
  { left, top, right, bottom }: { left: number; top: number; right: number; bottom: number },
): void {
  let [red, green, blue, weight, transparent] = [0, 0, 0, 0, 0];
  for (let row = top; row < bottom; row++) {
    for (let index = row * width + left; index < row * width + right; index++) {
      const pixel = pixels[index]!;
      const alpha = pixel >>> 24;
      if (alpha === 0) {
        transparent += 1;
        continue;
      }
      red += alpha * (pixel & 255);
      green += alpha * ((pixel >> 8) & 255);
      blue += alpha * ((pixel >> 16) & 255);
      weight += alpha;
    }
  }
  if (transparent === 0 || weight === 0) return;
  const mean = Math.round(red / weight) | (Math.round(green / weight) << 8) | (Math.round(blue / weight) << 16);
  for (let row = top; row < bottom; row++) {
    for (let index = row * width + left; index < row * width + right; index++) {
      if (pixels[index]! >>> 24 === 0) pixels[index] = mean;
    }
  }
}

/** Constant quality; lower is better. */
const VP9_QUALITY: Readonly<Record<OutputQuality, number>> = { low: 43, medium: 33, high: 23 };

/**
 * Opens a VP9 stream of libvpx in real-time mode with constant quality. Outputs the frames in order.
 *
 * @param keyFrames frames from each key frame to the next
 * @throws ReelformError encoder_missing; RenderError encode_failed
 */
function openVp9Stream(format: FrameFormat, quality: OutputQuality, keyFrames: number): Promise<VideoStream> {
  const options = {
    deadline: 'realtime',
    'cpu-used': '7',
    crf: String(VP9_QUALITY[quality]),
    b: '0',
    g: String(keyFrames),
    'lag-in-frames': '0',
    flags: '+bitexact',
  };
  return VideoStream.open({ format, encoder: 'libvpx-vp9', options });
}
