import type { FrameRate } from '../../contract/timeline/frame-rate.ts';
import type { OutputQuality } from '../../contract/wire/output.ts';
import { isShownInGif, tickOf } from '../frame-rate.ts';
import { BAYER, type Color, ColorFinder, chooseColors, GIF_SETTINGS, type GifSettings, gifenc } from './gif-palette.ts';

export interface GifOptions {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly rate: FrameRate;
  readonly frameCount: number;
  readonly quality: OutputQuality;
  /** Stored as a comment; null for none. */
  readonly comment: string | null;
}

/**
 * Encodes frames as a GIF that repeats forever. Each frame draws the smallest rectangle of changes with its own palette; a
 * repeated frame extends the delay. Pixels of less than half opacity are transparent. Delays are whole hundredths of a second
 * that add up to the frame rate; above 50 frames per second some frames are dropped.
 *
 * @see GIF89a
 */
export class GifFileEncoder {
  readonly #options: GifOptions;
  readonly #settings: GifSettings;
  /** Parts of the file that `take` has not returned yet. */
  #blocks: Uint8Array[];
  /** The frame shown before the pending frame, which is encoded when its successor is known. */
  readonly #shown: Uint32Array;
  #pending: Uint32Array | undefined;
  #next: Uint32Array;
  /** Hundredths of a second. */
  #pendingSince = 0;

  constructor(options: GifOptions) {
    const pixels = options.width * options.height;
    this.#options = options;
    this.#settings = GIF_SETTINGS[options.quality];
    this.#blocks = [header(options)];
    this.#shown = new Uint32Array(pixels);
    this.#next = new Uint32Array(pixels);
  }

