import { BufferSource, Input, MP4 } from 'mediabunny';
import { describe, expect, test } from 'vitest';
import type { AudioTransform } from '../../../src/contract/wire/mapping.ts';
import type { AudioPacket } from '../../../src/engine/codec/encoded-track.ts';
import { readSound } from '../../../src/engine/codec/packet-file.ts';
import { encoderOf, SOFTWARE } from '../../../src/engine/codec/video-encoder.ts';
import { makeSound } from '../../../src/engine/media/make-sound.ts';
import { muxMp4 } from '../../../src/engine/writers/mux.ts';
import type { InputSound, RenderInput } from '../../../src/template/render-input.ts';
import { wavFile } from '../../../templates/source/wav-file.ts';
import { bytesOf } from '../../support/in-memory.ts';
import { inputOf } from '../inputs.ts';
import { decodedTrack, onset, rms } from './decoded-track.ts';
import { mediaFile, numberedClip, speechSound, stereoWav } from './media-files.ts';

const RATE = 48_000;

/** A 1 kHz tone in part of a WAV with silence elsewhere; times in seconds. */
function tone(seconds: number, from = 0, to = seconds, rate = RATE, level = 0.5): Buffer {
  const at = (sample: number): number =>
    sample >= from * rate && sample < to * rate ? level * Math.sin((2 * Math.PI * 1000 * sample) / rate) : 0;
  return stereoWav(
    rate,
    Array.from({ length: Math.round(seconds * rate) }, (_, sample) => at(sample)),
  );
}

function sound(bytes: Uint8Array, transform: AudioTransform = {}, changes: Partial<InputSound> = {}): InputSound {
  return { bytes, startSeconds: 0, endSeconds: 1e9, transform, name: 'music', optional: false, ...changes };
}

/** 50 frames at 25: two seconds. */
function heard(sounds: InputSound[], changes: Partial<RenderInput> = {}): RenderInput {
  return inputOf([], { fps: 25, frameCount: 50, sounds, ...changes });
}

async function mixed(...sounds: InputSound[]) {
  return decodedTrack((await makeSound(heard(sounds), 'aac'))!);
}

const LOUD = 0.5 * Math.SQRT1_2;

