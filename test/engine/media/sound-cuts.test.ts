import { expect, it } from 'vitest';
import { makeSound } from '../../../src/engine/media/make-sound.ts';
import type { InputSound } from '../../../src/template/render-input.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { inputOf } from '../inputs.ts';
import { decodedTrack } from './decoded-track.ts';
import { stereoWav } from './media-files.ts';

const RATE = 48_000;
/** Samples of a spectrum: 21 ms. */
const WINDOW = 1024;

/** Four seconds of a deep chord. */
const chord = stereoWav(
  RATE,
  Float32Array.from({ length: 4 * RATE }, (_, at) => {
    return [110, 220.5, 331].reduce((sum, hertz) => sum + 0.25 * Math.sin((2 * Math.PI * hertz * at) / RATE), 0);
  }),
);

/** Returns the energy above 3 kHz in a window around a sample, in dB below full scale. */
function highs(samples: Float32Array, middle: number): number {
  let energy = 0;
  for (let bin = Math.ceil((3000 * WINDOW) / RATE); bin < WINDOW / 2; bin += 2) {
    let [real, imaginary] = [0, 0];
    for (let at = 0; at < WINDOW; at++) {
      const window = 0.42 - 0.5 * Math.cos((2 * Math.PI * at) / WINDOW) + 0.08 * Math.cos((4 * Math.PI * at) / WINDOW);
      const sample = (samples[middle - WINDOW / 2 + at] ?? 0) * window;
      real += sample * Math.cos((2 * Math.PI * bin * at) / WINDOW);
      imaginary -= sample * Math.sin((2 * Math.PI * bin * at) / WINDOW);
    }
    energy += (real ** 2 + imaginary ** 2) / (WINDOW / 2) ** 2;
  }
  return 10 * Math.log10(energy + 1e-20);
}

async function cutAt(seconds: number, changes: Partial<InputSound>): Promise<Float32Array> {
  const sound = { bytes: chord, startSeconds: 0, endSeconds: seconds, name: 'voice', optional: false, transform: {} };
  const sounds = [{ ...sound, ...changes }];
  const track = await makeSound(inputOf([], { fps: 25, frameCount: 100, sounds }), 'pcm');
  return (await decodedTrack(track!)).left;
}

it('a sound that a scene cuts ends without a click, wherever its wave is', async () => {
  const random = seededRandom(38);
  for (let run = 0; run < 12; run++) {
    const seconds = 0.5 + random.below(300) / 100 + random.below(1000) / 1e6;
    const faded = await cutAt(seconds, { endFadeSeconds: 0.01 });
    const cut = Math.round(seconds * RATE);
    // The windows around the fade and its end.
    for (const middle of [cut - 480, cut - 240, cut]) expect(highs(faded, middle), `${seconds} s`).toBeLessThan(-80);
    expect(Math.abs(faded[cut]!)).toBe(0);
  }
});

it('the spectrum tells a click', async () => {
  const whole = await cutAt(4, {});
  let loudest = RATE;
  for (let at = RATE; at < 2 * RATE; at++) if (whole[at]! > whole[loudest]!) loudest = at;
  const hard = await cutAt(loudest / RATE, {});
  expect(highs(hard, loudest)).toBeGreaterThan(-60);
});

it('a sound that begins inside its source begins without a click', async () => {
  const random = seededRandom(39);
  for (let run = 0; run < 8; run++) {
    const trim_start_time = 0.5 + random.below(300) / 100 + random.below(1000) / 1e6;
    const begun = await cutAt(4, { startSeconds: 1, transform: { trim_start_time }, fadesCuts: true });
    for (const middle of [RATE, RATE + 240, RATE + 480]) expect(highs(begun, middle)).toBeLessThan(-80);
  }
});

/** Returns the chord for a number of samples. */
function chordOf(count: number): Uint8Array {
  const left = new Float32Array(count).map((_, at) => {
    return [110, 220, 330].reduce((sum, hertz) => sum + 0.25 * Math.sin((2 * Math.PI * hertz * at) / RATE), 0);
  });
  return stereoWav(RATE, left);
}

it('a loop whose end does not meet its start repeats without a click', async () => {
  const random = seededRandom(40);
  for (let run = 0; run < 8; run++) {
    const count = RATE + random.below(1000);
    const changes = { bytes: chordOf(count), transform: { loop: true } };
    const looped = await cutAt(4, { ...changes, fadesCuts: true });
    for (const seam of [count, 2 * count]) {
      for (const middle of [seam - 480, seam - 240, seam, seam + 240, seam + 480]) {
        expect(highs(looped, middle), `${count} samples, ${middle - seam}`).toBeLessThan(-80);
      }
    }
  }
});

it('a loop that goes on smoothly, and a sound that ends itself, are unchanged', async () => {
  // A second has whole periods of all three tones.
  const loop = { bytes: chordOf(RATE), transform: { loop: true } };
  expect(await cutAt(4, { ...loop, fadesCuts: true })).toEqual(await cutAt(4, loop));
  const whole = { bytes: chordOf(RATE + 77) };
  expect(await cutAt(4, { ...whole, fadesCuts: true })).toEqual(await cutAt(4, whole));
});
