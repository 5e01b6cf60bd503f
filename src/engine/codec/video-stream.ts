import { RenderError } from '../render-error.ts';
import { CodecSession } from './codec-session.ts';
import type { FrameFormat, VideoPacket } from './encoded-track.ts';
import type { NativeFrame, NativePacket, NativeScaler } from './libav.ts';

/** ITU-T H.273: BT.709 primaries, transfer and matrix. */
const BT709 = 1;
/** AVCOL_RANGE_MPEG. */
const LIMITED_RANGE = 1;
/** AVCOL_SPC_RGB and AVCOL_RANGE_JPEG: 0..255. */
const RGB = { colorSpace: 0, colorRange: 2 };
const BT709_LIMITED = { colorSpace: BT709, colorRange: LIMITED_RANGE };
/** Colours that the encoded stream declares. */
const DECLARED_COLOURS = { color_range: 'tv', colorspace: 'bt709', color_primaries: 'bt709', color_trc: 'bt709' };
/** Averages chroma over the pixels that share it, and gives the same result on every processor. */
const SCALER_FLAGS = 'accurate_rnd+bitexact+full_chroma_int+full_chroma_inp';

export interface StreamSettings {
  readonly format: FrameFormat;
  /** FFmpeg's name of the encoder. */
  readonly encoder: string;
  /** FFmpeg options. Tests verify their effect, because FFmpeg ignores unknown names. */
  readonly options: Readonly<Record<string, string>>;
  /** FFmpeg's name of the pixel format to which RGBA frames (straight alpha) are converted. If absent, frames are I420. */
  readonly convertTo?: 'yuv422p10le' | 'yuva444p10le' | 'bgra' | undefined;
  /** The encoder outputs a single packet with the whole file. Times are in milliseconds instead of frames. */
  readonly isWholeFile?: boolean;
}

/** A video stream of an FFmpeg encoder. The caller must close it. */
export class VideoStream {
  /** In decoding order. The owner may remove them to free memory. */
  readonly packets: VideoPacket[] = [];
  readonly #session = new CodecSession({
    code: 'encode_failed',
    subject: 'The encoder',
    failed: 'The encoder failed',
  });
  #framesSent = 0;
  #packetsTaken = 0;
  /** Undefined if frames are encoded without conversion. */
  #conversion: { readonly scaler: NativeScaler; readonly source: NativeFrame } | undefined;
  readonly #isWholeFile: boolean;

  private constructor({ isWholeFile = false }: StreamSettings) {
    this.#isWholeFile = isWholeFile;
  }

  /** @throws ReelformError encoder_missing; RenderError encode_failed */
  static async open(settings: StreamSettings): Promise<VideoStream> {
    const stream = new VideoStream(settings);
    try {
      await stream.#session.run(() => stream.#open(settings));
    } catch (error) {
      stream.close();
      throw error;
    }
    return stream;
  }

  /** Returns the decoder configuration record for MP4: avcC, hvcC, av1C. @throws RenderError encode_failed for other codecs */
  configuration(): Uint8Array {
    const parameters = new this.#session.libav.CodecParameters();
    parameters.alloc();
    try {
      parameters.fromContext(this.#session.context);
      const record = parameters.getDecoderConfigurationRecord();
      if (record === null) throw new RenderError('encode_failed', 'The encoder gave no configuration');
      return Uint8Array.from(record);
    } finally {
      parameters.free();
    }
  }

  /**
   * Encodes the next frame; resolves when the encoder has copied it.
   *
   * @param pixels may be overwritten after that
   * @param time index of the frame; milliseconds for a whole file
   * @throws RenderError encode_failed
   */
  async encode(pixels: Uint8Array, time: number): Promise<void> {
    const { context, frame } = this.#session;
    await this.#session.run(async () => {
      this.#session.check(frame.makeWritable());
      this.#session.check((this.#conversion?.source ?? frame).fromBuffer(pixels));
      if (this.#conversion !== undefined) {
        this.#session.check(await this.#conversion.scaler.scaleFrame(frame, this.#conversion.source));
      }
      frame.pts = BigInt(time);
      this.#session.check(await context.sendFrame(frame));
      // FFmpeg encodes in `sendFrame`, so fetching the packet does not block this thread.
      await this.#takePackets((packet) => context.receivePacketSync(packet));
    });
    this.#framesSent += 1;
  }

  /** Resolves when all frames have become packets. @throws RenderError encode_failed */
  async finish(): Promise<void> {
    await this.#session.run(async () => {
      this.#session.check(await this.#session.context.sendFrame(null));
      await this.#takePackets((packet) => this.#session.context.receivePacket(packet));
      const expected = this.#isWholeFile ? 1 : this.#framesSent;
      if (this.#packetsTaken !== expected) throw new Error(`it gave ${this.#packetsTaken} of ${expected} frames`);
    });
  }

  /** May be called again. */
  close(): void {
    this.#session.close();
  }

  async #open({ format, encoder, options, convertTo, isWholeFile }: StreamSettings): Promise<void> {
    const { width, height, rate } = format;
    const session = this.#session;
    const codec = session.libav.Codec.findEncoderByName(encoder);
    if (codec === null) throw new Error(`there is no ${encoder}`);
    const pixelFormat = session.libav.avGetPixFmtFromName(convertTo ?? 'yuv420p');
    const configure = (context: CodecSession['context']): void => {
      Object.assign(context, { width, height, pixelFormat });
      context.timeBase = isWholeFile ? { num: 1, den: 1000 } : { num: rate.denominator, den: rate.numerator };
      context.framerate = { num: rate.numerator, den: rate.denominator };
    };
    const isRgb = convertTo === 'bgra';
    const colours = isRgb ? RGB : BT709_LIMITED;
    await session.open(codec, configure, isRgb ? options : { ...DECLARED_COLOURS, ...options });
    this.#allocate(session.frame, { ...format, format: pixelFormat, ...colours });
    if (convertTo !== undefined) this.#convertFrom(format);
  }

  #convertFrom(format: FrameFormat): void {
    const { libav } = this.#session;
    const [source, scaler] = [new libav.Frame(), new libav.SoftwareScaleContext()];
    source.alloc();
    scaler.allocContext();
    this.#session.freeOnClose(() => {
      source.free();
      scaler.freeContext();
    });
    this.#session.check(libav.Option.set(scaler, 'sws_flags', SCALER_FLAGS, 0));
    this.#allocate(source, { ...format, format: libav.avGetPixFmtFromName('rgba'), ...RGB });
    this.#conversion = { scaler, source };
  }

  #allocate(
    frame: NativeFrame,
    { width, height, format, colorSpace, colorRange }: Pick<NativeFrame, 'width' | 'height' | 'format'> & typeof RGB,
  ): void {
    Object.assign(frame, { width, height, format, colorSpace, colorRange, colorPrimaries: BT709, colorTrc: BT709 });
    this.#session.check(frame.getBuffer(0));
  }

  async #takePackets(receive: (packet: NativePacket) => number | Promise<number>): Promise<void> {
    const { packet } = this.#session;
    await this.#session.drain(
      () => receive(packet),
      () => {
        const bytes = Uint8Array.from(packet.data ?? []);
        this.packets.push({ bytes, frame: Number(packet.pts), isKey: packet.isKeyframe });
        this.#packetsTaken += 1;
        packet.unref();
      },
    );
  }
}
