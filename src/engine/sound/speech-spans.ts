import type { SpeechSpan } from './ducking.ts';
import { LoudnessMeter, STEP, toLoudness } from './loudness-meter.ts';

/** Steps of 10 ms whose mean decides whether the middle of them is speech. */
const WINDOW_STEPS = 5;
/** Speech is at most so much quieter than the loudness of the whole voice, in LU: consonants are, pauses are not. */
const RELATIVE_GATE = 20;
/** Nothing quieter is speech, in LUFS. */
const ABSOLUTE_GATE = -55;

/** What is known of a voice after its samples have been read. */
export interface MeasuredVoice {
  /** Integrated loudness in LUFS; -Infinity for silence. */
  readonly loudness: number;
  /** Where it is loud enough to be speech. */
  readonly spans: readonly SpeechSpan[];
}

/** Measures the loudness of a sound, and finds its speech by its level. */
export class VoiceMeter {
  readonly #energies: number[] = [];
  readonly #meter = new LoudnessMeter([1, 1], (energy) => this.#energies.push(energy));

  add(left: Float32Array, right: Float32Array): void {
    this.#meter.add([left, right]);
  }

  result(): MeasuredVoice {
    const loudness = this.#meter.result().integrated;
    const gate = Math.max(ABSOLUTE_GATE, loudness - RELATIVE_GATE);
    const spans: SpeechSpan[] = [];
    for (let step = 0; step < this.#energies.length; step++) {
      if (toLoudness(this.#meanAround(step)) <= gate) continue;
      const last = spans.at(-1);
      const [from, to] = [step * STEP, (step + 1) * STEP];
      if (last !== undefined && last.to === from) spans[spans.length - 1] = { from: last.from, to };
      else spans.push({ from, to });
    }
    return { loudness, spans };
  }

  #meanAround(step: number): number {
    const half = (WINDOW_STEPS - 1) / 2;
    const around = this.#energies.slice(Math.max(0, step - half), step + half + 1);
    return around.reduce((sum, energy) => sum + energy, 0) / WINDOW_STEPS;
  }
}
