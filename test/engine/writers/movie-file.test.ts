import fc from 'fast-check';
import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedVideoPacketSource,
  MovOutputFormat,
  Mp4OutputFormat,
  Output,
} from 'mediabunny';
import { describe, expect, test } from 'vitest';
import { frameRateOf } from '../../../src/contract/timeline/frame-rate.ts';
import type { AudioPacket, AudioTrack, VideoPacket } from '../../../src/engine/codec/encoded-track.ts';
import { appendSound } from '../../../src/engine/codec/packet-file.ts';
import { frameTimeSeconds } from '../../../src/engine/frame-rate.ts';
import { muxMp4 } from '../../../src/engine/writers/mux.ts';
import { SampleTable } from '../../../src/engine/writers/sample-table.ts';
import { TemporaryFile } from '../../../src/kernel/temporary-file.ts';
import { runs } from '../../support/full-run.ts';
import { bytesOf } from '../../support/in-memory.ts';

const SIZE = { width: 320, height: 180 };
/** AVCDecoderConfigurationRecord of a stream in High profile. */
const AVC = Buffer.from('0164001fffe1000867640010acd941410100 0568ebe3cb22c0'.replaceAll(' ', ''), 'hex');
const AAC = Buffer.from('1190', 'hex');
const SOUND_RATE = 48_000;

interface Movie {
  readonly codec: 'h264' | 'prores422';
  readonly fps: number;
  readonly pictures: readonly VideoPacket[];
  readonly sounds: readonly AudioPacket[];
}

/** Groups of a key frame and frames that are decoded in any order. */
const groups = fc.array(
  fc.integer({ min: 1, max: 70 }).chain((length) =>
    fc.record({
      sizes: fc.array(fc.integer({ min: 1, max: 900 }), { minLength: length, maxLength: length }),
      order: fc.shuffledSubarray(
        Array.from({ length: length - 1 }, (_, at) => at + 1),
        { minLength: length - 1 },
      ),
    }),
  ),
  { minLength: 1, maxLength: 6 },
);

function picturesOf(all: readonly { readonly sizes: readonly number[]; readonly order: readonly number[] }[]) {
  let first = 0;
  return all.flatMap(({ sizes, order }) => {
    const start = first;
    first += sizes.length;
    return [0, ...order].map((frame, at): VideoPacket => {
      return { bytes: Buffer.alloc(sizes[at]!, at), frame: start + frame, isKey: at === 0 };
    });
  });
}

/** Packets of 1,024 samples of AAC after the encoder's delay, or of 4,800 samples of 24 bits. */
function soundsOf(codec: Movie['codec'], sizes: readonly number[], lastSamples: number): AudioPacket[] {
  const [samples, delay] = codec === 'h264' ? [1024, 1024] : [4800, 0];
  return sizes.map((size, at) => {
    const count = at === sizes.length - 1 ? Math.min(samples, lastSamples) : samples;
    const bytes = Buffer.alloc(codec === 'h264' ? size : count * 6, at);
    return { bytes, time: (at * samples - delay) / SOUND_RATE, duration: count / SOUND_RATE };
  });
}

const movies = fc
  .record({
    codec: fc.constantFrom<Movie['codec'][]>('h264', 'prores422'),
    fps: fc.constantFrom(8, 12.5, 23.976, 24, 25, 29.97, 30, 50, 59.94, 60),
    groups,
    sizes: fc.array(fc.integer({ min: 1, max: 500 }), { maxLength: 120 }),
    lastSamples: fc.integer({ min: 1, max: 4800 }),
  })
  .map(({ codec, fps, groups: all, sizes, lastSamples }): Movie => {
    const pictures = picturesOf(
      codec === 'h264' ? all : all.flatMap(({ sizes: each }) => each.map((size) => ({ sizes: [size], order: [] }))),
    );
    return { codec, fps, pictures, sounds: soundsOf(codec, sizes, lastSamples) };
  });

