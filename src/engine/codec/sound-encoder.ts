import type { OutputQuality } from '../../contract/wire/output.ts';
import { TemporaryFile } from '../../kernel/temporary-file.ts';
import { RenderError } from '../render-error.ts';
import { CodecSession } from './codec-session.ts';
import type { AudioCodec, AudioPacket, AudioTrack } from './encoded-track.ts';
import { appendSound } from './packet-file.ts';
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
/** Packets that are written to the file at once. */
const PACKETS_AT_ONCE = 64;
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

/**
 * Encodes a sound.
 *
 * @param blocks at 48 kHz, of `PACKET_SAMPLES` each; the last may be shorter
 * @throws ReelformError encoder_missing; RenderError encode_failed; the errors of the blocks
 */
export async function encodeSound(
  blocks: AsyncIterable<Stereo>,
  codec: AudioCodec,
  quality: OutputQuality,
): Promise<AudioTrack> {
  const encoder = codec === 'pcm' ? pcmEncoder() : await CompressedEncoder.open(codec, quality);
  try {
    for await (const block of blocks) await encoder.encode(block);
    return await encoder.finish();
  } finally {
    encoder.close();
  }
}

class CompressedEncoder implements SoundEncoder {
  readonly #codec: CompressedCodec;
  readonly #packetSamples: number;
  readonly #session = new CodecSession({
    code: 'encode_failed',
    subject: 'The encoder of the sound',
    failed: 'The sound cannot be encoded',
  });
  readonly #file = TemporaryFile.create();
  /** Packets that are not in the file yet. */
  readonly #packets: Uint8Array[] = [];
  /** Number of packets in the file. */
  #written = 0;
  /** Samples passed to the encoder, without the silence that pads the last block. */
  #total = 0;
  #isFinished = false;

  static async open(codec: CompressedCodec, quality: OutputQuality): Promise<CompressedEncoder> {
    const encoder = new CompressedEncoder(codec);
    try {
      await encoder.#session.run(() => openCodec(encoder.#session, codec, BITRATES[codec][quality]));
    } catch (error) {
      encoder.close();
      throw error;
    }
    return encoder;
  }

  private constructor(codec: CompressedCodec) {
    this.#codec = codec;
    this.#packetSamples = PACKET_SAMPLES[codec];
  }

  async encode(block: Stereo): Promise<void> {
    const toSamples = ENCODERS[this.#codec].format === PLANAR ? planar : interleaved;
    await this.#send(new Uint8Array(toSamples(block, this.#packetSamples).buffer));
    this.#total += block.left.length;
    if (this.#packets.length >= PACKETS_AT_ONCE) await this.#write();
  }

  async finish(): Promise<AudioTrack> {
    await this.#send(null);
    const configuration = this.#configuration();
    const needed = Math.ceil((this.#total + this.#delay(configuration)) / this.#packetSamples);
    const count = this.#written + this.#packets.length;
    if (count < needed) {
      throw new RenderError('encode_failed', `The sound's encoder gave ${count} of ${needed} packets`);
    }
    await this.#write(needed);
    this.#isFinished = true;
    return { codec: this.#codec, sampleRate: MIX_RATE, channels: 2, configuration, packets: this.#file };
  }

  close(): void {
    this.#session.close();
    if (!this.#isFinished) this.#file.close();
  }

  /** Writes the packets whose duration is known to the file. @param needed number of packets of the sound, at its end */
  async #write(needed?: number): Promise<void> {
    const delay = this.#delay(this.#configuration());
    const startOf = (index: number): number => index * this.#packetSamples - delay;
    // Only the last packet may be shorter.
    const known = needed ?? Math.floor((this.#total + delay) / this.#packetSamples);
    const packets = this.#packets.splice(0, Math.max(0, known - this.#written)).map((bytes, index) => {
      const start = startOf(this.#written + index);
      const duration = Math.min(this.#packetSamples, this.#total - start);
      return { bytes, time: start / MIX_RATE, duration: duration / MIX_RATE };
    });
    this.#written += packets.length;
    await appendSound(this.#file, packets);
  }

  #configuration(): Uint8Array {
    const { extraData } = this.#session.context;
    if (extraData == null) throw new RenderError('encode_failed', "The sound's encoder gave no configuration");
    return Uint8Array.from(extraData);
  }

  /** Returns the samples by which the encoder delays the sound. */
  #delay(configuration: Uint8Array): number {
    return this.#codec === 'aac' ? AAC_DELAY : Buffer.from(configuration).readUInt16LE(10);
  }

  /** @param samples null at the end */
  async #send(samples: Uint8Array | null): Promise<void> {
    const session = this.#session;
    const { context, frame, packet } = session;
    await session.run(async () => {
      if (samples !== null) {
        session.check(frame.makeWritable());
        session.check(frame.fromBuffer(samples));
        frame.pts = BigInt(this.#total);
      }
      session.check(await context.sendFrame(samples === null ? null : frame));
      await session.drain(
        () => context.receivePacketSync(packet),
        () => {
          this.#packets.push(Uint8Array.from(packet.data ?? []));
          packet.unref();
        },
      );
    });
  }
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
  const file = TemporaryFile.create();
  const packets: AudioPacket[] = [];
  let total = 0;
  let isFinished = false;
  return {
    async encode({ left, right }) {
      const bytes = Buffer.alloc(left.length * 2 * PCM_SAMPLE_BYTES);
      let at = 0;
      for (let index = 0; index < left.length; index++) {
        at = bytes.writeIntLE(Math.round(left[index]! * PCM_FULL_SCALE), at, PCM_SAMPLE_BYTES);
        at = bytes.writeIntLE(Math.round(right[index]! * PCM_FULL_SCALE), at, PCM_SAMPLE_BYTES);
      }
      packets.push({ bytes, time: total / MIX_RATE, duration: left.length / MIX_RATE });
      total += left.length;
      if (packets.length >= PACKETS_AT_ONCE) await appendSound(file, packets.splice(0));
    },
    async finish() {
      await appendSound(file, packets.splice(0));
      isFinished = true;
      return { codec: 'pcm', sampleRate: MIX_RATE, channels: 2, configuration: new Uint8Array(0), packets: file };
    },
    close() {
      if (!isFinished) file.close();
    },
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
