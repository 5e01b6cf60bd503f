import { Decoder } from '../../../src/engine/codec/decoder.ts';
import type { AudioPacket, AudioTrack } from '../../../src/engine/codec/encoded-track.ts';
import { readSound } from '../../../src/engine/codec/packet-file.ts';

/** Left and right samples of a track as a player outputs them, from time 0 to the end of the last packet. */
export async function decodedTrack({ codec, sampleRate, configuration, packets: file }: AudioTrack) {
  const packets: AudioPacket[] = [];
  for await (const packet of readSound(file)) packets.push(packet);
  if (codec === 'pcm') return pcmChannels(packets);
  const blocks: [Float32Array, Float32Array][] = [];
  const options = { codec, description: configuration, sampleRate, channels: 2, kind: 'sound', name: 'test' } as const;
  const decoder = await Decoder.open(options, (frame) => {
    const samples = new Float32Array(Uint8Array.from(frame.toBuffer()).buffer);
    blocks.push([samples.subarray(0, frame.nbSamples), samples.subarray(frame.nbSamples)]);
  });
  for (const [index, { bytes }] of packets.entries()) await decoder.feed(bytes, index);
  await decoder.flush();
  decoder.close();
  const skipped = Math.round(-packets[0]!.time * sampleRate);
  const last = packets.at(-1)!;
  const total = Math.round((last.time + last.duration) * sampleRate);
  const side = (index: 0 | 1): Float32Array => {
    const all = blocks.flatMap((block) => [...block[index]]);
    return Float32Array.from(all.slice(skipped, skipped + total));
  };
  return { left: side(0), right: side(1) };
}

/** Returns the channels of interleaved samples of 24 bits, little-endian. */
function pcmChannels(packets: readonly AudioPacket[]) {
  const bytes = Buffer.concat(packets.map((packet) => packet.bytes));
  const side = (index: 0 | 1): Float32Array =>
    Float32Array.from({ length: bytes.length / 6 }, (_, at) => bytes.readIntLE(6 * at + 3 * index, 3) / 2 ** 23);
  return { left: side(0), right: side(1) };
}

/** Root mean square of a range of samples. */
export function rms(samples: Float32Array, from: number, to: number): number {
  const part = samples.subarray(from, to);
  return Math.sqrt(part.reduce((sum, sample) => sum + sample * sample, 0) / part.length);
}

/** Index of the first sample at or after `from` that is louder than `level`, or -1. */
export function onset(samples: Float32Array, level = 0.1, from = 0): number {
  return samples.findIndex((sample, at) => at >= from && Math.abs(sample) > level);
}
