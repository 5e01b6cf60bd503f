import type { OutputFormat } from '../wire/output.ts';

/** What of a scene or a resolved output tells how much there is to draw. */
interface Measured {
  readonly width: number;
  readonly height: number;
  readonly frameCount: number;
  readonly output: { readonly format: OutputFormat };
}

/** How much a render draws: all frames, or for a picture one. */
export function drawnExtent({ width, height, frameCount, output }: Measured): Omit<Measured, 'output'> {
  return { width, height, frameCount: output.format === 'png' ? 1 : frameCount };
}
