// @ts-expect-error The package has no types.
import * as exported from 'gifenc';
import type { OutputQuality } from '../../contract/wire/output.ts';

/** Encoding settings for a quality. */
export interface GifSettings {
  /** Maximum number of colours per frame; a further entry marks unchanged pixels. */
  readonly colors: number;
  /** Maximum offset of ordered dithering, in levels of 0..255. */
  readonly dither: number;
  /** A pixel is redrawn if a channel differs from the shown frame by more than this, in levels of 0..255. */
  readonly tolerance: number;
}

export const GIF_SETTINGS: Readonly<Record<OutputQuality, GifSettings>> = {
  low: { colors: 63, dither: 9, tolerance: 3 },
  medium: { colors: 127, dither: 7, tolerance: 2 },
  high: { colors: 255, dither: 5, tolerance: 0 },
};

/** Maximum number of pixels sampled for the palette of a frame. */
const MAX_SAMPLES = 60_000;
const ALIKE_LEVELS = 4;

/** Chooses the palette of a frame. @param pixels four bytes each, alpha ignored; evenly sampled */
export function chooseColors(pixels: Uint32Array, maxColors: number): Color[] {
  const step = Math.max(1, Math.floor(pixels.length / MAX_SAMPLES));
  const sampled = step === 1 ? pixels : pixels.filter((_, index) => index % step === 0);
  return gifenc.quantize(new Uint8Array(sampled.buffer, sampled.byteOffset, sampled.byteLength), maxColors, {
    format: 'rgb565',
  });
}

/** Finds the nearest colours of a palette; caches them by the upper six bits of each channel. */
export class ColorFinder {
  /** Three levels for each colour. */
  readonly #levels: Int32Array;
  readonly #known = new Int16Array(1 << 18).fill(-1);

  constructor(palette: readonly Color[]) {
    this.#levels = Int32Array.from(palette.flat());
  }

  /** Returns the index of the nearest colour. @param red 0..255, as are green and blue */
  find(red: number, green: number, blue: number): number {
    const key = ((red >> 2) << 12) | ((green >> 2) << 6) | (blue >> 2);
    const known = this.#known[key]!;
    if (known >= 0) return known;
    const levels = this.#levels;
    let [found, least] = [0, Number.POSITIVE_INFINITY];
    for (let at = 0; at < levels.length; at += 3) {
      const redOffset = levels[at]! - red;
      const greenOffset = levels[at + 1]! - green;
      const blueOffset = levels[at + 2]! - blue;
      // The eye is most sensitive to green and least to blue.
      const distance = 3 * redOffset * redOffset + 6 * greenOffset * greenOffset + blueOffset * blueOffset;
      if (distance < least) {
        least = distance;
        found = at;
      }
    }
    this.#known[key] = found / 3;
    return found / 3;
  }

  /** Returns whether a colour is indistinguishable from the palette's colour at `index`. */
  isAlike(index: number, red: number, green: number, blue: number): boolean {
    const levels = this.#levels;
    const at = index * 3;
    return (
      Math.abs(levels[at]! - red) + Math.abs(levels[at + 1]! - green) + Math.abs(levels[at + 2]! - blue) <= ALIKE_LEVELS
    );
  }
}

/** The 8×8 threshold matrix of ordered dithering, with 64 distinct values in −0.5..0.5; the same in every frame. */
export const BAYER: Float32Array = Float32Array.from({ length: 64 }, (_, index) => {
  let value = 0;
  for (let bit = 0; bit < 3; bit++) {
    const [x, y] = [(index >> bit) & 1, (index >> (3 + bit)) & 1];
    value |= (((x ^ y) << 1) | y) << (2 * (2 - bit));
  }
  return (value + 0.5) / 64 - 0.5;
});

export type Color = [red: number, green: number, blue: number];

/** The part of gifenc used here. */
interface Gifenc {
  /** Chooses at most `maxColors` colours for RGBA pixels; alpha is ignored. */
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

/** A CommonJS module that declares itself an ES module: Node exports it as default, bundlers export its members by name. */
export const gifenc: Gifenc = 'quantize' in exported ? (exported as Gifenc) : exported.default;