describe('makeSound()', () => {
  test('is exactly as long as the video and starts at 0', async () => {
    const track = (await makeSound(heard([sound(tone(5))], { fps: 29.97, frameCount: 31 }), 'aac'))!;
    const packets: AudioPacket[] = [];
    for await (const packet of readSound(track.packets)) packets.push(packet);
    const last = packets.at(-1)!;
    expect(packets[0]!.time).toBe(-1024 / RATE);
    expect((last.time + last.duration) * RATE).toBeCloseTo(Math.round((31 * 1001 * RATE) / 30_000), 6);
    expect(onset((await decodedTrack(track)).left)).toBeLessThan(12);
  });

  test('reports each second, so that the process of a long sound is not taken for stalled', async () => {
    const seen: number[][] = [];
    const onProgress = (done: number, seconds: number) => void seen.push([done, seconds]);
    await makeSound(heard([sound(tone(5))], { frameCount: 80 }), 'aac', { onProgress });
    expect(seen).toEqual([1, 2, 3].map((done) => [done, 4]));
  });

  test('starts where the edit list of a clip starts', async () => {
    const { left } = await mixed(sound(mediaFile('edit-list-25.mp4')));
    expect(onset(left) / RATE).toBeCloseTo(0.78, 2);
  });

  test("has the same length in the finished MP4, without the encoder's priming samples", async () => {
    const format = { width: 64, height: 36, rate: { numerator: 25, denominator: 1 } };
    const encoder = await encoderOf(SOFTWARE)(format, 'high');
    for (let frame = 0; frame < 50; frame++) await encoder.encode(new Uint8Array(64 * 36 * 1.5).fill(128), frame);
    const track = (await makeSound(heard([sound(tone(5))]), 'aac'))!;
    const bytes = await bytesOf(await muxMp4(await encoder.finish(), { sound: track, fingerprint: null }));
    encoder.close();
    const input = new Input({ source: new BufferSource(bytes), formats: [MP4] });
    const audio = (await input.getPrimaryAudioTrack())!;
    expect(await audio.getCodec()).toBe('aac');
    expect(await audio.getFirstTimestamp()).toBeCloseTo(-1024 / RATE, 9);
    expect(await audio.computeDuration()).toBe(2);
    // One edit: all media after the encoder's delay. @see ISO/IEC 14496-12, 8.6.6
    const list = Buffer.from(bytes).indexOf('elst') + 4;
    expect([4, 12].map((offset) => Buffer.from(bytes).readUInt32BE(list + offset))).toEqual([1, 1024]);
  });

  test('produces Opus on request', async () => {
    const track = (await makeSound(heard([sound(tone(2, 0.5))]), 'opus'))!;
    expect(track.codec).toBe('opus');
    expect(Buffer.from(track.configuration).toString('latin1', 0, 8)).toBe('OpusHead');
    const { left } = await decodedTrack(track);
    expect(left).toHaveLength(2 * RATE);
    expect(Math.abs(onset(left) - 0.5 * RATE)).toBeLessThan(48);
  });

  test('starts and ends at the given times, from the trim point of the source', async () => {
    const { left } = await mixed(sound(tone(5, 1), { trim_start_time: 0.75 }, { startSeconds: 0.5, endSeconds: 1.5 }));
    // The tone starts a quarter of a second after the trim point.
    expect(Math.abs(onset(left) - 0.75 * RATE)).toBeLessThan(24);
    expect(rms(left, 1.52 * RATE, 2 * RATE)).toBeLessThan(0.001);
    expect(rms(left, RATE, 1.4 * RATE)).toBeCloseTo(LOUD, 2);
  });

  test('resamples without shifting anything', async () => {
    const { left } = await mixed(sound(tone(2, 1.25, 2, 44_100), { trim_start_time: 0.25 }));
    expect(Math.abs(onset(left) - RATE)).toBeLessThan(24);
    expect(rms(left, 1.2 * RATE, 1.6 * RATE)).toBeCloseTo(LOUD, 2);
  });

  test('applies volume and fades, also at the end of a sound shorter than the video', async () => {
    const { left } = await mixed(sound(tone(1.5), { volume: 0.5, fade_in: 0.5, fade_out: 0.5 }));
    const levels = [0.25, 0.75, 1.25, 1.45].map((second) => rms(left, (second - 0.02) * RATE, (second + 0.02) * RATE));
    for (const [at, share] of [0.5, 1, 0.5, 0.1].entries()) expect(levels[at]).toBeCloseTo(LOUD * 0.5 * share, 2);
  });

  test('fades before the end that is asked for, and not before an end of its own', async () => {
    const fading = { endSeconds: 1.5, endFadeSeconds: 0.5 };
    const { left } = await mixed(sound(tone(2), {}, fading));
    const levels = [0.5, 1.25, 1.45, 1.6].map((second) => rms(left, (second - 0.02) * RATE, (second + 0.02) * RATE));
    for (const [at, share] of [1, 0.5, 0.1, 0].entries()) expect(levels[at]).toBeCloseTo(LOUD * share, 2);
    const { left: short } = await mixed(sound(tone(0.9), {}, fading));
    expect(rms(short, 0.7 * RATE, 0.85 * RATE)).toBeCloseTo(LOUD, 2);
  });

  test('loops from the trim point without a gap', async () => {
    const { left } = await mixed(sound(tone(0.7, 0.2, 0.3), { loop: true, trim_start_time: 0.2 }));
    const starts = [0, 0.5, 1, 1.5].map((second) => onset(left, 0.1, (second - 0.01) * RATE) - second * RATE);
    for (const start of starts) expect(Math.abs(start)).toBeLessThan(24);
    expect(rms(left, 0.15 * RATE, 0.45 * RATE)).toBeLessThan(0.001);
  });

  test('mixes sounds and limits peaks instead of clipping them', async () => {
    const { left } = await mixed(...Array.from({ length: 4 }, () => sound(tone(2))));
    const peak = left.subarray(RATE / 2).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    expect(peak).toBeGreaterThan(0.9);
    expect(peak).toBeLessThan(1.05);
    // Still a sine: a clipped sine would be louder for its peak.
    expect(rms(left, RATE, 1.5 * RATE) / peak).toBeCloseTo(Math.SQRT1_2, 1);
  });

  test('keeps left and right apart', async () => {
    const sine = Array.from({ length: RATE }, (_, at) => 0.5 * Math.sin(at / 8));
    const { left, right } = await mixed(sound(stereoWav(RATE, sine, new Array(RATE).fill(0))));
    expect(rms(left, 0.2 * RATE, 0.8 * RATE)).toBeCloseTo(LOUD, 2);
    expect(rms(right, 0.2 * RATE, 0.8 * RATE)).toBeLessThan(0.005);
  });

  // Tolerance for the start of the tone in milliseconds: codecs smear it and containers round it.
  const files: [string, number][] = [
    ['beep.mp3', 1.5],
    ['beep.flac', 0.2],
    ['beep.ogg', 1.5],
    ['vorbis.ogg', 1.5],
    ['beep.m4a', 1.5],
  ];
  test.each(files)('plays %s from its first sample to its last', async (file, tolerance) => {
    const { left } = await mixed(sound(mediaFile(file)));
    expect(Math.abs(onset(left, 0.1) - 0.25 * RATE)).toBeLessThan((tolerance * RATE) / 1000);
    expect(rms(left, 0.3 * RATE, 0.45 * RATE)).toBeCloseTo(0.3 * Math.SQRT1_2, 1);
    expect(rms(left, 0.51 * RATE, 2 * RATE)).toBeLessThan(0.005);
  });

  test('subtracts the delay of Opus in WebM from its timestamps', async () => {
    const { left } = await mixed(sound(mediaFile('vp9-opus-25.webm')));
    expect(Math.abs(onset(left) - (0.25 - 0.007) * RATE)).toBeLessThan(0.001 * RATE);
  });

  test.each(['surround.ogg', 'surround.webm'])('keeps the channels of %s, from any trim point', async (file) => {
    for (const from of [0, 0.6]) {
      const { left, right } = await mixed(sound(mediaFile(file), { trim_start_time: from }));
      expect(Math.abs(onset(right, 0.05) - (0.75 - from) * RATE)).toBeLessThan((1.5 * RATE) / 1000);
      expect(rms(left, (0.8 - from) * RATE, (0.95 - from) * RATE)).toBeLessThan(0.005);
      expect(rms(right, (1.02 - from) * RATE, 1.2 * RATE)).toBeLessThan(0.005);
    }
  });

  test('hears the centre of a 5.1 sound 3 dB lower on both sides', async () => {
    const centre = Int16Array.from({ length: RATE }, (_, at) => 16_384 * Math.sin((2 * Math.PI * 1000 * at) / RATE));
    const channels = [0, 1, 2, 3, 4, 5].map((channel) => (channel === 2 ? centre : new Int16Array(RATE)));
    const { left, right } = await mixed(sound(wavFile(RATE, channels)));
    for (const side of [left, right]) {
      const decibels = 20 * Math.log10(rms(side, 0.2 * RATE, 0.8 * RATE) / (0.5 * Math.SQRT1_2));
      expect(decibels).toBeCloseTo(-3.01, 0);
    }
  });

  test('returns null for a clip without sound and for silence', async () => {
    const clip = await numberedClip(25, 3);
    expect(await makeSound(heard([sound(clip, {}, { optional: true })]), 'aac')).toBeNull();
    expect(await makeSound(heard([sound(tone(1), { volume: 0 })]), 'aac')).toBeNull();
    await expect(makeSound(heard([sound(clip)]), 'aac')).rejects.toMatchObject({
      code: 'asset_type_unsupported',
      imageName: 'music',
    });
  });

  test('suggests a format for a sound that it cannot decode', async () => {
    await expect(makeSound(heard([sound(speechSound())]), 'aac')).rejects.toMatchObject({
      code: 'asset_type_unsupported',
      message: expect.stringContaining('convert it to MP3, WAV'),
    });
  });
});
