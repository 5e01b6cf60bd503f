import { describe, expect, test } from 'vitest';
import type { AudioCodec } from '../../../src/engine/codec/encoded-track.ts';
import { renderSound } from '../../../src/engine/input-media.ts';
import { makeSound } from '../../../src/engine/media/make-sound.ts';
import type { InputSound, LoudnessTarget, RenderInput } from '../../../src/template/render-input.ts';
import { inputOf } from '../inputs.ts';
import { decodedTrack, onset, rms } from './decoded-track.ts';
import { stereoWav } from './media-files.ts';

const RATE = 48_000;

/** Returns a WAV of a sine of 1 kHz whose amplitude is a function of seconds. */
function tone(seconds: number, amplitude: (at: number) => number, hertz = 1000): Uint8Array {
  return stereoWav(
    RATE,
    Array.from(
      { length: seconds * RATE },
      (_, at) => amplitude(at / RATE) * Math.sin((2 * Math.PI * hertz * at) / RATE),
    ),
  );
}

function sound(bytes: Uint8Array, changes: Partial<InputSound> = {}): InputSound {
  return { bytes, startSeconds: 0, endSeconds: 1e9, transform: {}, name: 'music', optional: false, ...changes };
}

/** Renders sounds of ten seconds. */
async function rendered(sounds: InputSound[], changes: Partial<RenderInput> = {}, codec: AudioCodec = 'pcm') {
  return (await makeSound(inputOf([], { fps: 25, frameCount: 250, sounds, ...changes }), codec))!;
}

/** Rounds without a negative zero. */
const rounded = (value: number): number => Math.round(value) + 0;
const decibels = (factor: number): number => 20 * Math.log10(factor);

describe('level', () => {
  test.each([
    [0.5, -26],
    [0.01, -36],
    [0.9, -14],
  ])('a sine with amplitude %f has the loudness %i LUFS', async (amplitude, level) => {
    const loud = tone(10, () => amplitude);
    const { left } = await decodedTrack(await rendered([sound(loud, { transform: { level } })]));
    // The loudness of a sine of 1 kHz on both channels is its peak level.
    expect(decibels(rms(left, RATE, 9 * RATE) * Math.SQRT2)).toBeCloseTo(level, 1);
  });

  test('raises a quiet sound by 12 dB at most', async () => {
    const { left } = await decodedTrack(
      await rendered([
        sound(
          tone(10, () => 0.01),
          { transform: { level: -16 } },
        ),
      ]),
    );
    expect(decibels(rms(left, RATE, 9 * RATE) * Math.SQRT2)).toBeCloseTo(-40 + 12, 1);
  });
});

describe('ducking', () => {
  const syllables = (at: number): number =>
    (at >= 2 && at < 3) || (at >= 3.6 && at < 5) || (at >= 7 && at < 7.5) ? 0.5 : 0;
  const music = tone(10, () => 0.25, 500);

  /** Returns the gain of the music at times in seconds: the voice itself is inaudible. */
  async function musicGains(voice: Partial<InputSound>, times: readonly number[]): Promise<number[]> {
    const sounds = [
      sound(music, { duckedBy: [1] }),
      sound(tone(10, syllables), { name: 'voice', transform: { volume: 0 }, ...voice }),
    ];
    const { left } = await decodedTrack(await rendered(sounds));
    return times.map((time) => {
      const at = Math.round(time * RATE);
      return decibels((rms(left, at - 240, at + 240) * Math.SQRT2) / 0.25);
    });
  }

  const speech: [number, number][] = [
    [2, 2.4],
    [2.5, 3],
    [3.6, 5],
    [7, 7.5],
  ];

  test.each([
    ['levels', {}],
    ['words', { speech }],
  ])('lowers a sound by its depth while a voice is heard, by %s', async (_, voice) => {
    const [before, first, pause, second, held, after, third, end] = await musicGains(
      voice,
      [1.8, 2.02, 3.3, 4.5, 5.15, 6, 7.2, 9],
    );
    for (const full of [before, after, end]) expect(full).toBeCloseTo(0, 1);
    for (const low of [first, pause, second, held, third]) expect(Math.abs(low! + 10)).toBeLessThan(0.5);
  });

  test('the attack ends at the first syllable, and the sound rises after hold and release', async () => {
    const [start, middle, first, rising, full] = await musicGains({ speech }, [1.85, 1.925, 2, 5.45, 5.71]);
    expect(start).toBeGreaterThan(-0.5);
    expect(middle).toBeCloseTo(-5, 0);
    expect(first).toBeLessThan(-9.5);
    expect(rising).toBeCloseTo(-5, 0);
    expect(full).toBeCloseTo(0, 1);
  });

  test('follows a voice that starts later, is trimmed, ends early or repeats', async () => {
    const later = await musicGains(
      { speech, startSeconds: 1, transform: { volume: 0, trim_start_time: 0.5 } },
      [2.3, 2.6, 9],
    );
    expect(later.map(rounded)).toEqual([0, -10, 0]);
    const ended = await musicGains({ speech, endSeconds: 6 }, [4, 7.2]);
    expect(ended.map(rounded)).toEqual([-10, 0]);
    const loop = {
      bytes: tone(4, syllables),
      speech: [[2, 3]] as [number, number][],
      transform: { volume: 0, loop: true },
    };
    expect((await musicGains(loop, [2.5, 4.5, 6.5, 8.5])).map(rounded)).toEqual([-10, 0, -10, 0]);
  });

  test('has no step: neither at the start nor in a pause', async () => {
    const sounds = [
      sound(stereoWav(RATE, new Float32Array(10 * RATE).fill(0.5)), { duckedBy: [1] }),
      sound(tone(10, syllables), { speech, transform: { volume: 0 } }),
    ];
    const { left } = await decodedTrack(await rendered(sounds));
    const largest = left.reduce(
      (most, sample, at) => (at === 0 ? 0 : Math.max(most, Math.abs(sample - left[at - 1]!))),
      0,
    );
    // 10 dB in 150 ms are 0.0014 dB a sample.
    expect(largest).toBeLessThan(0.0002);
  });
});

