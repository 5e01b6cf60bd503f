import { BufferSource, EncodedPacketSink, Input, MP4 } from 'mediabunny';
import { describe, expect, test } from 'vitest';
import type { Picture } from '../../../src/engine/images/bitmap-file.ts';
import { checkClip, checkSound } from '../../../src/engine/media/check-media.ts';
import { decodePcm } from '../../../src/engine/media/decode-pcm.ts';
import { mediaTypeOf } from '../../../src/engine/media/media-type.ts';
import { openSound } from '../../../src/engine/media/open-sound.ts';
import { packetTrack } from '../../../src/engine/media/open-sound-track.ts';
import { videoPictures } from '../../../src/engine/media/video-pictures.ts';
import { ByteView } from '../../../src/kernel/byte-view.ts';
import { onset, rms } from './decoded-track.ts';
import { mediaFile, numberIn } from './media-files.ts';
import { aiffFile, cafFile, cafTable } from './sound-files.ts';

const trackOf = (file: Uint8Array) => packetTrack(ByteView.open(file), mediaTypeOf(file), 'sound');

async function picturesOf(bytes: Uint8Array, seconds: readonly number[]): Promise<Picture[]> {
  await checkClip(bytes, 'clip');
  const opened = await videoPictures(bytes, 'clip', { from: 0, to: 10 });
  try {
    const pictures: Picture[] = [];
    for (const time of seconds) pictures.push(await opened.picture(opened.indexAt(time)));
    return pictures;
  } finally {
    opened.close();
  }
}

/** Times in the middle of the first `count` pictures at 25 a second. */
const times = (count: number): number[] => Array.from({ length: count }, (_, index) => (index + 0.5) / 25);

/** Alpha in the middle of the upper and the lower half. */
const alphaOf = ({ bgra }: Picture): number[] => [9, 27].map((row) => bgra[(row * 64 + 32) * 4 + 3]!);

describe('clips as editors export them', () => {
  test.each([
    ['prores-422.mov', 10, [255, 255]],
    ['prores-4444.mov', 10, [255, 64]],
    ['qtrle-alpha.mov', 10, [255, 64]],
    ['qtrle-16.mov', 10, [255, 255]],
    ['png-alpha.mov', 10, [255, 64]],
    ['png-ya8.mov', 10, [255, 64]],
    ['h264-rgb.mp4', 25, [255, 255]],
  ])('%s gives its %i pictures with their alpha', async (name, count, alpha) => {
    const pictures = await picturesOf(mediaFile(name), times(count));
    expect(pictures.map(({ bgra }) => numberIn(new Uint8Array(bgra)))).toEqual([...times(count).keys()]);
    for (const picture of pictures)
      for (const half of [0, 1]) expect(Math.abs(alphaOf(picture)[half]! - alpha[half]!)).toBeLessThanOrEqual(1);
    expect(pictures.every(({ isOpaque }) => isOpaque)).toBe(alpha[1] === 255);
  });

  test('black and white keep their values in RGB', async () => {
    const [picture] = await picturesOf(mediaFile('h264-rgb.mp4'), [0.06]);
    const at = (column: number) => picture!.bgra[(18 * 64 + column) * 4]!;
    expect([at(4), at(20)]).toEqual([255, 0]);
  });

  test('QuickTime Animation repeats its picture while its packets are empty', async () => {
    const pictures = await picturesOf(mediaFile('qtrle-still.mov'), [0.5, 1.1, 1.3]);
    expect(pictures.map(({ bgra }) => bgra[0]! > 127)).toEqual([false, false, true]);
  });

  test('names QuickTime Animation with a palette, and what keeps alpha', async () => {
    const bytes = mediaFile('qtrle-16.mov');
    bytes.writeUInt16BE(8, bytes.indexOf('rle ') + 4 + 74);
    await expect(checkClip(bytes, 'clip')).rejects.toMatchObject({
      code: 'asset_type_unsupported',
      message:
        "The video's codec QuickTime Animation with a palette is not supported; convert it to H.264 in MP4, or, to keep its alpha, to ProRes 4444 in MOV or VP9 in WebM",
    });
  });
});

async function heard(bytes: Uint8Array): Promise<Float32Array> {
  await checkSound(bytes, 'sound');
  const sound = (await openSound(bytes, 'sound'))!;
  const samples: number[] = [];
  for await (const { left } of sound.samples(0)) samples.push(...left);
  sound.close();
  return Float32Array.from(samples);
}

