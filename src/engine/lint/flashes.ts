import type { RenderInput } from '../../template/render-input.ts';
import { LINEAR, luminanceOf } from '../color/linear-light.ts';
import type { PictureBox } from '../lint-finding.ts';
import { reducedInput } from './reduced-input.ts';
import { drawSharedFrames } from './shared-frames.ts';

/** The second of a video with the most flashes of a kind, if their number is unsafe. */
export interface FlashPassage {
  readonly kind: FlashKind;
  /** Flashes in that second. */
  readonly flashes: number;
  /** First frame of that second. */
  readonly frame: number;
  /** Box around the pixels that flash together. */
  readonly box: PictureBox;
}

/** `red`: changes to or from a saturated red, which are harmful at any luminance. */
export type FlashKind = 'general' | 'red';

/** Highest safe number of flashes in a second. A flash is a pair of opposing transitions. */
const MAX_FLASHES = 3;
/** Minimum share of the visual field that must flash together. */
const MIN_SHARE = 0.25;
/** The visual field of 10°: 341 × 256 pixels of a picture of 1024 × 768. */
const FIELD = { across: 341 / 1024, down: 256 / 768 };
/** Minimum change of relative luminance, and upper limit for the luminance of the darker state. */
const LUMINANCE_CHANGE = 0.1;
const MAX_DARK_LUMINANCE = 0.8;
/** Minimum change of (R − G − B) × 320, and minimum share of red in a saturated red. */
const RED_CHANGE = 20;
const MIN_SATURATED_SHARE = 0.8;

/** Longer side of the pictures, and of the images in them, in pixels. */
const LONG_SIDE = 160;
/** Transitions within this time count as a single transition, such as those of a slanted or soft edge. */
const SAME_TRANSITION_SECONDS = 1 / 15;
/** The visual field is moved in steps of a quarter of its size. */
const STEPS = 4;

/**
 * Finds flashes that can cause seizures: more than three per second in more than a quarter of any visual field of 10°. Draws, at a
 * small size, all frames that may differ from their predecessor.
 *
 * @see https://www.w3.org/TR/WCAG22/#three-flashes-or-below-threshold
 * @see Recommendation ITU-R BT.1702
 * @throws RenderError for an input that cannot be drawn
 */
export async function findFlashes(renderInput: RenderInput): Promise<FlashPassage[]> {
  const opaque = { ...renderInput, output: { ...renderInput.output, format: 'mp4' as const } };
  const small = reducedInput(opaque, LONG_SIDE, LONG_SIDE);
  const generalCounter = new FlashCounter('general', small);
  const redCounter = new FlashCounter('red', small);
  const pixelCount = small.width * small.height;
  const [luminance, redness] = [new Float32Array(pixelCount), new Float32Array(pixelCount)];
  const changedPixels = new Uint32Array(pixelCount);
  let last: Uint8Array | null = null;
  const frames = Array.from({ length: renderInput.frameCount }, (_, frame) => frame);
  await drawSharedFrames(small, frames, (frame, picture) => {
    // Comparing pictures is much faster than reading their signals.
    if (last !== null && (picture === last || Buffer.compare(last, picture) === 0)) {
      generalCounter.repeat();
      redCounter.repeat();
      return;
    }
    const changed = changedPixels.subarray(0, readSignals(picture, last, { luminance, redness, changedPixels }));
    generalCounter.next(frame, luminance, changed);
    redCounter.next(frame, redness, changed);
    last = picture;
  });
  return [generalCounter, redCounter].flatMap(({ worst }) => worst ?? []);
}

/** The signals of a picture, by pixel. */
interface Signals {
  readonly luminance: Float32Array;
  readonly redness: Float32Array;
  /** Receives the indices of the pixels that differ from the last picture. */
  readonly changedPixels: Uint32Array;
}

/**
 * Reads the signals of a picture.
 *
 * @param rgba opaque
 * @param last the picture whose signals are known; null for none
 * @returns the number of changed pixels
 */
