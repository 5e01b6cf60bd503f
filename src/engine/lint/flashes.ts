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
    const [red, green, blue] = [LINEAR[rgba[at]!]!, LINEAR[rgba[at + 1]!]!, LINEAR[rgba[at + 2]!]!];
    luminance[pixel] = luminanceOf(red, green, blue);
    redness[pixel] = rednessOf(red, green, blue);
  }
  return count;
}

/** Returns the pixels of a picture as numbers. */
function colorsOf({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}

/** Returns (R − G − B) × 320 in half units; odd for a saturated red. */
function rednessOf(red: number, green: number, blue: number): number {
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
  readonly #found: Int8Array;
  readonly #fields: readonly VisualField[];
  readonly #rises: SummedArea;
  readonly #falls: SummedArea;
  readonly #windowFrames: number;
  worst: FlashPassage | null = null;

  constructor(kind: FlashKind, renderInput: RenderInput) {
    const { width, height, fps } = renderInput;
    this.#kind = kind;
    this.#renderInput = renderInput;
    this.#tracker = TRACKERS[kind](width * height);
    this.#found = new Int8Array(width * height);
    this.#rises = new SummedArea(width, height);
    this.#falls = new SummedArea(width, height);
    this.#fields = fieldsOf(width, height);
    this.#windowFrames = Math.max(1, Math.round(fps * SAME_TRANSITION_SECONDS));
  }

  /** Counts a frame that equals its predecessor. */
  repeat(): void {
    for (const { recent } of this.#fields) pushLimited(recent, 0, this.#windowFrames);
  }

  /** Counts the transitions of a frame. @param signal value of each pixel @param changed pixels whose values differ from the last frame */
  next(frame: number, signal: Float32Array, changed: Uint32Array): void {
    const isChanged = this.#tracker.next(signal, changed, this.#found);
    if (isChanged) {
      this.#rises.sum(this.#found, 1);
      this.#falls.sum(this.#found, -1);
    }
    for (const field of this.#fields) {
      const { box, recent, minPixels } = field;
      const [rises, falls] = isChanged ? [this.#rises.within(box), this.#falls.within(box)] : [0, 0];
      pushLimited(recent, rises - falls, this.#windowFrames);
      // An edge that moves across a field is not a flash: as many pixels become brighter as darker.
      const net = recent.reduce((sum, difference) => sum + difference, 0);
      if (field.last !== 1 && (rises > minPixels || net > minPixels)) this.#count(field, frame, 1);
      else if (field.last !== -1 && (falls > minPixels || -net > minPixels)) this.#count(field, frame, -1);
    }
  }

  #count(field: VisualField, frame: number, sign: 1 | -1): void {
    field.last = sign;
    field.transitions.push(frame);
    while (field.transitions[0]! < frame - this.#renderInput.fps) field.transitions.shift();
    const flashes = Math.floor(field.transitions.length / 2);
    if (flashes <= Math.max(MAX_FLASHES, this.worst?.flashes ?? 0)) return;
    const box = boundsOf(this.#found, this.#renderInput) ?? field.box;
    this.worst = { kind: this.#kind, flashes, frame: field.transitions[0]!, box: sharesOf(box, this.#renderInput) };
  }
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A position of the visual field, with its transitions of the last second. */
interface VisualField {
  readonly box: Box;
  /** A transition counts if it happens in more pixels than this. */
  readonly minPixels: number;
  /** Rises minus falls of each of the last frames. */
  readonly recent: number[];
  readonly transitions: number[];
  /** Direction of the last transition; 0 if there was none. */
  last: -1 | 0 | 1;
}

function fieldsOf(width: number, height: number): VisualField[] {
  const across = Math.max(1, Math.round(width * FIELD.across));
  const down = Math.max(1, Math.round(height * FIELD.down));
  return positions(height, down).flatMap((top) =>
    positions(width, across).map((left): VisualField => {
      const box = { left, top, right: left + across, bottom: top + down };
      return { box, minPixels: MIN_SHARE * across * down, recent: [], transitions: [], last: 0 };
    }),
  );
}

function positions(length: number, field: number): number[] {
  const step = Math.max(1, Math.floor(field / STEPS));
  const last = length - field;
  return [...Array.from({ length: Math.ceil(last / step) }, (_, index) => index * step), last];
}

function pushLimited(recent: number[], value: number, maxLength: number): void {
  recent.push(value);
  if (recent.length > maxLength) recent.shift();
}

/** Counts the pixels with a value in any rectangle of a picture. @see https://en.wikipedia.org/wiki/Summed-area_table */
class SummedArea {
  readonly #stride: number;
  readonly #sums: Int32Array;

  constructor(width: number, height: number) {
    this.#stride = width + 1;
    this.#sums = new Int32Array((width + 1) * (height + 1));
  }

  sum(values: Int8Array, counted: number): void {
    const width = this.#stride - 1;
    for (let at = 0, row = 1; at < values.length; row++) {
      let sum = 0;
      for (let column = 1; column <= width; column++, at++) {
        if (values[at] === counted) sum += 1;
        const index = row * this.#stride + column;
        this.#sums[index] = this.#sums[index - this.#stride]! + sum;
      }
    }
  }

  within({ left, top, right, bottom }: Box): number {
    const at = (x: number, y: number): number => this.#sums[y * this.#stride + x]!;
    return at(right, bottom) - at(left, bottom) - at(right, top) + at(left, top);
  }
}

/** Returns the box around the pixels with a transition; undefined if there are none. */
function boundsOf(found: Int8Array, { width }: RenderInput): Box | undefined {
  let [left, top, right, bottom] = [Infinity, Infinity, -1, -1];
  for (let at = 0; at < found.length; at++) {
    if (found[at] === 0) continue;
    const [x, y] = [at % width, Math.floor(at / width)];
    [left, right] = [Math.min(left, x), Math.max(right, x + 1)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y + 1)];
  }
  return right === -1 ? undefined : { left, top, right, bottom };
}

function sharesOf({ left, top, right, bottom }: Box, { width, height }: RenderInput): PictureBox {
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
   * Reads the next frame.
   *
   * @param values of the pixels
   * @param changed the pixels whose values differ from those of the last frame; no other pixel can have a transition
   * @param found receives 1 for a rise, -1 for a fall, 0 for no transition
   * @returns whether there is any transition
   */
  next(values: Float32Array, changed: Uint32Array, found: Int8Array): boolean {
    found.fill(0);
    if (this.#isEmpty) {
      this.#isEmpty = false;
      this.#origin.set(values);
      this.#extreme.set(values);
      return false;
    }
    let isFound = false;
    for (const pixel of changed) {
      const value = values[pixel]!;
      const extreme = this.#extreme[pixel]!;
      const transition = value === extreme ? 0 : this.#step(pixel, value, extreme);
      if (transition === 0) continue;
      found[pixel] = transition;
      isFound = true;
    }
    return isFound;
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
