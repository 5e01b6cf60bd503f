import { RenderError } from '../render-error.ts';
import { CodecSession } from './codec-session.ts';
import type { Libav, NativeFrame } from './libav.ts';
import { waveParameters } from './wave-parameters.ts';

/** FFmpeg's decoders, by `mediabunny`'s codec names, or by FFmpeg's for codecs that `mediabunny` does not know. */
const DECODERS: Readonly<Record<string, string>> = {
  avc: 'h264',
  hevc: 'hevc',
  vp8: 'vp8',
  vp9: 'vp9',
  av1: 'libdav1d',
  prores: 'prores',
  qtrle: 'qtrle',
  png: 'png',
  aac: 'aac',
  mp3: 'mp3float',
  opus: 'opus',
  vorbis: 'vorbis',
  flac: 'flac',
  ac3: 'ac3',
  eac3: 'eac3',
  alac: 'alac',
  wmav1: 'wmav1',
  wmav2: 'wmav2',
};
/** Maximum size of a picture, regardless of the declared size: 4096 × 4096. */
const MAX_PIXELS = '16777216';
/** The reader of the container drops encoder delay, because only the container declares it reliably. */
const SKIP_MANUAL = { flags2: '+skip_manual' };
const MONO = { nbChannels: 1, order: 1, mask: 4n };
const STEREO = { nbChannels: 2, order: 1, mask: 3n };

/** Properties of pictures that a container declares. */
export interface VideoDecoding {
  /** A key of `DECODERS`. */
  readonly codec: string;
  /** Codec configuration, if the codec needs it. */
  readonly description?: Uint8Array | undefined;
  /** Four characters that distinguish variants of a codec, if it has them. */
  readonly format?: string | undefined;
  /** Bits per pixel, for codecs whose packets do not contain it. */
  readonly depth?: number | undefined;
  /** Coded size, for codecs whose packets do not contain it. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

interface DecoderOptions extends VideoDecoding {
  /** Sound only. */
  readonly sampleRate?: number | undefined;
  readonly channels?: number | undefined;
  /** A `WAVEFORMATEX` structure, which replaces the other fields. */
  readonly wave?: Uint8Array | undefined;
  readonly kind: 'video' | 'sound';
  /** Name of the asset, for errors. */
  readonly name: string;
}

/** Sets the fields of a context that the container declares. */
function applyDeclared(context: CodecSession['context'], options: DecoderOptions): void {
  const { description, format, depth, width, height, sampleRate, channels } = options;
  if (description !== undefined && description.length > 0) context.extraData = Buffer.from(description);
  if (format !== undefined) context.codecTag = Buffer.from(format, 'latin1').readUInt32LE();
  if (depth !== undefined) context.bitsPerCodedSample = depth;
  if (width !== undefined && height !== undefined) [context.width, context.height] = [width, height];
  if (sampleRate !== undefined) context.sampleRate = sampleRate;
  if (channels === 1 || channels === 2) context.channelLayout = channels === 1 ? MONO : STEREO;
}

/** An FFmpeg decoder. The caller must close it. */
export class Decoder {
  readonly #session: CodecSession;
  readonly #kind: DecoderOptions['kind'];
  readonly #take: (frame: NativeFrame, libav: Libav) => void;

  /**
   * @param take receives each decoded frame with the `pts` of its packet; the frame is valid until it returns
   * @throws ReelformError encoder_missing; RenderError asset_type_unsupported
   */
  static async open(options: DecoderOptions, take: (frame: NativeFrame, libav: Libav) => void): Promise<Decoder> {
    const { codec, wave, kind, name: imageName } = options;
    const session = new CodecSession({
      code: 'asset_decode_failed',
      imageName,
      subject: `The ${kind}`,
      failed: `The ${kind} cannot be decoded`,
    });
    try {
      const native = session.libav.Codec.findDecoderByName(DECODERS[codec] ?? '');
      if (native === null) throw new Error(`there is no decoder of ${codec}`);
      const parameters = wave === undefined ? undefined : await waveParameters(session.libav, wave);
      const configure = (context: CodecSession['context']): void => {
        if (parameters === undefined) applyDeclared(context, options);
        else session.check(parameters.applyTo(context));
      };
      if (parameters !== undefined) session.freeOnClose(parameters.free);
      const skipManual = wave === undefined ? SKIP_MANUAL : {};
      await session.open(native, configure, { max_pixels: MAX_PIXELS, ...skipManual });
    } catch (cause) {
      const advice = kind === 'video' ? 'H.264 in MP4, or VP9 in WebM' : 'MP3, WAV, FLAC, or AAC in M4A';
      const text = `The ${kind}'s codec ${codec} cannot be decoded; convert it to ${advice}`;
      session.close();
      throw new RenderError('asset_type_unsupported', text, { imageName, cause });
    }
    return new Decoder(session, kind, take);
  }

  private constructor(
    session: CodecSession,
    kind: DecoderOptions['kind'],
    take: (frame: NativeFrame, libav: Libav) => void,
  ) {
    this.#session = session;
    this.#kind = kind;
    this.#take = take;
  }

  /** Resolves when the packet is decoded. @throws RenderError asset_decode_failed */
  async feed(data: Uint8Array, pts: number): Promise<void> {
    const { context, packet } = this.#session;
    await this.#session.run(async () => {
      packet.data = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
      packet.pts = BigInt(pts);
      try {
        this.#session.check(await context.sendPacket(packet));
      } finally {
        packet.unref();
      }
      await this.#takeFrames();
    });
  }

  /** Outputs the buffered frames; nothing can be fed afterwards. @throws RenderError asset_decode_failed */
  async flush(): Promise<void> {
    await this.#session.run(async () => {
      await this.#session.context.sendPacket(null);
      await this.#takeFrames();
    });
  }

  /** May be called again. */
  close(): void {
    this.#session.close();
  }

  async #takeFrames(): Promise<void> {
    const { context, frame, libav } = this.#session;
    const isSound = this.#kind === 'sound';
    await this.#session.drain(
      // A packet of sound was decoded when it was sent: another thread would take longer to start than this takes.
      () => (isSound ? context.receiveFrameSync(frame) : context.receiveFrame(frame)),
      () => {
        if (!this.#session.isClosed) this.#take(frame, libav);
        frame.unref();
      },
    );
  }
}
