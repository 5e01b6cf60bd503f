import type { VideoEncoder } from '@napi-rs/webcodecs';
import type { OutputQuality } from '../../wire/output.ts';
import { CodecWatch } from '../h264/codec-watch.ts';
import type { FrameFormat } from '../h264/encoder.ts';
import type { loadWebcodecs } from '../h264/webcodecs-encoder.ts';
import { freeBuffers } from '../raster/free-buffers.ts';
import { SceneError } from '../scene-error.ts';

type Webcodecs = Awaited<ReturnType<typeof loadWebcodecs>>;

/**
 * Bits for each pixel of each frame; null for constant quality, which the binary fixes: libvpx, realtime, cpu-used 7, CQ 23.
 */
export const VP9_BITS_PER_PIXEL: Readonly<Record<OutputQuality, number | null>> = {
  low: 0.012,
  medium: 0.025,
  high: null,
};

/** So many frames wait in the encoder, beside the one that it works on. */
const QUEUE_FRAMES = 2;
const COLOUR = { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709', fullRange: false } as const;

/** One coded picture. */
export interface Vp9Packet {
  readonly bytes: Uint8Array;
  readonly isKey: boolean;
}

/** Encodes one VP9 stream; its bytes do not depend on the number of cores. `close` must follow. */
export class Vp9Stream {
  readonly packets: Vp9Packet[] = [];
  readonly #webcodecs: Webcodecs;
  readonly #format: FrameFormat;
  readonly #encoder: VideoEncoder;
  readonly #keyFrames: number;
  readonly #watch = new CodecWatch(
    (reason, cause) => new SceneError('encode_failed', `The encoder failed: ${reason}`, { cause }),
  );

  /** @param keyFrames frames from one key frame to the next */
  constructor(webcodecs: Webcodecs, format: FrameFormat, quality: OutputQuality, keyFrames: number) {
    this.#webcodecs = webcodecs;
    this.#format = format;
    this.#keyFrames = keyFrames;
    this.#encoder = new webcodecs.VideoEncoder({
      output: (chunk) => {
        const bytes = new Uint8Array(chunk.byteLength);
        chunk.copyTo(bytes);
        this.packets.push({ bytes, isKey: chunk.type === 'key' });
      },
      error: this.#watch.fail,
    });
    this.#encoder.ondequeue = this.#watch.wake;
    const { width, height, rate } = format;
    const framerate = Math.max(1, Math.round(rate.numerator / rate.denominator));
    const bits = VP9_BITS_PER_PIXEL[quality];
    this.#watch.call(() =>
      this.#encoder.configure({
        codec: vp9Codec(format),
        width,
        height,
        framerate,
        latencyMode: 'quality',
        hardwareAcceleration: 'prefer-software',
        ...(bits === null
          ? { bitrateMode: 'quantizer' }
          : { bitrateMode: 'variable', bitrate: Math.max(50_000, Math.round(bits * width * height * framerate)) }),
      }),
    );
  }

  /** Takes the next frame; resolves when there is room for another. @param i420 free again then. @throws SceneError */
  async encode(i420: Uint8Array, frame: number): Promise<void> {
    const { width: codedWidth, height: codedHeight, rate } = this.#format;
    const timestamp = Math.round((frame * 1e6 * rate.denominator) / rate.numerator);
    this.#watch.call(() => {
      const init = { format: 'I420', codedWidth, codedHeight, timestamp, colorSpace: COLOUR } as const;
      // As in webcodecs-encoder.ts: without collections on request, V8 has to see what a frame holds.
      const picture = new this.#webcodecs.VideoFrame(freeBuffers(frame) ? i420 : i420.slice(), init);
      this.#encoder.encode(picture, { keyFrame: frame % this.#keyFrames === 0 });
      picture.close();
    });
    await this.#watch.until(() => this.#encoder.encodeQueueSize <= QUEUE_FRAMES);
  }

  /** Resolves when every frame is among the packets. @throws SceneError */
  async finish(frameCount: number): Promise<void> {
    await this.#watch.finish(() => this.#encoder.flush());
    if (this.packets.length !== frameCount) {
      throw new SceneError('encode_failed', `The encoder gave ${this.packets.length} of ${frameCount} frames`);
    }
  }

  close(): void {
    this.#watch.close();
    if (this.#encoder.state !== 'closed') this.#encoder.close();
  }
}

/** Level → luma samples per second, luma samples per picture. @see VP9 Levels, WebM project */
const LEVELS: readonly (readonly [level: number, perSecond: number, perPicture: number])[] = [
  [10, 829_440, 36_864],
  [11, 2_764_800, 73_728],
  [20, 4_608_000, 122_880],
  [21, 9_216_000, 245_760],
  [30, 20_736_000, 552_960],
  [31, 36_864_000, 983_040],
  [40, 83_558_400, 2_228_224],
  [41, 160_432_128, 2_228_224],
  [50, 311_951_360, 8_912_896],
  [51, 588_251_136, 8_912_896],
  [52, 1_176_502_272, 8_912_896],
  [60, 1_176_502_272, 35_651_584],
  [61, 2_353_004_544, 35_651_584],
];

/** Profile 0, eight bits, and the level that size and rate need. @see VP Codec ISO Media File Format Binding, section 5 */
export function vp9Codec({ width, height, rate }: FrameFormat): string {
  const picture = width * height;
  const second = (picture * rate.numerator) / rate.denominator;
  const level = LEVELS.find(([, perSecond, perPicture]) => second <= perSecond && picture <= perPicture)?.[0] ?? 62;
  return `vp09.00.${level}.08`;
}
