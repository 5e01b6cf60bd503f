// @ts-expect-error The package has no types.
import * as exported from 'gifenc';

export type Color = [red: number, green: number, blue: number];

/** The part of gifenc used here. */
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

/** A CommonJS module that calls itself an ES module: Node gives all of it as the default export, others by name. */
export const gifenc: Gifenc = 'quantize' in exported ? (exported as Gifenc) : exported.default;
