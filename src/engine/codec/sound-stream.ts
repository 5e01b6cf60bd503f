import { SceneError } from '../scene-error.ts';
import { check, drain, loadLibav, optionsOf } from './libav.ts';

export interface SoundSettings {
  /** FFmpeg's name of the encoder. */
  readonly name: string;
  /** AVSampleFormat. */
  readonly format: number;
  /** Samples of one packet. */
  readonly size: number;
  readonly rate: number;
  /** Bits a second, both channels. */
  readonly bitrate: number;
}

/** One stream of sound of an FFmpeg encoder. `close` must follow. */
export interface SoundStream {
  readonly packets: Uint8Array[];
  /** Null where the encoder gave none. */
  readonly configuration: Uint8Array | null;
  /** @param samples of one packet, both channels @param pts of the first of them. @throws SceneError encode_failed */
  encode(samples: Uint8Array, pts: number): Promise<void>;
  /** @throws SceneError encode_failed */
  finish(): Promise<void>;
  close(): void;
}

const STEREO = { nbChannels: 2, order: 1, mask: 3n };

export const SoundStream = {
  /** @throws ReelformError encoder_missing; SceneError encode_failed */
  async open({ name, format, size, rate, bitrate }: SoundSettings): Promise<SoundStream> {
    const libav = loadLibav();
    const [context, frame, packet] = [new libav.CodecContext(), new libav.Frame(), new libav.Packet()];
    const packets: Uint8Array[] = [];
    let pending: Promise<unknown> = Promise.resolve();
    let isClosed = false;
    const close = (): void => {
      if (isClosed) return;
      isClosed = true;
      void pending.then(() => {
        context.freeContext();
        frame.free();
        packet.free();
      });
    };
    const guard = async (call: () => Promise<void>): Promise<void> => {
      if (isClosed) throw new SceneError('encode_failed', 'The encoder of the sound is closed');
      const running = call();
      pending = running.catch(() => undefined);
      await running.catch((cause: unknown) => {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new SceneError('encode_failed', `The sound cannot be encoded: ${reason}`, { cause });
      });
    };
    const take = (): Promise<void> =>
      drain(
        libav,
        () => context.receivePacket(packet),
        () => {
          packets.push(Uint8Array.from(packet.data ?? []));
          packet.unref();
        },
      );
    await guard(async () => {
      const codec = libav.Codec.findEncoderByName(name);
      if (codec === null) throw new Error(`there is no ${name}`);
      context.allocContext3(codec);
      Object.assign(context, { sampleRate: rate, sampleFormat: format, channelLayout: STEREO });
      context.timeBase = { num: 1, den: rate };
      const options = optionsOf(libav, { threads: '1', b: String(bitrate), flags: '+global_header+bitexact' });
      check(libav, await context.open2(codec, options));
      options.free();
      frame.alloc();
      Object.assign(frame, { format, nbSamples: size, sampleRate: rate, channelLayout: STEREO });
      check(libav, frame.getBuffer(0));
      packet.alloc();
    }).catch((error: unknown) => {
      close();
      throw error;
    });
    const { extraData } = context;
    return {
      packets,
      configuration: extraData === null || extraData === undefined ? null : Uint8Array.from(extraData),
      encode: (samples, pts) =>
        guard(async () => {
          check(libav, frame.makeWritable());
          check(libav, frame.fromBuffer(samples));
          frame.pts = BigInt(pts);
          check(libav, await context.sendFrame(frame));
          await take();
        }),
      finish: () =>
        guard(async () => {
          check(libav, await context.sendFrame(null));
          await take();
        }),
      close,
    };
  },
};
