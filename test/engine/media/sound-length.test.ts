import { BufferSource, EncodedPacketSink, Input, MP4 } from 'mediabunny';
import { describe, expect, test } from 'vitest';
import type { SoundLength } from '../../../src/contract/video-measures.ts';
import { MIX_RATE } from '../../../src/engine/codec/resampler.ts';
import { openSound } from '../../../src/engine/media/open-sound.ts';
import { soundLength } from '../../../src/engine/media/sound-length.ts';
import { mediaFile, numberedClip, speechSound, stereoWav } from './media-files.ts';

/** Samples at 48 kHz that a mix hears of a sound that is not repeated. */
async function mixedSamples(bytes: Uint8Array): Promise<number> {
  const sound = (await openSound(bytes, 'voice'))!;
  let decoded = 0;
  for await (const { left } of sound.samples(0)) decoded += left.length;
  sound.close();
  return Math.min(decoded, Math.round(sound.durationSeconds * MIX_RATE));
}

/** The mix has whole samples of another rate. */
function expectHeard(mixed: number, { samples, rate }: SoundLength): void {
  expect(Math.abs(mixed - (samples * MIX_RATE) / rate)).toBeLessThan(1);
}

/** A WAV of a tone. */
function wav(rate: number, samples: number): Buffer {
  return stereoWav(
    rate,
    Array.from({ length: samples }, (_, at) => Math.sin(at / 9) / 2),
  );
}

/** A WAV as a program writes it to a pipe: without sizes. */
function streamedWav(): Buffer {
  const file = wav(48_000, 30_000);
  file.writeUInt32LE(0xffffffff, 4);
  file.writeUInt32LE(0xffffffff, file.indexOf('data') + 4);
  return file;
}

/** The packets of `beep.m4a` as a stream with a header for each. @see ISO/IEC 13818-7, 6.2 */
async function adtsFile(): Promise<Buffer> {
  const input = new Input({ source: new BufferSource(mediaFile('beep.m4a')), formats: [MP4] });
  const track = (await input.getPrimaryAudioTrack())!;
  const frames: Uint8Array[] = [];
  for await (const { data } of new EncodedPacketSink(track).packets()) {
    const size = data.length + 7;
    // AAC LC at 44.1 kHz, one channel.
    frames.push(
      Uint8Array.of(0xff, 0xf1, 0x50, 0x40 | (size >> 11), (size >> 3) & 0xff, ((size & 7) << 5) | 0x1f, 0xfc),
      data,
    );
  }
  input.dispose();
  return Buffer.concat(frames);
}

/** `beep.m4a` as QuickTime. */
function quickTime(): Buffer {
  const file = mediaFile('beep.m4a');
  file.write('qt  ', 8, 'latin1');
  return file;
}

type Sample = readonly [name: string, bytes: () => Uint8Array | Promise<Uint8Array>, samples: number, rate: number];

const file = (name: string, samples: number, rate: number): Sample => [name, () => mediaFile(name), samples, rate];

/** Lengths of the tones that the files were made of, if the container declares the padding of its encoder. */
const SOUNDS: readonly Sample[] = [
  ['a WAV', () => wav(44_100, 30_001), 30_001, 44_100],
  ['a WAV of 8 kHz', () => wav(8000, 4001), 4001, 8000],
  ['a WAV that was written to a pipe', streamedWav, 30_000, 48_000],
  file('beep.mp3', 22_050, 44_100),
  file('beep.m4a', 22_050, 44_100),
  ['QuickTime', quickTime, 22_050, 44_100],
  file('alac.m4a', 4000, 8000),
  file('beep.flac', 22_050, 44_100),
  file('beep.ogg', 24_000, 48_000),
  file('vorbis.ogg', 22_050, 44_100),
  file('surround.ogg', 48_000, 48_000),
  file('beep.aiff', 4000, 8000),
  file('beep.caf', 4000, 8000),
  file('beep-alac.caf', 4000, 8000),
  file('beep.ac3', 24_576, 48_000),
  file('beep.eac3', 24_576, 48_000),
  file('beep.wma', 20_480, 44_100),
  file('beep-v1.wma', 20_480, 44_100),
  // The container counts the encoder's delay at the start, which is not heard.
  ['AAC without a container', adtsFile, 23_552, 44_100],
  file('edit-list-25.mp4', 157_440, 48_000),
  file('vp9-opus-25.webm', 23_712, 48_000),
  file('surround.webm', 47_952, 48_000),
];

/** Files that declare no length, so that half of them is a shorter sound. */
const UNDECLARED = ['a WAV that was written to a pipe', 'AAC without a container', 'beep.ac3', 'beep.eac3'];

describe('soundLength()', () => {
  test.each(SOUNDS)('counts the samples of %s that the mixer hears', async (_, read, samples, rate) => {
    const bytes = await read();
    expect(await soundLength(bytes, 'voice')).toEqual({ samples, rate });
    expectHeard(await mixedSamples(bytes), { samples, rate });
  });

  test('reports its progress every ten seconds of the sound', async () => {
    const reports: (readonly [number, number])[] = [];
    await soundLength(wav(8000, 8000 * 31), 'voice', (...report) => reports.push(report));
    expect(reports).toEqual([
      [10, 31],
      [20, 31],
      [30, 31],
    ]);
  });

  test.each([
    ['an empty file', () => Buffer.alloc(0), 'asset_type_unsupported', /is empty/],
    ['a text', () => Buffer.from('no sound at all, really'), 'asset_type_unsupported', /is a text/],
    ['a clip without sound', () => numberedClip(25, 5), 'asset_type_unsupported', /has no sound/],
    ['a sound of an unknown codec', speechSound, 'asset_type_unsupported', /samr/],
    ['a WAV without samples', () => wav(44_100, 0), 'asset_decode_failed', /no length/],
  ])('rejects %s', async (_, read, code, message) => {
    await expect(soundLength(await read(), 'voice')).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
      imageName: 'voice',
    });
  });

  test.each(SOUNDS)('rejects the first half of %s, or counts what the mixer hears of it', async (name, read) => {
    const whole = await read();
    const half = whole.subarray(0, Math.round(whole.length / 2));
    const length = await soundLength(half, 'voice').catch((error: { code: string; message: string }) => error);
    const isCounted = 'samples' in length;
    expect(isCounted).toBe(UNDECLARED.includes(name));
    if (isCounted) return expectHeard(await mixedSamples(half), length);
    expect(length.message).toMatch(name.endsWith('.webm') ? /has no (sound|length)/ : /incomplete|damaged/);
  });
});
