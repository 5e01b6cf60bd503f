import type { OutputQuality } from '../../contract/wire/output.ts';
import { RenderError } from '../render-error.ts';
import { CodecSession } from './codec-session.ts';
import type { AudioCodec, AudioTrack } from './encoded-track.ts';
import { MIX_RATE, type Stereo } from './resampler.ts';

type CompressedCodec = Exclude<AudioCodec, 'pcm'>;

/** Bits per second for both channels together. */
const BITRATES: Record<CompressedCodec, Record<OutputQuality, number>> = {
  aac: { low: 96_000, medium: 128_000, high: 192_000 },
  opus: { low: 64_000, medium: 96_000, high: 128_000 },
};
/** AVSampleFormat: 32-bit floats, interleaved or a plane for each channel. */
const INTERLEAVED = 3;
const PLANAR = 8;
const ENCODERS = { aac: { name: 'aac', format: PLANAR }, opus: { name: 'libopus', format: INTERLEAVED } } as const;
const STEREO = { nbChannels: 2, order: 1, mask: 3n };
/** Samples per packet. */
export const PACKET_SAMPLES: Record<AudioCodec, number> = { aac: 1024, opus: 960, pcm: 4800 };
/** Delay of FFmpeg's AAC encoder, in samples. Opus declares its delay in the header. */
const AAC_DELAY = 1024;

/** Encodes the sound of a video. The caller must close it. */
interface SoundEncoder {
  /** @param block the next samples at 48 kHz: those of a whole packet, or fewer at the end */
  encode(block: Stereo): Promise<void>;
  /** Returns the track, exactly as long as the encoded samples. */
  finish(): Promise<AudioTrack>;
  close(): void;
}

/** @throws ReelformError encoder_missing; RenderError encode_failed, also from its methods */
export async function openSoundEncoder(codec: AudioCodec, quality: OutputQuality): Promise<SoundEncoder> {
  return codec === 'pcm' ? pcmEncoder() : openCompressedEncoder(codec, quality);
}

async function openCompressedEncoder(codec: CompressedCodec, quality: OutputQuality): Promise<SoundEncoder> {
  const { format } = ENCODERS[codec];
  const size = PACKET_SAMPLES[codec];
  const session = new CodecSession({
    code: 'encode_failed',
    subject: 'The encoder of the sound',
    failed: 'The sound cannot be encoded',
  });
  const { context, frame, packet } = session;
  const packets: Uint8Array[] = [];
  let total = 0;
  const send = (samples: Uint8Array | null): Promise<void> =>
    session.run(async () => {
      if (samples !== null) {
        session.check(frame.makeWritable());
        session.check(frame.fromBuffer(samples));
        frame.pts = BigInt(total);
      }
      session.check(await context.sendFrame(samples === null ? null : frame));
      await session.drain(
        () => context.receivePacket(packet),
        () => {
          packets.push(Uint8Array.from(packet.data ?? []));
          packet.unref();
        },
      );
    });
  try {
    await session.run(() => openCodec(session, codec, BITRATES[codec][quality]));
  } catch (error) {
    session.close();
    throw error;
  }
  return {
    async encode(block) {
      const samples = format === PLANAR ? planar(block, size) : interleaved(block, size);
      await send(new Uint8Array(samples.buffer));
      total += block.left.length;
    },
    async finish() {
      await send(null);
      const configuration = context.extraData == null ? null : Uint8Array.from(context.extraData);
      const delay = codec === 'aac' ? AAC_DELAY : Buffer.from(configuration ?? []).readUInt16LE(10);
      const needed = Math.ceil((total + delay) / size);
      if (configuration === null || packets.length < needed) {
        throw new RenderError('encode_failed', `The sound's encoder gave ${packets.length} of ${needed} packets`);
      }
      const timed = packets.slice(0, needed).map((bytes, index) => {
        const start = index * size - delay;
        return { bytes, time: start / MIX_RATE, duration: Math.min(size, total - start) / MIX_RATE };
      });
      return { codec, sampleRate: MIX_RATE, channels: 2, configuration, packets: timed };
    },
    close: () => session.close(),
  };
}

/** Returns both channels, each padded with silence to `size` samples. */
function planar({ left, right }: Stereo, size: number): Float32Array {
  const samples = new Float32Array(size * 2);
  samples.set(left);
  samples.set(right, size);
  return samples;
}

/** Returns both channels interleaved, padded with silence to `size` samples each. */
function interleaved({ left, right }: Stereo, size: number): Float32Array {
  const samples = new Float32Array(size * 2);
  for (let at = 0; at < left.length; at++) {
    samples[at * 2] = left[at]!;
    samples[at * 2 + 1] = right[at]!;
  }
  return samples;
}

const PCM_SAMPLE_BYTES = 3;
const PCM_FULL_SCALE = 2 ** 23 - 1;

/** Encodes uncompressed sound that every editor reads: 24 bits, little-endian, interleaved. */
function pcmEncoder(): SoundEncoder {
  const packets: AudioTrack['packets'][number][] = [];
  let total = 0;
  return {
    async encode({ left, right }) {
      const bytes = Buffer.alloc(left.length * 2 * PCM_SAMPLE_BYTES);
      let at = 0;
      for (let index = 0; index < left.length; index++) {
        at = bytes.writeIntLE(Math.round(left[index]! * PCM_FULL_SCALE), at, PCM_SAMPLE_BYTES);
        at = bytes.writeIntLE(Math.round(right[index]! * PCM_FULL_SCALE), at, PCM_SAMPLE_BYTES);
      }
      packets.push({ bytes: new Uint8Array(bytes), time: total / MIX_RATE, duration: left.length / MIX_RATE });
      total += left.length;
    },
    finish: async () => ({
      codec: 'pcm',
      sampleRate: MIX_RATE,
      channels: 2,
      configuration: new Uint8Array(0),
      packets,
    }),
    close: () => undefined,
  };
}

async function openCodec(session: CodecSession, codec: CompressedCodec, bitrate: number): Promise<void> {
  const { name, format } = ENCODERS[codec];
  const native = session.libav.Codec.findEncoderByName(name);
  if (native === null) throw new Error(`there is no ${name}`);
  const configure = (context: CodecSession['context']): void => {
    Object.assign(context, { sampleRate: MIX_RATE, sampleFormat: format, channelLayout: STEREO });
    context.timeBase = { num: 1, den: MIX_RATE };
  };
  await session.open(native, configure, { b: String(bitrate), flags: '+global_header+bitexact' });
  const frame = { format, nbSamples: PACKET_SAMPLES[codec], sampleRate: MIX_RATE, channelLayout: STEREO };
  Object.assign(session.frame, frame);
  session.check(session.frame.getBuffer(0));
}
