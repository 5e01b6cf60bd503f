import { describe, expect, it } from 'vitest';
import { makeSound } from '../../../src/engine/media/make-sound.ts';
import { MAX_LOUDNESS_STEPS, mixWaveform, soundWaveforms } from '../../../src/engine/media/waveform.ts';
import { CURVE_STEPS, WAVEFORM_COLUMNS } from '../../../src/engine/sound/waveform-columns.ts';
import type { InputSound, RenderInput } from '../../../src/template/render-input.ts';
import { inputOf } from '../inputs.ts';
import { stereoWav } from './media-files.ts';

const RATE = 48_000;

function tone(seconds: number, amplitude: (at: number) => number): Uint8Array {
  const sample = (_: unknown, at: number): number => amplitude(at / RATE) * Math.sin((2 * Math.PI * 1000 * at) / RATE);
  return stereoWav(RATE, Array.from({ length: seconds * RATE }, sample));
}

function sound(bytes: Uint8Array, changes: Partial<InputSound> = {}): InputSound {
  return { bytes, startSeconds: 0, endSeconds: 1e9, transform: {}, name: 'music', optional: false, ...changes };
}

/** A video of ten seconds. */
function input(sounds: InputSound[], changes: Partial<RenderInput> = {}): RenderInput {
  return inputOf([], { fps: 25, frameCount: 250, sounds, ...changes });
}

const columnAt = (seconds: number): number => Math.floor((seconds / 10) * WAVEFORM_COLUMNS);

describe('soundWaveforms()', () => {
  const voice = sound(
    tone(3, (at) => (at < 1 ? 0.5 : 0)),
    { name: 'voice', startSeconds: 4 },
  );

  it('has the peaks of each sound where it is heard, and the gain of its level', async () => {
    const [shown] = await soundWaveforms(
      input([
        sound(
          tone(3, (at) => (at < 1 ? 0.5 : 0)),
          { startSeconds: 4, transform: { level: -16 } },
        ),
      ]),
    );
    const { firstColumn, peaks, gain, loudness } = shown!;
    expect([firstColumn, firstColumn + peaks.length]).toEqual([columnAt(4), columnAt(7)]);
    const heard = peaks[columnAt(4.5) - firstColumn]!;
    expect(peaks[columnAt(6) - firstColumn]).toBe(0);
    // A sine of 1 kHz on both channels has the loudness of its peak: the rest is below the gate.
    expect(loudness).toBeCloseTo(-16, 0);
    expect(heard / 255).toBeCloseTo(0.5 * 10 ** (gain / 20), 2);
  });

  it('draws ducking as the mixer lowers the sound', async () => {
    const music = sound(
      tone(10, () => 0.25),
      { duckedBy: [1], transform: { fade_in: 1, duck_depth: 12 } },
    );
    const [lowered] = await soundWaveforms(input([music, voice]));
    const at = (seconds: number): number => lowered!.curve[columnAt(seconds)]! / CURVE_STEPS;
    expect(at(0.5)).toBeCloseTo(6, 0);
    expect(at(2)).toBe(0);
    expect(at(4.5)).toBe(12);
    expect(at(8)).toBe(0);
    expect(lowered!.peaks[columnAt(4.5)]! / 255).toBeCloseTo(0.25 * 10 ** (-12 / 20), 2);
    expect(lowered!.peaks[columnAt(8)]! / 255).toBeCloseTo(0.25, 2);
  });

  it('has a sound of volume 0 under which others are lowered, and none that ends before the video', async () => {
    const music = sound(
      tone(10, () => 0.25),
      { duckedBy: [1] },
    );
    const silent = { ...voice, transform: { volume: 0 } };
    const late = sound(
      tone(1, () => 0.5),
      { name: 'late', startSeconds: 20 },
    );
    const shown = await soundWaveforms(input([music, silent, late]));
    expect(shown.map(({ name, gain, peaks }) => [name, gain, Math.max(0, ...peaks)])).toEqual([
      ['music', 0, 64],
      ['voice', -Infinity, 0],
      ['late', 0, 0],
    ]);
    expect(shown[2]!.peaks).toHaveLength(0);
  });
});

describe('mixWaveform()', () => {
  it('measures what players decode, step by step', async () => {
    const sounds = [
      sound(
        tone(10, (at) => (at < 5 ? 0.1 : 0.4)),
        {},
      ),
    ];
    const loudness = { target: -16, truePeak: -1 };
    const shown = (await mixWaveform(input(sounds, { loudness }), 'aac'))!;
    const { loudness: recorded, packets } = (await makeSound(input(sounds, { loudness }), 'aac'))!;
    packets.close();
    expect(shown.whole).toEqual(recorded);
    expect(shown.whole.integrated).toBeCloseTo(-16, 0);
    expect([shown.stepSeconds, shown.steps.length, shown.peaks.length]).toEqual([0.1, 100, WAVEFORM_COLUMNS]);
    const [quiet, loud, last] = [shown.steps[30]!, shown.steps[90]!, shown.steps.at(-1)!];
    expect(loud.momentary - quiet.momentary).toBeCloseTo(12, 0);
    expect(loud.shortTerm - quiet.shortTerm).toBeCloseTo(12, 0);
    expect(last.integrated).toBeCloseTo(shown.whole.integrated, 2);
    expect(last.truePeak).toBeCloseTo(shown.whole.truePeak, 2);
    expect(shown.peaks[columnAt(8)]! / shown.peaks[columnAt(2)]!).toBeCloseTo(4, 0);
  });

  it('has no levels for a silent video, and longer steps for a long one', async () => {
    expect(await mixWaveform(input([]), 'aac')).toBeNull();
    const short = sound(tone(1, () => 0.5));
    const { steps, stepSeconds } = (await mixWaveform(input([short], { fps: 1, frameCount: 301 }), 'pcm'))!;
    expect(stepSeconds).toBe(0.2);
    expect(steps.length).toBeLessThanOrEqual(MAX_LOUDNESS_STEPS);
    expect(steps.at(-1)!.momentary).toBe(-Infinity);
  });
});
