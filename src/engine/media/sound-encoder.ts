import type { AudioEncoder } from '@napi-rs/webcodecs';
import type { OutputQuality } from '../../wire/output.ts';
import type { AudioCodec, AudioTrack } from '../audio-track.ts';
import { CodecWatch } from '../h264/codec-watch.ts';
import { loadWebcodecs } from '../h264/webcodecs-encoder.ts';
import { freeBuffers } from '../raster/free-buffers.ts';
import { SceneError } from '../scene-error.ts';
import { MIX_RATE } from './resampler.ts';
import type { Stereo } from './stereo.ts';

/** Bits a second, both channels. */
const BITRATES: Record<AudioCodec, Record<OutputQuality, number>> = {
  aac: { low: 96_000, medium: 128_000, high: 192_000 },
  opus: { low: 64_000, medium: 96_000, high: 128_000 },
};
const CODECS: Record<AudioCodec, string> = { aac: 'mp4a.40.2', opus: 'opus' };
/** Samples of one packet. */
export const PACKET_SAMPLES: Record<AudioCodec, number> = { aac: 1024, opus: 960 };
/** What FFmpeg's AAC encoder puts before the first sample. Opus says it in its header. */
const AAC_DELAY = 1024;
const MOST_QUEUED = 8;

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
  const webcodecs = await loadWebcodecs();
  const packets: Uint8Array[] = [];
  let configuration: Uint8Array | undefined;
  const watch = new CodecWatch(
    (reason, cause) => new SceneError('encode_failed', `The sound cannot be encoded: ${reason}`, { cause }),
  );
  const encoder: AudioEncoder = new webcodecs.AudioEncoder({
    output: (chunk, metadata) => {
      const bytes = new Uint8Array(chunk.byteLength);
      chunk.copyTo(bytes);
      packets.push(bytes);
      configuration ??= metadata?.decoderConfig?.description;
    },
    error: watch.fail,
  });
  encoder.ondequeue = watch.wake;
  const config = { codec: CODECS[codec], sampleRate: MIX_RATE, numberOfChannels: 2 };
  watch.call(() => encoder.configure({ ...config, bitrate: BITRATES[codec][quality] }));
  let total = 0;
  let blocks = 0;
  return {
    async encode({ left, right }) {
      const count = left.length;
      const data = new Float32Array(count * 2);
      data.set(left);
      data.set(right, count);
      const timestamp = Math.round((total * 1e6) / MIX_RATE);
      const format = {
        format: 'f32-planar',
        sampleRate: MIX_RATE,
        numberOfFrames: count,
        numberOfChannels: 2,
      } as const;
      watch.call(() => {
        const samples = new webcodecs.AudioData({ ...format, timestamp, data });
        encoder.encode(samples);
        samples.close();
      });
      total += count;
      freeBuffers(blocks++);
      await watch.until(() => encoder.encodeQueueSize <= MOST_QUEUED);
    },
    async finish() {
      await watch.finish(() => encoder.flush());
      const delay = codec === 'aac' ? AAC_DELAY : Buffer.from(configuration ?? []).readUInt16LE(10);
      const size = PACKET_SAMPLES[codec];
      const needed = Math.ceil((total + delay) / size);
      if (configuration === undefined || packets.length < needed) {
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
    close() {
      watch.close();
      if (encoder.state !== 'closed') encoder.close();
    },
  };
}
