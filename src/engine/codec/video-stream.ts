import { SceneError } from '../scene-error.ts';
import { CodecSession } from './codec-session.ts';
import type { FrameFormat, VideoPacket } from './encoded-track.ts';

/** AVPixelFormat. */
const YUV420P = 0;
/** ITU-T H.273: BT.709 primaries, transfer and matrix. */
const BT709 = 1;
/** AVCOL_RANGE_MPEG. */
const LIMITED_RANGE = 1;

export interface StreamSettings {
  readonly format: FrameFormat;
  /** FFmpeg's name of the encoder. */
  readonly encoder: string;
  /** FFmpeg options. Tests verify their effect, because FFmpeg ignores a name that it does not know. */
  readonly options: Readonly<Record<string, string>>;
}

/** A video stream of an FFmpeg encoder. `close` must follow. */
export class VideoStream {
  /** In decoding order. */
  readonly packets: VideoPacket[] = [];
  readonly #session = new CodecSession({
    ...{ code: 'encode_failed', subject: 'The encoder', failed: 'The encoder failed' },
  });
  #framesTaken = 0;

  private constructor() {}

  /** @throws ReelformError encoder_missing; SceneError encode_failed */
  static async open(settings: StreamSettings): Promise<VideoStream> {
    const stream = new VideoStream();
    try {
      await stream.#session.run(() => stream.#open(settings));
    } catch (error) {
      stream.close();
      throw error;
    }
    return stream;
  }

  /** Returns the decoder configuration record for MP4: avcC, hvcC, av1C. @throws SceneError encode_failed for other codecs */
  configuration(): Uint8Array {
    const parameters = new this.#session.libav.CodecParameters();
    parameters.alloc();
    try {
      parameters.fromContext(this.#session.context);
      const record = parameters.getDecoderConfigurationRecord();
      if (record === null) throw new SceneError('encode_failed', 'The encoder gave no configuration');
      return Uint8Array.from(record);
    } finally {
      parameters.free();
    }
  }

  /**
   * Encodes the next frame; resolves when the encoder has copied it.
   *
   * @param i420 may be overwritten after that
   * @throws SceneError encode_failed
   */
  async encode(i420: Uint8Array, index: number): Promise<void> {
    const { context, frame } = this.#session;
    await this.#session.run(async () => {
      this.#session.check(frame.makeWritable());
      this.#session.check(frame.fromBuffer(i420));
      frame.pts = BigInt(index);
      this.#session.check(await context.sendFrame(frame));
      await this.#takePackets();
    });
    this.#framesTaken += 1;
  }

  /** Resolves when every frame is among the packets. @throws SceneError encode_failed */
  async finish(): Promise<void> {
    await this.#session.run(async () => {
      this.#session.check(await this.#session.context.sendFrame(null));
      await this.#takePackets();
      if (this.packets.length !== this.#framesTaken) {
        throw new Error(`it gave ${this.packets.length} of ${this.#framesTaken} frames`);
      }
    });
  }

  /** May be called again. */
  close(): void {
    this.#session.close();
  }

  async #open({ format: { width, height, rate }, encoder, options }: StreamSettings): Promise<void> {
    const session = this.#session;
    const codec = session.libav.Codec.findEncoderByName(encoder);
    if (codec === null) throw new Error(`there is no ${encoder}`);
    const configure = (context: CodecSession['context']): void => {
      Object.assign(context, { width, height, pixelFormat: YUV420P });
      context.timeBase = { num: rate.denominator, den: rate.numerator };
      context.framerate = { num: rate.numerator, den: rate.denominator };
    };
    const colour = { color_range: 'tv', colorspace: 'bt709', color_primaries: 'bt709', color_trc: 'bt709' };
    await session.open(codec, configure, { ...colour, ...options });
    Object.assign(session.frame, { width, height, format: YUV420P, colorRange: LIMITED_RANGE });
    Object.assign(session.frame, { colorSpace: BT709, colorPrimaries: BT709, colorTrc: BT709 });
    session.check(session.frame.getBuffer(0));
  }

  async #takePackets(): Promise<void> {
    const { context, packet } = this.#session;
    await this.#session.drain(
      () => context.receivePacket(packet),
      () => {
        const bytes = Uint8Array.from(packet.data ?? []);
        this.packets.push({ bytes, frame: Number(packet.pts), isKey: packet.isKeyframe });
        packet.unref();
      },
    );
  }
}
