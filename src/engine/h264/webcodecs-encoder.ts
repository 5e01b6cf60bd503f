import type { EncodedVideoChunk, EncodedVideoChunkMetadata, VideoEncoder } from '@napi-rs/webcodecs';
import { ReelformError } from '../../diagnostic.ts';
import { freeBuffers } from '../raster/free-buffers.ts';
import { SceneError } from '../scene-error.ts';
import { describeColour } from './avc-configuration.ts';
import { CodecWatch } from './codec-watch.ts';
import type { EncodedTrack, Encoder, FrameFormat, VideoPacket } from './encoder.ts';
import { withoutEncoderNotes } from './nal-units.ts';

type Webcodecs = typeof import('@napi-rs/webcodecs');

/** High profile; the binary chooses the level that the size and rate need. */
const CODEC = 'avc1.640028';
const COLOUR = { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709', fullRange: false } as const;
/** So many frames wait in the encoder, beside the one that it works on. */
const QUEUE_FRAMES = 2;
/**
 * The embedded encoder: x264 inside @napi-rs/webcodecs, superfast, zerolatency, CRF 23, which that binary fixes. Its bytes
 * depend on the number of cores. It has one quality: of the bitrates that it takes instead none fits every video, and what
 * is simple comes out larger and worse than with CRF 23.
 *
 * @throws ReelformError encoder_missing when the optional package is absent or has no binary for this platform
 */
export async function openWebcodecsEncoder(format: FrameFormat): Promise<Encoder> {
  return new WebcodecsEncoder(await loadWebcodecs(), format);
}

/**
 * The encoder's package.
 *
 * @throws ReelformError encoder_missing
 */
export async function loadWebcodecs(): Promise<Webcodecs> {
  try {
    return await import('@napi-rs/webcodecs');
  } catch (cause) {
    throw new ReelformError('encoder_missing', 'The video encoder @napi-rs/webcodecs cannot be loaded', {
      hint: 'install it with: npm install @napi-rs/webcodecs@1.3.1 (it may have been left out by --omit=optional)',
      cause,
    });
  }
}

class WebcodecsEncoder implements Encoder {
  readonly #webcodecs: Webcodecs;
  readonly #format: FrameFormat;
  readonly #encoder: VideoEncoder;
  readonly #packets: VideoPacket[] = [];
  /**
   * Whole frames per second: the binary takes no others. Only its choice of level sees them; times and the rate that the
   * stream names are written later.
   */
  readonly #nominalRate: number;
  readonly #watch = new CodecWatch(
    (reason, cause) => new SceneError('encode_failed', `The encoder failed: ${reason}`, { cause }),
  );
  #configuration: Uint8Array | undefined;
  #framesTaken = 0;

  constructor(webcodecs: Webcodecs, format: FrameFormat) {
    this.#webcodecs = webcodecs;
    this.#format = format;
    const { width, height, rate } = format;
    this.#nominalRate = Math.max(1, Math.round(rate.numerator / rate.denominator));
    this.#encoder = new webcodecs.VideoEncoder({
      output: (chunk, metadata) => this.#keep(chunk, metadata),
      error: this.#watch.fail,
    });
    this.#encoder.ondequeue = this.#watch.wake;
    this.#watch.call(() =>
      this.#encoder.configure({
        codec: CODEC,
        width,
        height,
        framerate: this.#nominalRate,
        bitrateMode: 'quantizer',
        latencyMode: 'quality',
        hardwareAcceleration: 'prefer-software',
        avc: { format: 'avc' },
      }),
    );
  }

  async encode(i420: Uint8Array, frame: number): Promise<void> {
    this.#watch.call(() => this.#send(i420, frame));
    this.#framesTaken += 1;
    await this.#watch.until(() => this.#encoder.encodeQueueSize <= QUEUE_FRAMES);
  }

  async finish(): Promise<EncodedTrack> {
    await this.#watch.finish(() => this.#encoder.flush());
    if (this.#configuration === undefined || this.#packets.length !== this.#framesTaken) {
      throw new SceneError('encode_failed', `The encoder gave ${this.#packets.length} of ${this.#framesTaken} frames`);
    }
    const configuration = describeColour(this.#configuration, this.#format.rate);
    return { format: this.#format, configuration, packets: this.#packets };
  }

  close(): void {
    this.#watch.close();
    if (this.#encoder.state !== 'closed') this.#encoder.close();
  }

  #send(i420: Uint8Array, frame: number): void {
    const { width: codedWidth, height: codedHeight } = this.#format;
    const timestamp = Math.round((frame * 1e6) / this.#nominalRate);
    const init = { format: 'I420', codedWidth, codedHeight, timestamp, colorSpace: COLOUR } as const;
    // `close` does not free a frame's pixels, and V8 does not see them: left alone they would fill the memory. Where they
    // cannot be freed on request, V8 collects in time if each comes with a copy that it does see.
    const source = freeBuffers(frame) ? i420 : i420.slice();
    const picture = new this.#webcodecs.VideoFrame(source, init);
    this.#encoder.encode(picture, { keyFrame: frame === 0 });
    picture.close();
  }

  #keep(chunk: EncodedVideoChunk, metadata: EncodedVideoChunkMetadata | undefined): void {
    const bytes = new Uint8Array(chunk.byteLength);
    chunk.copyTo(bytes);
    // No frames are reordered: the n-th packet shows the n-th frame.
    this.#packets.push({ bytes: withoutEncoderNotes(bytes), frame: this.#packets.length, isKey: chunk.type === 'key' });
    this.#configuration ??= metadata?.decoderConfig?.description;
  }
}
