import { mkdir, writeFile } from 'node:fs/promises';
import { wavFile } from '../wav-file.ts';

/*
 * `node templates/source/build.mjs gallery/sounds.ts` writes the sounds of the gallery, and prints the waveform of the episode as
 * the letters that the template Audiogram takes.
 */

const TAU = 2 * Math.PI;
const LETTERS = 56;

/** Adds a struck tone that dies away. */
function strike(
  samples: Float64Array,
  rate: number,
  tone: {
    readonly hertz: number;
    readonly at: number;
    readonly seconds: number;
    readonly loudness: number;
    /** Loudness of each partial; the first is the tone itself. */
    readonly partials: readonly number[];
  },
): void {
  const first = Math.round(tone.at * rate);
  for (let index = 0; index < tone.seconds * rate && first + index < samples.length; index++) {
    const time = index / rate;
    const attack = Math.min(1, time / 0.008);
    const end = Math.min(1, (tone.seconds - time) / 0.06);
    const value = tone.partials.reduce((sum, loudness, partial) => {
      const decay = Math.exp((-3.2 * time * (1 + 0.6 * partial)) / tone.seconds);
      return sum + loudness * decay * Math.sin(TAU * tone.hertz * (partial + 1) * time);
    }, 0);
    samples[first + index] = samples[first + index]! + tone.loudness * attack * end * value;
  }
}

/** Noise through a narrow band that rises or falls: wind, or something that flies past. */
function sweep(
  samples: Float64Array,
  rate: number,
  from: number,
  to: number,
  hertz: readonly [number, number],
  loudness: number,
) {
  let state = 1;
  let [low, band] = [0, 0];
  for (let index = Math.round(from * rate); index < Math.min(samples.length, to * rate); index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const share = (index / rate - from) / (to - from);
    const cutoff = 2 * Math.sin((Math.PI * (hertz[0] + (hertz[1] - hertz[0]) * share)) / rate);
    const high = state / 2 ** 31 - 1 - low - 0.5 * band;
    band += cutoff * high;
    low += cutoff * band;
    samples[index] = samples[index]! + loudness * Math.sin(Math.PI * share) ** 2 * band;
  }
}

/** A falling whistle, the landing, and a wide chord. */
function sting(rate: number): Float64Array {
  const samples = new Float64Array(5 * rate);
  sweep(samples, rate, 0, 0.54, [2400, 500], 0.25);
  strike(samples, rate, { hertz: 58, at: 0.53, seconds: 0.8, loudness: 0.5, partials: [1, 0.3] });
  sweep(samples, rate, 0.62, 1.7, [300, 3000], 0.12);
  const chord = [220, 277.18, 329.63, 415.3, 554.37];
  for (const [index, hertz] of chord.entries()) {
    strike(samples, rate, {
      hertz,
      at: 1.26 + 0.07 * index,
      seconds: 3.4,
      loudness: 0.14,
      partials: [1, 0.35, 0.12, 0.06],
    });
  }
  strike(samples, rate, { hertz: 1108.73, at: 2.2, seconds: 2.4, loudness: 0.05, partials: [1, 0, 0.3] });
  return samples;
}

/** Twelve seconds of a slow tune in phrases, with a bass and a little wind, so that its waveform has a shape. */
function episode(rate: number): Float64Array {
  const samples = new Float64Array(12 * rate);
  const beat = 0.6;
  const tune = [0, 3, 7, 10, 12, 10, 7, null, 5, 8, 12, 15, 14, null, 12, 10, 7, 3, 0, null];
  for (const [index, note] of tune.entries()) {
    const swell = 0.5 + 0.5 * Math.sin((Math.PI * (index % 7)) / 6);
    if (note !== null) {
      const hertz = 233.08 * 2 ** (note / 12);
      strike(samples, rate, {
        hertz,
        at: index * beat,
        seconds: 1.9,
        loudness: 0.1 + 0.2 * swell,
        partials: [1, 0.3, 0.08],
      });
      if (index % 2 === 1) {
        strike(samples, rate, {
          hertz: 2 * hertz,
          at: index * beat + 0.3,
          seconds: 0.9,
          loudness: 0.07 * swell,
          partials: [1, 0.1],
        });
      }
    }
    if (index % 4 === 0) {
      const hertz = (index % 8 === 0 ? 116.54 : 87.31) / 1;
      strike(samples, rate, { hertz, at: index * beat, seconds: 2.2, loudness: 0.24, partials: [1, 0.2] });
    }
  }
  for (const [from, to] of [
    [0, 3.8],
    [4, 7.4],
    [8, 12],
  ] as const) {
    sweep(samples, rate, from, to, [500, 900], 0.035);
  }
  return samples;
}

