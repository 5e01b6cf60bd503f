import { execa } from 'execa';
import { expect, test } from 'vitest';
import { MIX_RATE } from '../../src/engine/codec/resampler.ts';
import { makeSound } from '../../src/engine/media/make-sound.ts';
import { LoudnessMeter, toLoudness } from '../../src/engine/sound/loudness-meter.ts';
import { TruePeakMeter } from '../../src/engine/sound/true-peak.ts';
import { inputOf } from '../engine/inputs.ts';
import { stereoWav } from '../engine/media/media-files.ts';
import { hasFfprobe } from '../support/ffprobe.ts';
import { count, tell } from '../support/proof.ts';
import { type SeededRandom, seededRandom } from '../support/seeded-random.ts';

const hasFfmpeg = await hasFfprobe();
const SHARE = 1e6;

/** Returns a random mix of sines up to 18 kHz and of filtered noise, 4 to 24 s long. */
function randomMix(random: SeededRandom): [left: Float32Array, right: Float32Array] {
  const share = (): number => random.below(SHARE) / SHARE;
  const length = Math.round((4 + share() * 20) * MIX_RATE);
  const [left, right] = [new Float32Array(length), new Float32Array(length)];
  const parts = 1 + random.below(6);
  for (let part = 0; part < parts; part++) {
    const hertz = 20 * 900 ** share();
    const amplitude = 10 ** ((-40 + 40 * share()) / 20);
    const from = Math.floor(share() * length * 0.8);
    const samples = Math.floor(share() * (length - from));
    const pan = share();
    const isNoise = random.below(3) === 0;
    let [first, second] = [0, 0];
    for (let at = 0; at < samples; at++) {
      const envelope = Math.min(1, at / 4800, (samples - at) / 4800) * (0.6 + 0.4 * Math.sin((at / 9600) * (part + 1)));
      first += 0.3 * (2 * share() - 1 - first);
      second += 0.3 * (first - second);
      const value = isNoise ? 3 * second : Math.sin((2 * Math.PI * hertz * at) / MIX_RATE);
      left[from + at]! += amplitude * envelope * value * pan;
      right[from + at]! += amplitude * envelope * value * (1 - pan);
    }
  }
  return [left, right];
}

/** Measures with FFmpeg's meter. @returns LUFS and dBTP, with one decimal */
async function independent(left: Float32Array, right: Float32Array): Promise<{ integrated: number; truePeak: number }> {
  const both = new Float32Array(left.length * 2);
  for (let at = 0; at < left.length; at++) [both[2 * at], both[2 * at + 1]] = [left[at]!, right[at]!];
  const input = ['-hide_banner', '-f', 'f32le', '-ar', String(MIX_RATE), '-ac', '2', '-i', '-'];
  const { stderr } = await execa('ffmpeg', [...input, '-af', 'ebur128=peak=true', '-f', 'null', '-'], {
    input: new Uint8Array(both.buffer),
    maxBuffer: 2 ** 28,
  });
  const summary = stderr.slice(stderr.lastIndexOf('Summary:'));
  const value = (pattern: RegExp): number => Number(pattern.exec(summary)?.[1]);
  return { integrated: value(/I:\s+(-?[\d.]+) LUFS/), truePeak: value(/Peak:\s+(-?[\d.]+) dBFS/) };
}

