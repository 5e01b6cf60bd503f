import type { OutputQuality } from '../../wire/output.ts';
import type { AudioCodec, AudioTrack } from '../audio-track.ts';
import { SoundStream } from '../codec/sound-stream.ts';
import { SceneError } from '../scene-error.ts';
import { MIX_RATE } from './resampler.ts';
import type { Stereo } from './stereo.ts';

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
