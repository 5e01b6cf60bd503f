import { AudioDecoder, EncodedAudioChunk } from '@napi-rs/webcodecs';
import type { AudioTrack } from '../../../src/engine/audio-track.ts';

/** The left and right samples of a track as a player hears them: from time 0 on, up to the end of the last packet. */
export async function decodedTrack({ codec, sampleRate, configuration, packets }: AudioTrack) {
  const keepAlive = setInterval(() => undefined, 2 ** 30);
  const blocks: [Float32Array, Float32Array][] = [];
  const decoder = new AudioDecoder({
    output: (data) => {
      blocks.push(
        [0, 1].map((planeIndex) => {
          const plane = new Float32Array(data.numberOfFrames);
          data.copyTo(plane, { planeIndex });
          return plane;
        }) as [Float32Array, Float32Array],
      );
      data.close();
    },
    error: (error) => {
      throw error;
    },
  });
  const name = codec === 'aac' ? 'mp4a.40.2' : 'opus';
  decoder.configure({ codec: name, sampleRate, numberOfChannels: 2, description: configuration });
  for (const { bytes, time } of packets) {
    decoder.decode(new EncodedAudioChunk({ type: 'key', timestamp: Math.round(time * 1e6), data: bytes }));
  }
  await decoder.flush();
  decoder.close();
  clearInterval(keepAlive);
  const skipped = Math.round(-packets[0]!.time * sampleRate);
  const last = packets.at(-1)!;
  const total = Math.round((last.time + last.duration) * sampleRate);
  const side = (index: 0 | 1): Float32Array => {
    const all = blocks.flatMap((block) => [...block[index]]);
    return Float32Array.from(all.slice(skipped, skipped + total));
  };
  return { left: side(0), right: side(1) };
}

/** Loudness of a stretch of samples. */
export function rms(samples: Float32Array, from: number, to: number): number {
  const part = samples.subarray(from, to);
  return Math.sqrt(part.reduce((sum, sample) => sum + sample * sample, 0) / part.length);
}

/** The first sample from `from` on that is louder than `level`; -1 where none is. */
export function onset(samples: Float32Array, level = 0.1, from = 0): number {
  return samples.findIndex((sample, at) => at >= from && Math.abs(sample) > level);
}