describe('start', () => {
  /** A WAV of 10 ms whose first sample is an impulse. */
  const impulse = stereoWav(
    RATE,
    Float32Array.from({ length: 480 }, (_, at) => (at === 0 ? 0.9 : 0)),
  );

  test.each([24, 25, 29.97, 30, 60])('55 sounds are heard at their sample at %f frames per second', async (fps) => {
    const times = Array.from({ length: 55 }, (_, index) => index * 0.1733 + 0.0317);
    const sounds = times.map((startSeconds) => sound(impulse, { startSeconds }));
    const { left } = await decodedTrack(await rendered(sounds, { fps, frameCount: Math.ceil(fps * 10) }));
    const heard = [...left.entries()].filter(([, sample]) => sample > 0.5).map(([at]) => at);
    expect(heard).toEqual(times.map((time) => Math.round(time * RATE)));
  });

  test('a sound is at most 1 ms late after encoding', async () => {
    const click = stereoWav(
      RATE,
      Float32Array.from({ length: 4800 }, (_, at) => 0.8 * Math.sin(at / 5)),
    );
    for (const codec of ['aac', 'opus'] as const) {
      const { left } = await decodedTrack(await rendered([sound(click, { startSeconds: 7.3 })], {}, codec));
      expect(Math.abs(onset(left, 0.3) / RATE - 7.3), codec).toBeLessThan(0.001);
    }
  });
});

describe('loudness', () => {
  const TARGET: LoudnessTarget = { target: -16, truePeak: -1 };
  /** A quiet tone with loud beats. */
  const beats = tone(10, (at) => (at % 0.5 < 0.02 ? 0.95 : 0.03), 3000);

  test.each<[AudioCodec, LoudnessTarget]>([
    ['aac', TARGET],
    ['opus', TARGET],
    ['pcm', TARGET],
    ['aac', { target: -23, truePeak: -1 }],
    ['opus', { target: -14, truePeak: -2 }],
  ])('delivers %s at %o', async (codec, loudness) => {
    for (const bytes of [tone(10, () => 0.02), tone(10, (at) => 0.4 + 0.4 * Math.sin(at)), beats]) {
      const track = await rendered([sound(bytes)], { loudness }, codec);
      const heard = track.loudness!;
      expect(Math.abs(heard.integrated - loudness.target)).toBeLessThanOrEqual(0.5);
      expect(heard.truePeak).toBeLessThanOrEqual(loudness.truePeak);
    }
  });

  test('keeps a silent sound, and says what cannot be reached', async () => {
    const silent = await rendered([sound(tone(10, () => 0))], { loudness: TARGET });
    expect(silent.loudness!.integrated).toBe(-Infinity);
    const clicks = tone(10, (at) => (at % 1 < 0.001 ? 0.9 : 0));
    const { integrated, truePeak } = (await rendered([sound(clicks)], { loudness: { target: -8, truePeak: -1 } }))
      .loudness!;
    expect(integrated).toBeLessThan(-8.5);
    expect(truePeak).toBeLessThanOrEqual(-1);
    const input = inputOf([], {
      fps: 25,
      frameCount: 250,
      sounds: [sound(clicks)],
      loudness: { target: -8, truePeak: -1 },
    });
    const { findings } = await renderSound(input, 'pcm');
    expect(findings).toContainEqual({ code: 'loudness_missed', editable: null, integrated, target: -8 });
  });

  test('starts at the same sample, and gives the same bytes again', async () => {
    const impulse = tone(10, (at) => (at >= 4 ? 0.5 : 0));
    const [first, second] = [
      await rendered([sound(impulse)], { loudness: TARGET }),
      await rendered([sound(impulse)], { loudness: TARGET }),
    ];
    expect(onset((await decodedTrack(first)).left, 0.02) / RATE).toBeCloseTo(4, 3);
    expect(await first.packets.sha256()).toBe(await second.packets.sha256());
  });
});
