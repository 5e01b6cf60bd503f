import type { OutputFormat } from '../wire/output.ts';

/** What a machine of two slow cores needs for a megapixel of one frame, before anything was measured; seconds. */
const FIRST_GUESS = 0.012;
/** How much the newest render counts. */
const WEIGHT = 0.3;

/** The extent of a render that its time depends on. */
interface Extent {
  readonly width: number;
  readonly height: number;
  readonly frameCount: number;
}

/** How long renders take here: learns from each, and tells what to expect of the next. */
export class RenderTimeEstimate {
  #secondsPerMegapixel = FIRST_GUESS;

  learn(extent: Extent, seconds: number): void {
    const measured = seconds / megapixels(extent);
    this.#secondsPerMegapixel += WEIGHT * (measured - this.#secondsPerMegapixel);
  }

  /** @returns seconds, to a tenth */
  expect(extent: Extent): number {
    return Math.round(megapixels(extent) * this.#secondsPerMegapixel * 10) / 10;
  }
}

function megapixels({ width, height, frameCount }: Extent): number {
  return (width * height * frameCount) / 1_000_000;
}

/** What of a scene or a resolved output tells how much there is to draw. */
interface Measured {
  readonly width: number;
  readonly height: number;
  readonly frameCount: number;
  readonly output: { readonly format: OutputFormat };
}

/** How much a render draws: all frames, or for a picture one. */
export function renderWorkload({ width, height, frameCount, output }: Measured): Omit<Measured, 'output'> {
  return { width, height, frameCount: output.format === 'png' ? 1 : frameCount };
}