async function muxed({ codec, fps, pictures, sounds }: Movie): Promise<Uint8Array> {
  const packets = TemporaryFile.create();
  await appendSound(packets, sounds);
  const configuration = codec === 'h264' ? AVC : Buffer.from('apcn');
  const sound: AudioTrack = {
    codec: codec === 'h264' ? 'aac' : 'pcm',
    sampleRate: SOUND_RATE,
    channels: 2,
    configuration: AAC,
    packets,
  };
  const track = { format: { ...SIZE, rate: frameRateOf(fps) }, configuration, packets: pictures };
  const file = await muxMp4(track, { codec, sound: sounds.length === 0 ? null : sound, fingerprint: 'v1:abc' });
  packets.close();
  return bytesOf(file);
}

/** Writes a movie with mediabunny alone. */
async function writtenByLibrary({ codec, fps, pictures, sounds }: Movie): Promise<Uint8Array> {
  const rate = frameRateOf(fps);
  const isMp4 = codec === 'h264';
  const format = new (isMp4 ? Mp4OutputFormat : MovOutputFormat)({ fastStart: 'in-memory' });
  const output = new Output({ format, target: new BufferTarget() });
  const video = new EncodedVideoPacketSource(isMp4 ? 'avc' : 'prores');
  const audio = new EncodedAudioPacketSource(isMp4 ? 'aac' : 'pcm-s24');
  output.addVideoTrack(video, { frameRate: rate.numerator / rate.denominator });
  if (sounds.length > 0) output.addAudioTrack(audio);
  output.setMetadataTags({ comment: 'v1:abc' });
  await output.start();
  const colorSpace = { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709', fullRange: false } as const;
  const described = isMp4 ? { codec: 'avc1.64001f', description: AVC } : { codec: 'apcn' };
  for (const { bytes, frame, isKey } of pictures) {
    const times = [frameTimeSeconds(rate, frame), frameTimeSeconds(rate, 1)] as const;
    await video.add(new EncodedPacket(bytes, isKey ? 'key' : 'delta', ...times), {
      decoderConfig: { ...described, codedWidth: SIZE.width, codedHeight: SIZE.height, colorSpace },
    });
  }
  const sound = { sampleRate: SOUND_RATE, numberOfChannels: 2 };
  for (const { bytes, time, duration } of sounds) {
    await audio.add(new EncodedPacket(bytes, 'key', time, duration), {
      decoderConfig: isMp4 ? { codec: 'mp4a.40.2', description: AAC, ...sound } : { codec: 'pcm-s24', ...sound },
    });
  }
  await output.finalize();
  return new Uint8Array((output.target as BufferTarget).buffer!);
}

/** Clears the times of creation and modification, which follow version and flags. */
function withoutTimes(file: Uint8Array): Buffer {
  const copy = Buffer.from(file);
  const endAt = copy.indexOf('mdat');
  for (const type of ['mvhd', 'tkhd', 'mdhd']) {
    for (let at = copy.indexOf(type); at >= 0 && at < endAt; at = copy.indexOf(type, at + 4))
      copy.fill(0, at + 8, at + 16);
  }
  return copy;
}

describe('muxMp4()', () => {
  test('writes the bytes that mediabunny writes, which keeps all samples as objects', () =>
    fc.assert(
      fc.asyncProperty(movies, async (movie) => {
        expect(Buffer.compare(await muxed(movie), withoutTimes(await writtenByLibrary(movie)))).toBe(0);
      }),
      { numRuns: runs(1000) },
    ));
});

describe('SampleTable', () => {
  test('has offsets of 64 bits in a large file', () => {
    const table = new SampleTable(30, null);
    table.add({ bytes: Buffer.alloc(4), time: 0, duration: 1 / 30, isKey: true });
    table.endChunk(2 ** 33 + 5);
    table.finish();
    const offsets = table.boxes(100, true).find((box) => box.toString('latin1', 4, 8) === 'co64')!;
    expect(offsets.readUInt32BE(12)).toBe(1);
    expect(offsets.readBigUInt64BE(16)).toBe(2n ** 33n + 105n);
  });
});
