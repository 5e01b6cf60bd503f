import { type AudioTransform, BRIDGED_PAUSE } from '../../contract/wire/mapping.ts';
import { MIX_RATE } from '../codec/resampler.ts';
import { fromDecibels } from './decibels.ts';

/** How far, in decibels, and how fast, in seconds, a sound is lowered under speech. The fields of a track. */
type Ducking = Required<Pick<AudioTransform, 'duck_depth' | 'duck_attack' | 'duck_hold' | 'duck_release'>>;

/** Half-open range of samples in which somebody speaks. */
export interface SpeechSpan {
  readonly from: number;
  readonly to: number;
}

/** A sample from which on a sound has a gain, in decibels; between two points, the gain is interpolated. */
interface Point {
  readonly at: number;
  readonly decibels: number;
  /** The same as a factor. */
  readonly gain: number;
}

/** The gain of a sound under speech: a function of the times of the speech alone. */
export class DuckingCurve {
  readonly #points: readonly Point[];
  /** Index of the last point not after the last position. */
  #cursor = -1;

  constructor(spans: readonly SpeechSpan[], { duck_depth: depth, duck_attack, duck_hold, duck_release }: Ducking) {
    const [attack, hold, release] = [duck_attack, duck_hold, duck_release].map((seconds) =>
      Math.round(seconds * MIX_RATE),
    ) as [number, number, number];
    // A pause in which the sound could not reach full volume is bridged, too.
    const shortest = Math.max(BRIDGED_PAUSE * MIX_RATE, attack + hold + release);
    const lowered = { decibels: -depth, gain: fromDecibels(-depth) };
    const full = { decibels: 0, gain: 1 };
    this.#points = bridged(spans, shortest).flatMap(({ from, to }) => [
      { at: from - attack, ...full },
      { at: from, ...lowered },
      { at: to + hold, ...lowered },
      { at: to + hold + release, ...full },
    ]);
  }

  /** Returns whether the factor is the same for a range of samples. Call it with ranges that follow each other. */
  isSteady(from: number, to: number): boolean {
    this.#moveTo(from);
    const [before, after] = [this.#points[this.#cursor], this.#points[this.#cursor + 1]];
    if (after === undefined) return true;
    return to <= after.at && (before === undefined || before.decibels === after.decibels);
  }

  /** Returns the factor at a sample of the video. Call it with positions that do not decrease. */
  gainAt(position: number): number {
    this.#moveTo(position);
    const points = this.#points;
    const before = points[this.#cursor];
    if (before === undefined) return 1;
    const after = points[this.#cursor + 1];
    if (after === undefined || after.decibels === before.decibels) return before.gain;
    const share = (position - before.at) / (after.at - before.at);
    return fromDecibels(before.decibels + (after.decibels - before.decibels) * share);
  }

  #moveTo(position: number): void {
    const points = this.#points;
    while (this.#cursor + 1 < points.length && points[this.#cursor + 1]!.at <= position) this.#cursor += 1;
  }
}

/** Joins spans that overlap or whose pause is shorter than `shortest` samples. */
function bridged(spans: readonly SpeechSpan[], shortest: number): SpeechSpan[] {
  const joined: SpeechSpan[] = [];
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last !== undefined && span.from - last.to < shortest) {
      joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
    } else joined.push(span);
  }
  return joined;
}