describe('sounds as editors export them', () => {
  // AC-3 and Windows Media Audio have delays that no container declares. FFmpeg drops that of Microsoft's encoders.
  test.each([
    ['alac.m4a', 0.25],
    ['beep.aiff', 0.25],
    ['beep.caf', 0.25],
    ['beep-alac.caf', 0.25],
    ['beep.ac3', 0.25 + 256 / 48_000],
    ['beep.eac3', 0.25 + 256 / 48_000],
    ['beep.wma', 0.25 - 2048 / 44_100],
    ['beep-v1.wma', 0.25 - 2048 / 44_100],
  ])('%s is silent up to %f s, then a tone of 1 kHz at its level', async (name, start) => {
    const samples = await heard(mediaFile(name));
    expect(samples.length / 48_000).toBeCloseTo(0.5, 1);
    expect(Math.abs(onset(samples) / 48_000 - start)).toBeLessThan(0.001);
    expect(rms(samples, 13_000, 21_000)).toBeCloseTo(0.3 * Math.SQRT1_2, 2);
    const tone = samples.subarray(13_000, 21_000);
    const crossings = tone.filter((sample, at) => at > 0 && tone[at - 1]! < 0 && sample >= 0);
    expect(Math.abs(crossings.length - 1000 * (8000 / 48_000))).toBeLessThanOrEqual(1);
  });

  test('AAC in CAF starts after the samples of the encoder', async () => {
    const { packets, description } = await aacPackets();
    const table = cafTable(
      packets.map(({ length }) => length),
      { valid: 22_050, priming: 1024 },
    );
    const format = { sampleRate: 44_100, format: 'aac ', packetBytes: 0, packetSamples: 1024, channels: 1, bits: 0 };
    const config = Buffer.concat([Buffer.from([5, description.length]), description]);
    const decoder = Buffer.concat([Buffer.from([4, 13 + config.length]), Buffer.alloc(13), config]);
    const kuki = Buffer.concat([Buffer.from([3, 3 + decoder.length, 0, 0, 0]), decoder]);
    const samples = await heard(cafFile(format, Buffer.concat(packets), { kuki, pakt: table }));
    expect(samples.length).toBe(24_000);
    expect(Math.abs(onset(samples) / 48_000 - 0.25)).toBeLessThan(0.002);
  });

  const levels = [0, 0.5, -0.5, 0.25];
  const packed = (bytes: number, write: (buffer: Buffer, value: number, at: number) => void): Buffer => {
    const buffer = Buffer.alloc(bytes * 4 * 500);
    for (let at = 0; at < 2000; at++) write(buffer, levels[at % 4]!, at * bytes);
    return buffer;
  };
  const encodings: [name: string, bits: number, aiff: string | null, flags: number, data: Buffer][] = [
    ['8 bits', 8, 'NONE', 0, packed(1, (b, v, at) => b.writeInt8(v * 128, at))],
    ['16 bits', 16, 'NONE', 0, packed(2, (b, v, at) => b.writeInt16BE(v * 32_768, at))],
    ['24 bits', 24, 'in24', 0, packed(3, (b, v, at) => b.writeIntBE(v * 8_388_608, at, 3))],
    ['32 bits', 32, 'in32', 0, packed(4, (b, v, at) => b.writeInt32BE(v * 2 ** 31, at))],
    ['floating point', 32, 'fl32', 1, packed(4, (b, v, at) => b.writeFloatBE(v, at))],
    ['double precision', 64, 'fl64', 1, packed(8, (b, v, at) => b.writeDoubleBE(v, at))],
    ['16 bits, little-endian', 16, 'sowt', 2, packed(2, (b, v, at) => b.writeInt16LE(v * 32_768, at))],
    ['24 bits, little-endian', 24, null, 2, packed(3, (b, v, at) => b.writeIntLE(v * 8_388_608, at, 3))],
  ];
  test.each(encodings)('AIFF and CAF with %s keep every sample', async (_, bits, compression, flags, data) => {
    const format = {
      sampleRate: 8000,
      format: 'lpcm',
      flags,
      packetBytes: bits / 8,
      packetSamples: 1,
      channels: 1,
      bits,
    };
    const files = [cafFile(format, data), ...(compression === null ? [] : [aiffFile(compression, bits, 1, data)])];
    for (const file of files) {
      const track = trackOf(file)!;
      expect([track.sampleRate, track.endSeconds]).toEqual([8000, 0.25]);
      const values: number[] = [];
      for await (const packet of track.packets(0)) values.push(...decodePcm(track.codec, packet.data, 1)[0]!);
      expect(values.slice(0, 8)).toEqual([...levels, ...levels]);
      expect(values).toHaveLength(2000);
    }
  });

  test('a CAF that was not closed extends to the end of the file', () => {
    const file = mediaFile('beep.caf');
    file.writeBigInt64BE(-1n, file.indexOf('data') + 4);
    expect(trackOf(file)).toMatchObject({ endSeconds: 0.5, announcedSeconds: undefined });
  });

  test.each(['beep.aiff', 'beep.caf', 'beep.ac3'])('%s may end early', async (name) => {
    const file = mediaFile(name);
    const track = trackOf(file.subarray(0, Math.floor(file.length * 0.6)))!;
    expect(track.endSeconds).toBeLessThan(0.45);
    expect(track.announcedSeconds).toBeGreaterThan(track.endSeconds);
  });

  test('WMA may end early', () => {
    // The only packet of the file counts as the first of two.
    const file = changed('beep.wma', '', (bytes) => bytes.writeBigUInt64LE(2n, 30 + 24 + 32));
    const { endSeconds, announcedSeconds } = trackOf(file)!;
    expect(announcedSeconds).toBeCloseTo(2 * endSeconds, 6);
  });

  const refused: [name: string, file: () => Buffer, code: string, message: string][] = [
    [
      'an AIFF-C in IMA 4:1',
      () => aiffFile('ima4', 16, 1, Buffer.alloc(8)),
      'asset_type_unsupported',
      'compression ima4 of the AIFF-C',
    ],
    ['an AIFF without samples', () => mediaFile('beep.aiff').subarray(0, 44), 'asset_decode_failed', 'it has no sound'],
    [
      'an AIFF with 0 channels',
      () => changed('beep.aiff', 'COMM', (file, at) => file.writeUInt16BE(0, at + 8)),
      'asset_decode_failed',
      'it has 0 channels',
    ],
    [
      'a CAF with a chunk of negative size',
      () => changed('beep.caf', 'data', (file, at) => file.writeBigInt64BE(-99n, at + 4)),
      'asset_decode_failed',
      'the chunk data has no size',
    ],
    [
      'a CAF with billions of packets',
      () => changed('beep-alac.caf', 'pakt', (file, at) => file.writeBigInt64BE(1n << 40n, at + 12)),
      'asset_decode_failed',
      'it names too many packets',
    ],
    [
      'a CAF with more samples than packets',
      () => changed('beep-alac.caf', 'pakt', (file, at) => file.writeBigInt64BE(1n << 40n, at + 20)),
      'asset_decode_failed',
      'contradicts itself',
    ],
    [
      'a CAF with huge frames',
      () => changed('beep-alac.caf', 'kuki', (file, at) => file.writeUInt32BE(1 << 30, at + 12 + 24)),
      'asset_decode_failed',
      'Apple Lossless is invalid',
    ],
    [
      'a CAF of another codec',
      () => changed('beep.caf', 'lpcm', (file, at) => file.write('ima4', at, 'latin1')),
      'asset_type_unsupported',
      'The codec IMA 4:1 in CAF',
    ],
    [
      'AC-3 with other data between frames',
      () => changed('beep.ac3', '\x0b\x77', (file) => file.writeUInt16BE(0, 192 * 3)),
      'asset_decode_failed',
      'there are other data between its frames',
    ],
    [
      'Windows Media Audio Professional',
      () => changed('beep.wma', '\x61\x01\x01\x00\x44\xac', (file, at) => file.writeUInt16LE(0x162, at)),
      'asset_type_unsupported',
      'Windows Media Audio Professional is not supported',
    ],
    [
      'WMA whose header is larger than the file',
      () => changed('beep.wma', '', (file) => file.writeBigUInt64LE(1n << 40n, 16)),
      'asset_decode_failed',
      'an object has an impossible size',
    ],
    [
      'WMA with blocks of no size',
      () => changed('beep.wma', '\x61\x01\x01\x00\x44\xac', (file, at) => file.writeUInt16LE(0, at + 12)),
      'asset_decode_failed',
      'the description of its sound is invalid',
    ],
  ];
  test.each(refused)('rejects %s before it is decoded', async (_, file, code, message) => {
    await expect(checkSound(file(), 'sound')).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });
});

function changed(name: string, where: string, change: (file: Buffer, at: number) => void): Buffer {
  const file = mediaFile(name);
  change(file, file.indexOf(where, 0, 'latin1'));
  return file;
}

async function aacPackets() {
  const input = new Input({ source: new BufferSource(mediaFile('beep.m4a')), formats: [MP4] });
  const track = (await input.getPrimaryAudioTrack())!;
  const packets: Buffer[] = [];
  for await (const { data } of new EncodedPacketSink(track).packets()) packets.push(Buffer.from(data));
  return { packets, description: Buffer.from((await track.getDecoderConfig())!.description as Uint8Array) };
}