function readSignals(
  rgba: Uint8Array,
  last: Uint8Array | null,
  { luminance, redness, changedPixels }: Signals,
): number {
  const [colors, lastColors] = [colorsOf(rgba), last === null ? null : colorsOf(last)];
  let count = 0;
  for (let pixel = 0, at = 0; pixel < luminance.length; pixel++, at += 4) {
    if (lastColors !== null && colors[pixel] === lastColors[pixel]) continue;
    changedPixels[count++] = pixel;
    const [red, green, blue] = [rgba[at]!, rgba[at + 1]!, rgba[at + 2]!];
    luminance[pixel] = luminanceOf(LINEAR[red]!, LINEAR[green]!, LINEAR[blue]!);
    redness[pixel] = red <= green || red <= blue ? 0 : rednessOf(LINEAR[red]!, LINEAR[green]!, LINEAR[blue]!);
  }
  return count;
}

/** Returns the pixels of a picture as numbers. */
function colorsOf({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}

/** Returns (R − G − B) × 320 in half units; odd for a saturated red. */
function rednessOf(red: number, green: number, blue: number): number {
  if (red <= green + blue) return 0;
  const isSaturated = red > 0 && red / (red + green + blue) >= MIN_SATURATED_SHARE;
  return 2 * Math.round(Math.max(0, (red - green - blue) * 320)) + (isSaturated ? 1 : 0);
}

const TRACKERS: Readonly<Record<FlashKind, (pixelCount: number) => TransitionTracker>> = {
  general: (pixelCount) =>
    new TransitionTracker(pixelCount, LUMINANCE_CHANGE, (from, to) => Math.min(from, to) < MAX_DARK_LUMINANCE),
  red: (pixelCount) =>
    new TransitionTracker(pixelCount, 2 * RED_CHANGE + 1, (from, to) => from % 2 === 1 || to % 2 === 1),
};

/** Counts flashes of a kind in each position of the visual field. */
class FlashCounter {
  readonly #kind: FlashKind;
  readonly #renderInput: RenderInput;
  readonly #tracker: TransitionTracker;
  readonly #fields: readonly VisualField[];
  /** A transition of a field counts if it happens in more pixels than this. */
  readonly #minPixels: number;
  readonly #sums: SummedArea;
  readonly #windowFrames: number;
  /** Transitions of each of the last frames. */
  readonly #recent: Transitions[] = [];
  /** A count of each field. */
  readonly #none: Int32Array;
  worst: FlashPassage | null = null;

  constructor(kind: FlashKind, renderInput: RenderInput) {
    const { width, height, fps } = renderInput;
    const field = {
      width: Math.max(1, Math.round(width * FIELD.across)),
      height: Math.max(1, Math.round(height * FIELD.down)),
    };
    this.#kind = kind;
    this.#renderInput = renderInput;
    this.#tracker = TRACKERS[kind](width * height);
    this.#sums = new SummedArea(width, height);
    this.#fields = fieldsOf(renderInput, field);
    this.#none = new Int32Array(this.#fields.length);
    this.#minPixels = MIN_SHARE * field.width * field.height;
    this.#windowFrames = Math.max(1, Math.round(fps * SAME_TRANSITION_SECONDS));
  }

  /** Counts a frame that equals its predecessor. */
  repeat(): void {
    pushLimited(this.#recent, NO_TRANSITIONS, this.#windowFrames);
  }

  /** Counts the transitions of a frame. @param signal value of each pixel @param changed pixels whose values differ from the last frame */
  next(frame: number, signal: Float32Array, changed: Uint32Array): void {
    const { rises, falls } = this.#tracker.next(signal, changed);
    pushLimited(this.#recent, { rises, falls }, this.#windowFrames);
    const recentRises = this.#recent.map((found) => found.rises);
    const recentFalls = this.#recent.map((found) => found.falls);
    // No field has more transitions than the picture.
    if (this.#isFew(recentRises) && this.#isFew(recentFalls)) return;
    const risesOf = this.#isFew([rises]) ? this.#none : this.#countIn([rises], []);
    const fallsOf = this.#isFew([falls]) ? this.#none : this.#countIn([falls], []);
    // An edge that moves across a field is not a flash: as many pixels become brighter as darker.
    const netOf = this.#countIn(recentRises, recentFalls);
    for (const [index, field] of this.#fields.entries()) {
      const isRise = risesOf[index]! > this.#minPixels || netOf[index]! > this.#minPixels;
      const isFall = fallsOf[index]! > this.#minPixels || -netOf[index]! > this.#minPixels;
      if (field.last !== 1 && isRise) this.#count(field, frame, 1, { rises, falls });
      else if (field.last !== -1 && isFall) this.#count(field, frame, -1, { rises, falls });
    }
  }

  #isFew(lists: readonly Uint32Array[]): boolean {
    return lists.reduce((sum, { length }) => sum + length, 0) <= this.#minPixels;
  }

  /** Returns the number of added pixels minus the subtracted pixels in each field. */
  #countIn(added: readonly Uint32Array[], subtracted: readonly Uint32Array[]): Int32Array {
    this.#sums.sum(added, subtracted);
    return Int32Array.from(this.#fields, ({ box }) => this.#sums.within(box));
  }

  #count(field: VisualField, frame: number, sign: 1 | -1, { rises, falls }: Transitions): void {
    field.last = sign;
    field.transitions.push(frame);
    while (field.transitions[0]! < frame - this.#renderInput.fps) field.transitions.shift();
    const flashes = Math.floor(field.transitions.length / 2);
    if (flashes <= Math.max(MAX_FLASHES, this.worst?.flashes ?? 0)) return;
    const box = boundsOf([rises, falls], this.#renderInput) ?? field.box;
    this.worst = { kind: this.#kind, flashes, frame: field.transitions[0]!, box: sharesOf(box, this.#renderInput) };
  }
}

/** Indices of the pixels with a transition on a frame. */
interface Transitions {
  readonly rises: Uint32Array;
  readonly falls: Uint32Array;
}

const NO_TRANSITIONS: Transitions = { rises: new Uint32Array(0), falls: new Uint32Array(0) };

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A position of the visual field, with its transitions of the last second. */
interface VisualField {
  readonly box: Box;
  readonly transitions: number[];
  /** Direction of the last transition; 0 if there was none. */
  last: -1 | 0 | 1;
}

function fieldsOf({ width, height }: Size, field: Size): VisualField[] {
  return positions(height, field.height).flatMap((top) =>
    positions(width, field.width).map((left): VisualField => {
      const box = { left, top, right: left + field.width, bottom: top + field.height };
      return { box, transitions: [], last: 0 };
    }),
  );
}

type Size = Pick<RenderInput, 'width' | 'height'>;

function positions(length: number, field: number): number[] {
  const step = Math.max(1, Math.floor(field / STEPS));
  const last = length - field;
  return [...Array.from({ length: Math.ceil(last / step) }, (_, index) => index * step), last];
}

function pushLimited(recent: Transitions[], value: Transitions, maxLength: number): void {
  recent.push(value);
  if (recent.length > maxLength) recent.shift();
}

/** Counts pixels in any rectangle of a picture. @see https://en.wikipedia.org/wiki/Summed-area_table */
class SummedArea {
  readonly #stride: number;
  readonly #sums: Int32Array;

  constructor(width: number, height: number) {
    this.#stride = width + 1;
    this.#sums = new Int32Array((width + 1) * (height + 1));
  }

  /** @param added indices of pixels that count as 1 @param subtracted indices of pixels that count as -1 */
  sum(added: readonly Uint32Array[], subtracted: readonly Uint32Array[]): void {
    const [sums, stride] = [this.#sums, this.#stride];
    sums.fill(0);
    for (const pixels of added) for (const pixel of pixels) sums[this.#indexOf(pixel)]! += 1;
    for (const pixels of subtracted) for (const pixel of pixels) sums[this.#indexOf(pixel)]! -= 1;
    for (let start = stride; start < sums.length; start += stride) {
      let sum = 0;
      for (let index = start + 1; index < start + stride; index++) {
        sum += sums[index]!;
        sums[index] = sums[index - stride]! + sum;
      }
    }
  }

  #indexOf(pixel: number): number {
    const width = this.#stride - 1;
    return pixel + Math.floor(pixel / width) + this.#stride + 1;
  }

  within({ left, top, right, bottom }: Box): number {
    const at = (x: number, y: number): number => this.#sums[y * this.#stride + x]!;
    return at(right, bottom) - at(left, bottom) - at(right, top) + at(left, top);
  }
}

/** Returns the box around pixels; undefined if there are none. @param lists indices of pixels */
function boundsOf(lists: readonly Uint32Array[], { width }: Size): Box | undefined {
  let [left, top, right, bottom] = [Infinity, Infinity, -1, -1];
  for (const pixels of lists) {
    for (const pixel of pixels) {
      const [x, y] = [pixel % width, Math.floor(pixel / width)];
      [left, right] = [Math.min(left, x), Math.max(right, x + 1)];
      [top, bottom] = [Math.min(top, y), Math.max(bottom, y + 1)];
    }
  }
  return right === -1 ? undefined : { left, top, right, bottom };
}

function sharesOf({ left, top, right, bottom }: Box, { width, height }: Size): PictureBox {
  return { x: left / width, y: top / height, width: (right - left) / width, height: (bottom - top) / height };
}

/**
 * Finds transitions in the signals of many pixels: changes between adjacent peaks and valleys by at least a threshold. Each is
 * reported once, on the frame on which it reaches the threshold.
 *
 * @see https://www.w3.org/TR/WCAG22/#dfn-general-flash-and-red-flash-thresholds
 */
class TransitionTracker {
  readonly #threshold: number;
  readonly #counts: (from: number, to: number) => boolean;
  readonly #direction: Int8Array;
  readonly #isCounted: Uint8Array;
  /** Last turning point, and the extreme since then. */
  readonly #origin: Float32Array;
  readonly #extreme: Float32Array;
  #isEmpty = true;

  /** @param counts returns whether a change from the turning point to the current value is a transition */
  constructor(pixelCount: number, threshold: number, counts: (from: number, to: number) => boolean) {
    this.#threshold = threshold;
    this.#counts = counts;
    this.#direction = new Int8Array(pixelCount);
    this.#isCounted = new Uint8Array(pixelCount);
    this.#origin = new Float32Array(pixelCount);
    this.#extreme = new Float32Array(pixelCount);
  }

  /**
   * Returns the transitions of the next frame.
   *
   * @param values of the pixels
   * @param changed the pixels whose values differ from those of the last frame; no other pixel can have a transition
   */
  next(values: Float32Array, changed: Uint32Array): Transitions {
    if (this.#isEmpty) {
      this.#isEmpty = false;
      this.#origin.set(values);
      this.#extreme.set(values);
      return NO_TRANSITIONS;
    }
    const [rises, falls]: [number[], number[]] = [[], []];
    for (const pixel of changed) {
      const value = values[pixel]!;
      const extreme = this.#extreme[pixel]!;
      const transition = value === extreme ? 0 : this.#step(pixel, value, extreme);
      if (transition === 0) continue;
      if (transition === 1) rises.push(pixel);
      else falls.push(pixel);
    }
    return { rises: Uint32Array.from(rises), falls: Uint32Array.from(falls) };
  }

  #step(pixel: number, value: number, extreme: number): number {
    const sign = value > extreme ? 1 : -1;
    if (this.#direction[pixel] !== sign) {
      if (Math.abs(value - extreme) < this.#threshold) return 0;
      this.#direction[pixel] = sign;
      this.#origin[pixel] = extreme;
      this.#isCounted[pixel] = 0;
    }
    this.#extreme[pixel] = value;
    if (this.#isCounted[pixel] === 1 || !this.#counts(this.#origin[pixel]!, value)) return 0;
    this.#isCounted[pixel] = 1;
    return sign;
  }
}