/** Eight seconds of calm chords that can be repeated: what is still heard at the end goes on at the start. */
function music(rate: number): Float64Array {
  const length = 8 * rate;
  const samples = new Float64Array(length + 3 * rate);
  const chords = [
    [146.83, 220, 277.18, 369.99],
    [123.47, 185, 246.94, 369.99],
    [98, 196, 246.94, 293.66],
    [110, 164.81, 277.18, 329.63],
  ];
  for (const [bar, chord] of chords.entries()) {
    for (const [index, hertz] of chord.entries()) {
      const loudness = index === 0 ? 0.2 : 0.1;
      strike(samples, rate, { hertz, at: 2 * bar + 0.12 * index, seconds: 2.8, loudness, partials: [1, 0.4, 0.12] });
      const echo = { hertz: 2 * hertz, at: 2 * bar + 1 + 0.25 * index, seconds: 1.4, loudness: 0.05 };
      strike(samples, rate, { ...echo, partials: [1, 0.15] });
    }
  }
  const looped = samples.slice(0, length);
  for (let at = length; at < samples.length; at++) looped[at - length] = looped[at - length]! + samples[at]!;
  return looped;
}

/** Two bells, for a product that appears. */
function chime(rate: number): Float64Array {
  const samples = new Float64Array(Math.round(1.6 * rate));
  strike(samples, rate, { hertz: 739.99, at: 0, seconds: 1.4, loudness: 0.3, partials: [1, 0, 0.25, 0.1] });
  strike(samples, rate, { hertz: 1108.73, at: 0.14, seconds: 1.4, loudness: 0.22, partials: [1, 0, 0.25, 0.1] });
  return samples;
}

/** The loudness of equal parts of a sound as letters from a, silent, to z, the loudest. */
function waveLetters(samples: ArrayLike<number>): string {
  const part = samples.length / LETTERS;
  const levels = Array.from({ length: LETTERS }, (_, index) => {
    const [first, end] = [Math.floor(index * part), Math.floor((index + 1) * part)];
    let sum = 0;
    for (let at = first; at < end; at++) sum += samples[at]! ** 2;
    return Math.sqrt(sum / (end - first));
  });
  const loudest = Math.max(...levels, 1e-9);
  return levels.map((level) => String.fromCharCode(97 + Math.round(25 * (level / loudest) ** 1.5))).join('');
}

/** @param fade seconds at the end */
async function write(path: string, rate: number, samples: Float64Array, fade = 0.2): Promise<void> {
  const end = Math.round(fade * rate);
  for (let at = 1; at <= end; at++) samples[samples.length - at] = (samples[samples.length - at]! * at) / end;
  const wav = wavFile(rate, [
    Int16Array.from(samples, (value) => Math.round(Math.max(-1, Math.min(1, value)) * 32_767)),
  ]);
  await mkdir(path.slice(0, path.lastIndexOf('/')), { recursive: true });
  await writeFile(path, wav);
}

const tune = episode(16_000);
console.log(waveLetters(tune));
await write('gallery/audiogram/audio/episode.wav', 16_000, tune);
await write('gallery/end-card/audio/sting.wav', 22_050, sting(22_050));
await write('gallery/campaign/sounds/music.wav', 16_000, music(16_000), 0);
await write('gallery/campaign/sounds/chime.wav', 16_000, chime(16_000));
