import type { Area } from './changed-area.ts';
import { BAYER, ColorFinder, chooseColors, type GifSettings } from './gif-palette.ts';
import { type Color, gifenc } from './gifenc.ts';

/** What a frame of a GIF is made of: pixels of the whole picture, four bytes each, alpha 0 or 255. */
export interface GifFrame {
  readonly width: number;
  readonly area: Area;
  /** What is shown before it, and what is to be shown. */
  readonly shown: Uint32Array;
  readonly pixels: Uint32Array;
  /** Whether its area is to be transparent again after it. */
  readonly isCleared: boolean;
}

/** Bytes of the graphic control extension; the delay lies at 4, the place of the image at 9. */
const DELAY_AT = 4;
const PLACE_AT = 9;
const DISPOSE_KEEP = 1;
const DISPOSE_CLEAR = 2;

/**
 * One frame as a block of a GIF: graphic control extension, image descriptor, its own colours, pixels. Pixels that are
 * shown already, or not there, are left transparent.
 *
 * @returns its delay still 0
 * @see GIF89a, sections 20–23
 */
export function encodeGifFrame(frame: GifFrame, settings: GifSettings): Uint8Array {
  const { left, top, right, bottom } = frame.area;
  const [width, height] = [right - left, bottom - top];
  const palette = chooseColors(drawnPixels(frame), settings.colors);
  if (palette.length === 0) palette.push([0, 0, 0]);
  const transparentIndex = palette.length;
  palette.push([0, 0, 0]);
  const encoder = gifenc.GIFEncoder({ auto: false });
  encoder.writeFrame(indexPixels(frame, palette.slice(0, -1), settings.dither), width, height, {
    palette,
    transparent: true,
    transparentIndex,
    dispose: frame.isCleared ? DISPOSE_CLEAR : DISPOSE_KEEP,
    colorDepth: Math.max(2, Math.ceil(Math.log2(palette.length))),
  });
  const bytes = encoder.bytes();
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  view.setUint16(PLACE_AT, left, true);
  view.setUint16(PLACE_AT + 2, top, true);
  return bytes;
}

/** @param delay hundredths of a second */
export function setGifDelay(block: Uint8Array, delay: number): void {
  new DataView(block.buffer, block.byteOffset).setUint16(DELAY_AT, Math.min(delay, 0xffff), true);
}

/** Whether the frame has to draw a pixel. */
function isDrawn({ shown, pixels }: GifFrame, index: number): boolean {
  return pixels[index]! >>> 24 !== 0 && pixels[index] !== shown[index];
}

function drawnPixels(frame: GifFrame): Uint32Array {
  const { left, top, right, bottom } = frame.area;
  const drawn = new Uint32Array((right - left) * (bottom - top));
  let count = 0;
  for (let row = top; row < bottom; row++) {
    for (let index = row * frame.width + left; index < row * frame.width + right; index++) {
      if (isDrawn(frame, index)) drawn[count++] = frame.pixels[index]!;
    }
  }
  return drawn.subarray(0, count);
}

function indexPixels(frame: GifFrame, palette: readonly Color[], dither: number) {
  const { left, top, right, bottom } = frame.area;
  const finder = new ColorFinder(palette);
  const offsets = BAYER.map((threshold) => Math.round(threshold * 2 * dither));
  const indices = new Uint8Array((right - left) * (bottom - top));
  let to = 0;
  for (let row = top; row < bottom; row++) {
    for (let x = left; x < right; x++, to++) {
      const index = row * frame.width + x;
      if (!isDrawn(frame, index)) {
        indices[to] = palette.length;
        continue;
      }
      const pixel = frame.pixels[index]!;
      const [red, green, blue] = [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255];
      const nearest = finder.find(red, green, blue);
      const offset = offsets[((row & 7) << 3) | (x & 7)]!;
      // Dithering is for what the palette lacks: a flat area that it has stays flat.
      indices[to] = finder.isAlike(nearest, red, green, blue)
        ? nearest
        : finder.find(clamp(red + offset), clamp(green + offset), clamp(blue + offset));
    }
  }
  return indices;
}

function clamp(level: number): number {
  return Math.max(0, Math.min(level, 255));
}
