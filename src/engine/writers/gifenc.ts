import { createRequire } from 'node:module';

export type Color = [red: number, green: number, blue: number];

/** The part of gifenc used here; the package has no types. */
interface Gifenc {
  /** At most so many colours for the pixels, RGBA, alpha ignored. */
  quantize(rgba: Uint8Array, maxColors: number, options: { readonly format: 'rgb565' }): Color[];
  GIFEncoder(options: { readonly auto: false }): {
    writeFrame(
      index: Uint8Array,
      width: number,
      height: number,
      options: {
        readonly palette: readonly Color[];
        readonly transparent: boolean;
        readonly transparentIndex: number;
        readonly dispose: number;
        readonly colorDepth: number;
      },
    ): void;
    bytes(): Uint8Array;
  };
}

const require = createRequire(import.meta.url);

/** gifenc as CommonJS exports it: its own default export shows as another thing to each that imports it. */
export const gifenc = require('gifenc') as Gifenc;