test.runIf(hasFfmpeg)('the meter agrees with FFmpeg', async () => {
  const runs = count(200, 12);
  const worst = { integrated: 0, truePeak: 0, atGate: 0 };
  for (let seed = 1; seed <= runs; seed++) {
    const [left, right] = randomMix(seededRandom(seed));
    const steps: number[] = [];
    const meter = new LoudnessMeter([1, 1], (energy) => steps.push(energy));
    const peaks = new TruePeakMeter();
    for (let at = 0; at < left.length; at += 1024) {
      const block = [left.subarray(at, at + 1024), right.subarray(at, at + 1024)];
      meter.add(block);
      peaks.add(block);
    }
    const found = { integrated: meter.result().integrated, truePeak: peaks.result() };
    const expected = await independent(left, right);
    const differences = [found.integrated, ...besideGate(steps)].map((loudness) =>
      Math.abs(loudness - expected.integrated),
    );
    // Below -70 LUFS nothing counts, and FFmpeg writes -70.
    const difference = found.integrated > -70 ? Math.min(...differences) : 0;
    if (difference < differences[0]!) worst.atGate += 1;
    worst.integrated = Math.max(worst.integrated, difference);
    worst.truePeak = Math.max(worst.truePeak, Math.abs(found.truePeak - expected.truePeak));
    expect(difference, `seed ${seed}`).toBeLessThanOrEqual(0.1);
    expect(Math.abs(found.truePeak - expected.truePeak), `seed ${seed}`).toBeLessThanOrEqual(0.3);
  }
  const atGate = `${worst.atGate} with a window at the gate`;
  tell(`${runs} mixes, ${atGate}: at most ${worst.integrated.toFixed(3)} LU and ${worst.truePeak.toFixed(3)} dB apart`);
});

/**
 * Returns the loudness with a window more or less above the relative gate. FFmpeg rounds the gate and its windows to hundredths of a
 * decibel, so that it decides otherwise about a window that lies at the gate; the standard does not round.
 *
 * @param steps mean energies of 10 ms
 * @returns nothing if no window lies so near
 */
function besideGate(steps: readonly number[]): number[] {
  const windows: number[] = [];
  for (let end = 40; end <= steps.length; end += 10) {
    windows.push(toLoudness(steps.slice(end - 40, end).reduce((sum, energy) => sum + energy, 0) / 40));
  }
  const counted = windows.filter((loudness) => loudness > -70);
  const meanOf = (list: readonly number[]): number =>
    toLoudness(list.reduce((sum, loudness) => sum + 10 ** ((loudness + 0.691) / 10), 0) / list.length);
  const gate = meanOf(counted) - 10;
  if (counted.every((loudness) => Math.abs(loudness - gate) > 0.01)) return [];
  return [-0.01, 0.01].map((shift) => meanOf(counted.filter((loudness) => loudness > gate + shift)));
}

test('delivered sounds have the loudness that was asked for', async () => {
  const runs = count(60, 6);
  const worst = { loudness: 0, excess: Number.NEGATIVE_INFINITY, missed: 0 };
  for (let seed = 1; seed <= runs; seed++) {
    const random = seededRandom(seed);
    const [left, right] = randomMix(random);
    const codec = random.pick(['aac', 'opus', 'pcm'] as const);
    const loudness = random.pick([
      { target: -23, truePeak: -1 },
      { target: -24, truePeak: -2 },
      { target: -16, truePeak: -1 },
      { target: -14, truePeak: -1 },
    ]);
    const peak = Math.max(
      1,
      ...[left, right].map((samples) => samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)),
    );
    const bytes = stereoWav(
      MIX_RATE,
      left.map((sample) => sample / peak),
      right.map((sample) => sample / peak),
    );
    const sound = { bytes, startSeconds: 0, endSeconds: 1e9, transform: {}, name: 'mix', optional: false };
    const frameCount = Math.floor((left.length / MIX_RATE) * 25);
    const track = (await makeSound(inputOf([], { fps: 25, frameCount, sounds: [sound], loudness }), codec))!;
    track.packets.close();
    const { integrated, truePeak } = track.loudness!;
    const difference = Math.abs(integrated - loudness.target);
    if (difference > 0.5) worst.missed += 1;
    else worst.loudness = Math.max(worst.loudness, difference);
    worst.excess = Math.max(worst.excess, truePeak - loudness.truePeak);
    expect(truePeak, `seed ${seed}`).toBeLessThanOrEqual(loudness.truePeak);
  }
  tell(
    `${runs} sounds: at most ${worst.loudness.toFixed(2)} LU from the target, peaks ${(-worst.excess).toFixed(2)} dB below the ceiling; ${worst.missed} cannot reach theirs`,
  );
  expect(worst.missed).toBeLessThanOrEqual(runs * 0.1);
});
