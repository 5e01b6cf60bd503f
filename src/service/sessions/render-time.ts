import type { OutputFormat } from '../../contract/wire/output.ts';

/** Initial estimate: seconds for one megapixel of a frame on two slow cores. */
const FIRST_GUESS = 0.012;
/** Weight of the newest measurement. */
const WEIGHT = 0.3;

/** The dimensions that determine the time of a render. */
interface Extent {
  readonly width: number;
  readonly height: number;
  readonly frameCount: number;
}

/** Estimates render times from a moving average of measured ones. */
export class RenderTimeEstimate {
  #secondsPerMegapixel = FIRST_GUESS;

  learn(extent: Extent, seconds: number): void {
    const measured = seconds / megapixels(extent);
    this.#secondsPerMegapixel += WEIGHT * (measured - this.#secondsPerMegapixel);
  }

  /** @returns seconds, rounded to a tenth */
  expect(extent: Extent): number {
    return Math.round(megapixels(extent) * this.#secondsPerMegapixel * 10) / 10;
  }
}

function megapixels({ width, height, frameCount }: Extent): number {
  return (width * height * frameCount) / 1_000_000;
}

/** The size of an input or of a resolved output. */
interface Measured {
  readonly width: number;
  readonly height: number;
  readonly frameCount: number;
  readonly output: { readonly format: OutputFormat };
}

/** Returns the pixels and frames to render: one frame for a picture. */
export function renderWorkload({ width, height, frameCount, output }: Measured): Omit<Measured, 'output'> {
  return { width, height, frameCount: output.format === 'png' ? 1 : frameCount };
}
