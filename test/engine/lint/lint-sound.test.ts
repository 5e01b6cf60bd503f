import { describe, expect, it } from 'vitest';
import { HeardSounds } from '../../../src/engine/lint/heard-sounds.ts';
import { lintSound } from '../../../src/engine/lint/lint-sound.ts';
import { lintVideo } from '../../../src/engine/lint/lint-video.ts';
import type { InputSound, LoudnessTarget } from '../../../src/template/render-input.ts';
import { inputOf } from '../inputs.ts';
import { stereoWav } from '../media/media-files.ts';

const RATE = 44_100;

type Wave = (seconds: number) => number;

/** Returns a WAV of four seconds at a rate that has to be resampled. */
function wav(left: Wave, right = left): Uint8Array {
  const samples = (wave: Wave): Float32Array => Float32Array.from({ length: 4 * RATE }, (_, at) => wave(at / RATE));
  return stereoWav(RATE, samples(left), samples(right));
}

const sine =
  (amplitude: number, hertz = 500): Wave =>
  (at) =>
    amplitude * Math.sin(2 * Math.PI * hertz * at);
const clipped: Wave = (at) => Math.max(-1, Math.min(1, sine(2)(at)));

function sound(bytes: Uint8Array, changes: Partial<InputSound> = {}): InputSound {
  return { bytes, startSeconds: 0, endSeconds: 4, transform: {}, name: 'audio.voice', optional: false, ...changes };
}

const videoOf = (sounds: InputSound[], loudness?: LoudnessTarget) => {
  return inputOf([], { fps: 25, frameCount: 100, sounds, ...(loudness && { loudness }) });
};

async function codes(sounds: InputSound[], loudness?: LoudnessTarget): Promise<string[]> {
  return (await lintSound(videoOf(sounds, loudness), new HeardSounds())).map(({ code }) => code);
}

describe('lintSound()', () => {
  it('finds nothing in a good sound', async () => {
    expect(await codes([sound(wav(sine(0.5), sine(0.4, 700)))])).toEqual([]);
    // Peaks that reach full scale are round.
    for (const hertz of [40, 500]) expect(await codes([sound(wav(sine(1, hertz)))])).toEqual([]);
  });

  it('finds a sound that is silent where it is heard', async () => {
    const late = wav((at) => (at < 3 ? 0 : sine(0.5)(at)));
    expect(await codes([sound(late)])).toEqual([]);
    expect(await lintSound(videoOf([sound(late, { startSeconds: 1.5 })]), new HeardSounds())).toEqual([
      { code: 'sound_silent', editable: 'audio.voice', frame: 37, seconds: 1.48, still: null, box: null, peak: null },
    ]);
    expect(await codes([sound(wav(sine(0.0005)))])).toEqual(['sound_silent']);
  });

  it('finds clipped peaks, also of a sound that is resampled', async () => {
    const [finding] = await lintSound(videoOf([sound(wav(clipped))]), new HeardSounds());
    expect(finding).toMatchObject({ code: 'sound_clipped', places: expect.any(Number) });
    // Two channels with two peaks for each of 500 periods a second.
    expect(finding).toHaveProperty('places', 2 * 2 * 500 * 4);
  });

  it('finds channels that cancel each other', async () => {
    const inverted: Wave = (at) => -sine(0.5)(at);
    expect(await lintSound(videoOf([sound(wav(sine(0.5), inverted))]), new HeardSounds())).toMatchObject([
      { code: 'sound_out_of_phase', correlation: -1 },
    ]);
    const shifted: Wave = (at) => sine(0.5)(at + 1 / 4 / 500);
    expect(await codes([sound(wav(sine(0.5), shifted))])).toEqual([]);
    expect(await codes([sound(wav(sine(0.5), () => 0))])).toEqual([]);
  });

  it('finds a sound that is more than 12 dB quieter than its level', async () => {
    // The loudness of a sine on both channels is about its peak level.
    const quiet = wav(sine(0.02, 1000));
    expect(await lintSound(videoOf([sound(quiet, { transform: { level: -16 } })]), new HeardSounds())).toMatchObject([
      { code: 'level_missed', loudness: expect.closeTo(-34, 0), level: -16 },
    ]);
    expect(await codes([sound(quiet, { transform: { level: -23 } })])).toEqual([]);
  });

  it('finds a mix that is far above full scale, unless it has a loudness', async () => {
    const loud = ['a', 'b', 'c'].map((name) => sound(wav(sine(0.9)), { name }));
    expect(await lintSound(videoOf(loud), new HeardSounds())).toMatchObject([
      { code: 'mix_too_loud', editable: null, excess: expect.closeTo(8.6, 1) },
    ]);
    expect(await codes(loud, { target: -16, truePeak: -1 })).toEqual([]);
    // They are not heard at once.
    const apart = loud.map((part, at) => ({ ...part, startSeconds: at, endSeconds: at + 1 }));
    expect(await codes(apart)).toEqual([]);
  });

  it('finds a loudness that the mix cannot have', async () => {
    const clicks = wav((at) => (at % 1 < 0.0005 ? 0.9 : 0));
    expect(await lintSound(videoOf([sound(clicks)], { target: -8, truePeak: -1 }), new HeardSounds())).toMatchObject([
      { code: 'loudness_missed', editable: null, integrated: expect.any(Number), target: -8 },
    ]);
    expect(await codes([sound(wav(sine(0.5)))], { target: -14, truePeak: -1 })).toEqual([]);
  });

  it('leaves out sounds that are not heard, and judges those of a template only in the mix', async () => {
    expect(await codes([sound(wav(clipped), { transform: { volume: 0 } })])).toEqual([]);
    expect(await codes([sound(wav(clipped), { isOwn: true })])).toEqual([]);
  });

  it('rejects a sound that cannot be decoded', async () => {
    const damaged = Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(2000, 7)]);
    await expect(codes([sound(damaged)])).rejects.toMatchObject({ imageName: 'audio.voice' });
  });

  it('measures each sound once', async () => {
    const first = new HeardSounds();
    const video = videoOf([sound(wav(clipped)), sound(wav(clipped), { name: 'audio.music' })]);
    expect(await lintSound(video, first)).toHaveLength(3);
    expect(first.kept()).toHaveLength(2);
    const known = new HeardSounds(first.kept().map((kept) => ({ ...kept, clippedPlaces: 11 })));
    expect(await lintSound(video, known)).toMatchObject([{ places: 11 }, { places: 11 }, { code: 'mix_too_loud' }]);
  });
});

it('lintVideo() finds defects of sounds with those of pictures', async () => {
  expect(await lintVideo(videoOf([sound(wav(clipped))]))).toMatchObject([{ code: 'sound_clipped' }]);
  expect(await lintVideo(videoOf([sound(wav(clipped))]), [], 'flashes')).toEqual([]);
});
