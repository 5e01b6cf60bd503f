import { joined, MIX_RATE, type Stereo, silence } from '../codec/resampler.ts';

/** Samples over which a sound fades where it is cut: 10 ms. */
const FADE = MIX_RATE / 100;
/** No step is heard that is smaller: -80 dB. */
const INAUDIBLE = 1e-4;

/**
 * Fades a sound in where it starts inside its source, and on both sides of the seam of a loop whose end does not meet its start. A
 * loop that goes on smoothly is unchanged, so that it does not become quieter at its seam.
 */
export class CutFades {
  readonly #startsInside: boolean;
  readonly #isLooped: boolean;
  /** Start of the source, for comparison with its end. */
  #head = silence(0);
  #isFirst = true;
  #isSeamHeard = false;

  constructor(options: { readonly startsInside: boolean; readonly isLooped: boolean }) {
    this.#startsInside = options.startsInside;
    this.#isLooped = options.isLooped;
  }

  /** Yields a repetition of the sound with its fades. Call it once for each, in order. @param blocks the same in each call */
  async *repetition(blocks: AsyncIterable<Stereo>): AsyncGenerator<Stereo> {
    const fadesIn = this.#isFirst ? this.#startsInside : this.#isSeamHeard;
    let held = silence(0);
    let position = 0;
    for await (const block of blocks) {
      const both = joined(held, block);
      if (this.#isFirst && position === 0 && this.#head.left.length < FADE) this.#head = copyOf(both, FADE);
      // The end is known only when nothing follows.
      const count = this.#isLooped ? Math.max(0, both.left.length - FADE) : both.left.length;
      held = from(both, count);
      if (count === 0) continue;
      const ready = { left: both.left.subarray(0, count), right: both.right.subarray(0, count) };
      if (fadesIn) fadeIn(ready, position);
      position += count;
      yield ready;
    }
    if (this.#isFirst && this.#isLooped) this.#isSeamHeard = isHeard(held, this.#head);
    this.#isFirst = false;
    if (held.left.length === 0) return;
    if (fadesIn) fadeIn(held, position);
    if (this.#isSeamHeard) fadeOut(held);
    yield held;
  }
}

function from({ left, right }: Stereo, at: number): Stereo {
  return { left: left.subarray(at), right: right.subarray(at) };
}

function copyOf({ left, right }: Stereo, count: number): Stereo {
  return { left: left.slice(0, count), right: right.slice(0, count) };
}

/** @param position of the first sample in the sound */
function fadeIn({ left, right }: Stereo, position: number): void {
  for (let at = 0; at < left.length && position + at < FADE; at++) {
    left[at]! *= (position + at) / FADE;
    right[at]! *= (position + at) / FADE;
  }
}

function fadeOut({ left, right }: Stereo): void {
  const count = left.length;
  for (let at = Math.max(0, count - FADE); at < count; at++) {
    left[at]! *= (count - at) / FADE;
    right[at]! *= (count - at) / FADE;
  }
}

/** Returns whether a wave bends more between an end and a start than anywhere in them. */
function isHeard(end: Stereo, start: Stereo): boolean {
  return (['left', 'right'] as const).some((side) => {
    const last = end[side].subarray(-2);
    const first = start[side].subarray(0, 2);
    const usual = Math.max(largestBend(end[side]), largestBend(start[side]), INAUDIBLE);
    return largestBend(Float32Array.of(...last, ...first)) > usual;
  });
}

/** Returns the largest second difference. */
function largestBend(samples: Float32Array): number {
  let largest = 0;
  for (let at = 2; at < samples.length; at++) {
    largest = Math.max(largest, Math.abs(samples[at]! - 2 * samples[at - 1]! + samples[at - 2]!));
  }
  return largest;
}
