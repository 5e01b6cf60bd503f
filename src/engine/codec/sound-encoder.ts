import type { OutputQuality } from '../../wire/output.ts';
import { MIX_RATE, type Stereo } from '../media/resampler.ts';
import { SceneError } from '../scene-error.ts';
import type { AudioCodec, AudioTrack } from './encoded-track.ts';
import { check, drain, loadLibav, optionsOf } from './libav.ts';

/** Bits a second, both channels. */
const BITRATES: Record<AudioCodec, Record<OutputQuality, number>> = {
  aac: { low: 96_000, medium: 128_000, high: 192_000 },
  opus: { low: 64_000, medium: 96_000, high: 128_000 },
};
/** AVSampleFormat: 32-bit floats, both channels together or one after the other. */
const INTERLEAVED = 3;
const PLANAR = 8;
const ENCODERS = { aac: { name: 'aac', format: PLANAR }, opus: { name: 'libopus', format: INTERLEAVED } } as const;
/** Samples of one packet. */
export const PACKET_SAMPLES: Record<AudioCodec, number> = { aac: 1024, opus: 960 };
/** What FFmpeg's AAC encoder puts before the first sample. Opus says it in its header. */
const AAC_DELAY = 1024;

/** Compresses the sound of a video. To be closed. */
export interface SoundEncoder {
  /** @param block the next samples at 48 kHz, a packet's or, at the end, fewer */
  encode(block: Stereo): Promise<void>;
  /** The track, exactly as long as what was encoded. */
  finish(): Promise<AudioTrack>;
  close(): void;
}

/** @throws ReelformError encoder_missing; SceneError encode_failed, as its methods */
export async function openSoundEncoder(codec: AudioCodec, quality: OutputQuality): Promise<SoundEncoder> {
  const { name, format } = ENCODERS[codec];
  const size = PACKET_SAMPLES[codec];
  const stream = await SoundStream.open({ name, format, size, rate: MIX_RATE, bitrate: BITRATES[codec][quality] });
  let total = 0;
  return {
    async encode({ left, right }) {
      const count = left.length;
      // The last block is filled up with silence.
      const samples = new Float32Array(size * 2);
      if (format === PLANAR) {
        samples.set(left);
        samples.set(right, size);
      } else {
        for (let at = 0; at < count; at++) [samples[at * 2], samples[at * 2 + 1]] = [left[at]!, right[at]!];
      }
      await stream.encode(new Uint8Array(samples.buffer), total);
      total += count;
    },
    async finish() {
      await stream.finish();
      const { packets, configuration } = stream;
      const delay = codec === 'aac' ? AAC_DELAY : Buffer.from(configuration ?? []).readUInt16LE(10);
      const needed = Math.ceil((total + delay) / size);
      if (configuration === null || packets.length < needed) {
        throw new SceneError('encode_failed', `The sound's encoder gave ${packets.length} of ${needed} packets`);
      }
      return {
        codec,
        sampleRate: MIX_RATE,
        channels: 2,
        configuration,
        packets: packets.slice(0, needed).map((bytes, index) => {
          const start = index * size - delay;
          return { bytes, time: start / MIX_RATE, duration: Math.min(size, total - start) / MIX_RATE };
        }),
      };
    },
    close: () => stream.close(),
  };
}

interface SoundSettings {
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
interface SoundStream {
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

const SoundStream = {
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
