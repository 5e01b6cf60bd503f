import { SceneError } from '../scene-error.ts';
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

/** FFmpeg's decoders, by the names that `mediabunny` has for codecs. */
const DECODERS: Readonly<Record<string, string>> = {
  ...{ avc: 'h264', hevc: 'hevc', vp8: 'vp8', vp9: 'vp9', av1: 'libdav1d' },
  ...{ aac: 'aac', mp3: 'mp3float', opus: 'opus', vorbis: 'vorbis', flac: 'flac', ac3: 'ac3' },
};
/** Of a picture, whatever its stream says: 4096 × 4096. */
const MOST_PIXELS = '16777216';
const MONO = { nbChannels: 1, order: 1, mask: 4n };
const STEREO = { nbChannels: 2, order: 1, mask: 3n };

export interface DecoderOptions {
  /** As `mediabunny` calls it. */
  readonly codec: string;
  /** The codec's configuration, where it has one. */
  readonly description?: Uint8Array | undefined;
  /** Of sound. */
  readonly sampleRate?: number | undefined;
  readonly channels?: number | undefined;
  /** What is decoded: "video" or "sound". */
  readonly kind: 'video' | 'sound';
  /** Name of the asset, for errors. */
  readonly name: string;
}

/** One decoder of FFmpeg, on one thread of Node's pool. `close` must follow. */
export class Decoder {
  readonly #libav: Libav;
  readonly #options: DecoderOptions;
  readonly #take: (frame: NativeFrame, libav: Libav) => void;
  readonly #context: NativeCodecContext;
  readonly #packet: NativePacket;
  readonly #frame: NativeFrame;
  #pending: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  /**
   * @param take gets each frame as it comes out, with the `pts` of its packet; the frame is valid until it returns
   * @throws ReelformError encoder_missing; SceneError asset_type_unsupported
   */
  static async open(options: DecoderOptions, take: (frame: NativeFrame, libav: Libav) => void): Promise<Decoder> {
    const decoder = new Decoder(loadLibav(), options, take);
    try {
      await decoder.#open();
    } catch (cause) {
      const advice = options.kind === 'video' ? 'H.264 in MP4, or VP9 in WebM' : 'MP3, WAV, FLAC, or AAC in M4A';
      const text = `The ${options.kind}'s codec ${options.codec} cannot be decoded; convert it to ${advice}`;
      decoder.close();
      throw new SceneError('asset_type_unsupported', text, { imageName: options.name, cause });
    }
    return decoder;
  }

  private constructor(libav: Libav, options: DecoderOptions, take: (frame: NativeFrame, libav: Libav) => void) {
    this.#libav = libav;
    this.#options = options;
    this.#take = take;
    this.#context = new libav.CodecContext();
    this.#packet = new libav.Packet();
    this.#frame = new libav.Frame();
  }

  /** Resolves when the packet is decoded. @throws SceneError asset_decode_failed */
  async feed(data: Uint8Array, pts: number): Promise<void> {
    await this.#run(async () => {
      this.#packet.data = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
      this.#packet.pts = BigInt(pts);
      try {
        check(this.#libav, await this.#context.sendPacket(this.#packet));
      } finally {
        this.#packet.unref();
      }
      await this.#takeFrames();
    });
  }

  /** Brings out what is still inside; nothing can be fed afterwards. @throws SceneError asset_decode_failed */
  async flush(): Promise<void> {
    await this.#run(async () => {
      await this.#context.sendPacket(null);
      await this.#takeFrames();
    });
  }

  /** Frees the decoder, as soon as no thread uses it; may be called again. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    void this.#pending.then(() => {
      this.#context.freeContext();
      this.#packet.free();
      this.#frame.free();
    });
  }

  async #open(): Promise<void> {
    this.#packet.alloc();
    this.#frame.alloc();
    const { codec, description, sampleRate, channels } = this.#options;
    const found = this.#libav.Codec.findDecoderByName(DECODERS[codec] ?? '');
    if (found === null) throw new Error(`there is no decoder of ${codec}`);
    const context = this.#context;
    context.allocContext3(found);
    if (description !== undefined && description.length > 0) context.extraData = Buffer.from(description);
    if (sampleRate !== undefined) context.sampleRate = sampleRate;
    if (channels === 1 || channels === 2) context.channelLayout = channels === 1 ? MONO : STEREO;
    // What an encoder put before the sound is left out by who knows the container.
    const options = optionsOf(this.#libav, { threads: '1', max_pixels: MOST_PIXELS, flags2: '+skip_manual' });
    try {
      check(this.#libav, await context.open2(found, options));
    } finally {
      options.free();
    }
  }

  async #takeFrames(): Promise<void> {
    const frame = this.#frame;
    await drain(
      this.#libav,
      () => this.#context.receiveFrame(frame),
      () => {
        if (!this.#isClosed) this.#take(frame, this.#libav);
        frame.unref();
      },
    );
  }

  async #run(call: () => Promise<void>): Promise<void> {
    const { kind, name: imageName } = this.#options;
    if (this.#isClosed) throw new SceneError('asset_decode_failed', `The ${kind} is closed`, { imageName });
    const running = call();
    this.#pending = running.catch(() => undefined);
    try {
      await running;
    } catch (cause) {
      if (cause instanceof SceneError) throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new SceneError('asset_decode_failed', `The ${kind} cannot be decoded: ${reason}`, { imageName, cause });
    }
  }
}