  /** @param rgba straight alpha; may be overwritten when this returns */
  add(rgba: Uint8Array, frame: number): void {
    const { rate, width } = this.#options;
    if (this.#pending !== undefined && !isShownInGif(frame, rate, this.#pendingSince)) return;
    reduceChanges(new Uint32Array(rgba.buffer, rgba.byteOffset, rgba.byteLength / 4), this.#next, {
      shown: this.#pending,
      tolerance: this.#settings.tolerance,
    });
    if (this.#pending === undefined) {
      this.#pending = this.#next;
      this.#next = new Uint32Array(this.#pending.length);
      return;
    }
    if (changedArea(this.#pending, this.#next, width) === null) return;
    const since = tickOf(frame, rate, 100);
    this.#encodePending(since, this.#next);
    [this.#pending, this.#next] = [this.#next, this.#pending];
    this.#pendingSince = since;
  }

  /** Encodes the last frame and ends the file. */
  finish(): void {
    const { rate, frameCount } = this.#options;
    if (this.#pending !== undefined) this.#encodePending(tickOf(frameCount, rate, 100), null);
    this.#blocks.push(Uint8Array.of(TRAILER));
  }

  /** Returns the bytes of the file since the last call. */
  take(): Uint8Array {
    const bytes = Buffer.concat(this.#blocks);
    this.#blocks = [];
    return bytes;
  }

  #encodePending(until: number, next: Uint32Array | null): void {
    const { width } = this.#options;
    const [shown, pixels] = [this.#shown, this.#pending!];
    // Only clearing an area makes pixels transparent again.
    const vanishes = (before: number, after: number): boolean => before >>> 24 !== 0 && after >>> 24 === 0;
    const cleared = next === null ? null : changedArea(pixels, next, width, vanishes);
    const area = unionArea(changedArea(shown, pixels, width), cleared) ?? { left: 0, top: 0, right: 1, bottom: 1 };
    const block = encodeGifFrame({ width, area, shown, pixels, isCleared: cleared !== null }, this.#settings);
    setGifDelay(block, until - this.#pendingSince);
    this.#blocks.push(block);
    shown.set(pixels);
    if (cleared === null) return;
    for (let row = area.top; row < area.bottom; row++) shown.fill(0, row * width + area.left, row * width + area.right);
  }
}

const TRAILER = 0x3b;

/** Rounds alpha to 0 or 255 (little-endian RGBA), and keeps shown pixels if they differ within the tolerance. */
function reduceChanges(
  source: Uint32Array,
  target: Uint32Array,
  { shown, tolerance }: { shown: Uint32Array | undefined; tolerance: number },
): void {
  for (let index = 0; index < source.length; index++) {
    const pixel = source[index]!;
    if (pixel >>> 24 < 128) {
      target[index] = 0;
      continue;
    }
    const opaque = (pixel | 0xff000000) >>> 0;
    const before = shown?.[index] ?? 0;
    target[index] = before !== 0 && tolerance > 0 && isNear(opaque, before, tolerance) ? before : opaque;
  }
}

function isNear(pixel: number, before: number, tolerance: number): boolean {
  return (
    Math.abs((pixel & 255) - (before & 255)) <= tolerance &&
    Math.abs(((pixel >> 8) & 255) - ((before >> 8) & 255)) <= tolerance &&
    Math.abs(((pixel >> 16) & 255) - ((before >> 16) & 255)) <= tolerance
  );
}

/** Returns the signature, logical screen, loop extension and comment. */
function header({ width, height, comment }: GifOptions): Uint8Array {
  const screen = Buffer.alloc(13);
  screen.write('GIF89a', 'latin1');
  screen.writeUInt16LE(width, 6);
  screen.writeUInt16LE(height, 8);
  // Eight bits of colour; each frame has its own table.
  screen.writeUInt8(0x70, 10);
  const loop = Buffer.from('\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0', 'latin1');
  return Buffer.concat(comment === null ? [screen, loop] : [screen, loop, commentBlock(comment)]);
}

/** @param comment up to 255 characters of ASCII. @see GIF89a, section 24 */
function commentBlock(comment: string): Uint8Array {
  const text = Buffer.from(comment.slice(0, 255), 'latin1');
  return Buffer.concat([Uint8Array.of(0x21, 0xfe, text.length), text, Uint8Array.of(0)]);
}

/** Input of a GIF frame: pixels of the whole picture, four bytes each, alpha 0 or 255. */
interface FrameImage {
  readonly width: number;
  readonly area: Area;
  /** The previous picture. */
  readonly shown: Uint32Array;
  /** The picture to encode. */
  readonly pixels: Uint32Array;
  /** The area is cleared to transparent after the frame. */
  readonly isCleared: boolean;
}

/** Offsets of the delay and of the image's position, from the start of the graphic control extension. */
const DELAY_AT = 4;
const POSITION_AT = 9;
const DISPOSE_KEEP = 1;
const DISPOSE_CLEAR = 2;

/**
 * Encodes a frame as a block of a GIF: graphic control extension, image descriptor, palette, pixels. Unchanged and transparent pixels
 * get the transparent index.
 *
 * @returns a block with a delay of 0
 * @see GIF89a, sections 20–23
 */
function encodeGifFrame(frame: FrameImage, settings: GifSettings): Uint8Array {
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
  view.setUint16(POSITION_AT, left, true);
  view.setUint16(POSITION_AT + 2, top, true);
  return bytes;
}

/** @param delay hundredths of a second */
function setGifDelay(block: Uint8Array, delay: number): void {
  new DataView(block.buffer, block.byteOffset).setUint16(DELAY_AT, Math.min(delay, 0xffff), true);
}

/** Returns whether the frame has to draw a pixel. */
function isDrawn({ shown, pixels }: FrameImage, index: number): boolean {
  return pixels[index]! >>> 24 !== 0 && pixels[index] !== shown[index];
}

function drawnPixels(frame: FrameImage): Uint32Array {
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

function indexPixels(frame: FrameImage, palette: readonly Color[], dither: number) {
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
      // Dithers only colours that the palette lacks, so that flat areas stay flat.
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

/** A rectangle of pixels that excludes `right` and `bottom`. */
interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/**
 * Returns the smallest rectangle with all pixels that differ between two pictures of the same size; null for equal pictures.
 *
 * @param differs compares two pixels of four bytes each; unequal pixels differ by default
 */
function changedArea(
  before: Uint32Array,
  after: Uint32Array,
  width: number,
  differs: (before: number, after: number) => boolean = (a, b) => a !== b,
): Area | null {
  const height = before.length / width;
  const isChanged = (index: number): boolean =>
    before[index] !== after[index] && differs(before[index]!, after[index]!);
  let top = 0;
  while (top < height && !rowChanges(isChanged, top * width, width)) top += 1;
  if (top === height) return null;
  let bottom = height;
  while (!rowChanges(isChanged, (bottom - 1) * width, width)) bottom -= 1;
  let left = width;
  let right = 0;
  for (let row = top; row < bottom; row++) {
    const start = row * width;
    for (let x = 0; x < left; x++) if (isChanged(start + x)) left = x;
    for (let x = width - 1; x >= right; x--) if (isChanged(start + x)) right = x + 1;
  }
  return { left, top, right, bottom };
}

/** Returns the smallest rectangle that contains both. */
function unionArea(first: Area | null, second: Area | null): Area | null {
  if (first === null || second === null) return first ?? second;
  return {
    left: Math.min(first.left, second.left),
    top: Math.min(first.top, second.top),
    right: Math.max(first.right, second.right),
    bottom: Math.max(first.bottom, second.bottom),
  };
}

function rowChanges(isChanged: (index: number) => boolean, start: number, width: number): boolean {
  for (let index = start; index < start + width; index++) if (isChanged(index)) return true;
  return false;
}
