import { SceneError } from '../scene-error.ts';
import type { FrameFormat, VideoPacket } from './encoded-track.ts';
import {
  check,
  drain,
  type Libav,
  loadLibav,
  type NativeCodecContext,
  type NativeFrame,
  type NativePacket,
  optionsOf,
} from './libav.ts';

/** AVPixelFormat. */
const YUV420P = 0;
/** H.273: BT.709 as primaries, transfer and matrix; limited range is AVCOL_RANGE_MPEG. */
const BT709 = 1;
const LIMITED_RANGE = 1;

/** How a stream is encoded. */
export interface StreamSettings {
  readonly format: FrameFormat;
  /** FFmpeg's name of the encoder. */
  readonly encoder: string;
  /** In the words of FFmpeg. Tests hold what they do: FFmpeg ignores a name that it does not know. */
  readonly options: Readonly<Record<string, string>>;
}

/**
 * One stream of an FFmpeg encoder, on one thread of Node's pool, so that its bytes are the same on any number of cores.
 * `close` must follow.
 */
export class VideoStream {
  /** In decoding order. */
  readonly packets: VideoPacket[] = [];
  readonly #libav: Libav;
  readonly #settings: StreamSettings;
  readonly #context: NativeCodecContext;
  readonly #frame: NativeFrame;
  readonly #packet: NativePacket;
  #framesTaken = 0;
  /** The call that runs off this thread; never rejects. */
  #pending: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #failure: SceneError | undefined;

  /** @throws ReelformError encoder_missing; SceneError encode_failed */
  static async open(settings: StreamSettings): Promise<VideoStream> {
    const stream = new VideoStream(loadLibav(), settings);
    await stream.#guard(() => stream.#open());
    return stream;
  }

  private constructor(libav: Libav, settings: StreamSettings) {
    this.#libav = libav;
    this.#settings = settings;
    this.#context = new libav.CodecContext();
    this.#frame = new libav.Frame();
    this.#packet = new libav.Packet();
  }

  /** The decoder configuration record as MP4 has it: avcC, hvcC, av1C. @throws SceneError encode_failed for other codecs */
  configuration(): Uint8Array {
    const parameters = new this.#libav.CodecParameters();
    parameters.alloc();
    try {
      parameters.fromContext(this.#context);
      const record = parameters.getDecoderConfigurationRecord();
      if (record === null) throw new SceneError('encode_failed', 'The encoder gave no configuration');
      return Uint8Array.from(record);
    } finally {
      parameters.free();
    }
  }

  /**
   * Takes the next frame; resolves when it is in the encoder.
   *
   * @param i420 may be overwritten then
   * @throws SceneError encode_failed
   */
  async encode(i420: Uint8Array, frame: number): Promise<void> {
    await this.#guard(async () => {
      check(this.#libav, this.#frame.makeWritable());
      check(this.#libav, this.#frame.fromBuffer(i420));
      this.#frame.pts = BigInt(frame);
      check(this.#libav, await this.#context.sendFrame(this.#frame));
      await this.#takePackets();
    });
    this.#framesTaken += 1;
  }

  /** Resolves when every frame is among the packets. @throws SceneError encode_failed */
  async finish(): Promise<void> {
    await this.#guard(async () => {
      check(this.#libav, await this.#context.sendFrame(null));
      await this.#takePackets();
      if (this.packets.length !== this.#framesTaken) {
        throw new Error(`it gave ${this.packets.length} of ${this.#framesTaken} frames`);
      }
    });
  }

  /** Frees the encoder, as soon as no thread uses it; may be called again. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    void this.#pending.then(() => {
      this.#context.freeContext();
      this.#frame.free();
      this.#packet.free();
    });
  }

  async #open(): Promise<void> {
    const { format, encoder, options } = this.#settings;
    const codec = this.#libav.Codec.findEncoderByName(encoder);
    if (codec === null) throw new Error(`there is no ${encoder}`);
    const context = this.#context;
    context.allocContext3(codec);
    const { width, height, rate } = format;
    Object.assign(context, { width, height, pixelFormat: YUV420P });
    context.timeBase = { num: rate.denominator, den: rate.numerator };
    context.framerate = { num: rate.numerator, den: rate.denominator };
    const colour = { color_range: 'tv', colorspace: 'bt709', color_primaries: 'bt709', color_trc: 'bt709' };
    const dictionary = optionsOf(this.#libav, { threads: '1', ...colour, ...options });
    try {
      check(this.#libav, await context.open2(codec, dictionary));
    } finally {
      dictionary.free();
    }
    const frame = this.#frame;
    frame.alloc();
    Object.assign(frame, { width, height, format: YUV420P });
    Object.assign(frame, { colorRange: LIMITED_RANGE, colorSpace: BT709, colorPrimaries: BT709, colorTrc: BT709 });
    check(this.#libav, frame.getBuffer(0));
    this.#packet.alloc();
  }

  async #takePackets(): Promise<void> {
    const packet = this.#packet;
    await drain(
      this.#libav,
      () => this.#context.receivePacket(packet),
      () => {
        const bytes = Uint8Array.from(packet.data ?? []);
        this.packets.push({ bytes, frame: Number(packet.pts), isKey: packet.isKeyframe });
        packet.unref();
      },
    );
  }

  /** Runs one call at a time. @throws SceneError encode_failed for the first failure, and once the stream is closed */
  async #guard(call: () => Promise<void>): Promise<void> {
    if (this.#isClosed) this.#failure ??= new SceneError('encode_failed', 'The encoder is closed');
    if (this.#failure !== undefined) throw this.#failure;
    const running = call().catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      this.#failure = new SceneError('encode_failed', `The encoder failed: ${reason}`, { cause });
    });
    this.#pending = running;
    await running;
    if (this.#failure !== undefined) throw this.#failure;
  }
}
