import { LINEAR, luminanceOf } from '../color/linear-light.ts';
import { NO_TRANSITIONS, type Transitions } from './visual-fields.ts';

/** `red`: changes to or from a saturated red, which are harmful at any luminance. */
export type FlashKind = 'general' | 'red';

type TransitionsByKind = Readonly<Record<FlashKind, Transitions>>;

const UNCHANGED: TransitionsByKind = { general: NO_TRANSITIONS, red: NO_TRANSITIONS };

/** Minimum change of relative luminance, and upper limit for the luminance of the darker state. */
const LUMINANCE_CHANGE = 0.1;
const MAX_DARK_LUMINANCE = 0.8;
/** Minimum change of (R − G − B) × 320, and minimum share of red in a saturated red. */
const RED_CHANGE = 20;
const MIN_SATURATED_SHARE = 0.8;

const TRACKERS: Readonly<Record<FlashKind, (pixelCount: number) => TransitionTracker>> = {
  general: (pixelCount) => new TransitionTracker(pixelCount, LUMINANCE_CHANGE, isDark),
  red: (pixelCount) => new TransitionTracker(pixelCount, 2 * RED_CHANGE + 1, isRed),
};

// Functions of a module, because V8 compiles those of a call again for each video.
function isDark(from: number, to: number): boolean {
  return Math.min(from, to) < MAX_DARK_LUMINANCE;
}

function isRed(from: number, to: number): boolean {
  return from % 2 === 1 || to % 2 === 1;
}

/** Frames between two stored states of a video. */
const STATE_FRAMES = 16;
/** Maximum number of frames of a video that is kept for others: 35 MB of pictures. */
const MAX_FRAMES = 600;

/** A video whose pixels were all tracked, for videos that share most of them. */
interface TrackedVideo extends VideoSize {
  /** Of each frame. */
  readonly pictures: Uint8Array[];
  readonly transitions: TransitionsByKind[];
  /** Before every 16th frame. */
  readonly states: Trackers[];
}

interface VideoSize {
  readonly pixelCount: number;
  readonly frameCount: number;
}

type Trackers = Readonly<Record<FlashKind, TransitionTracker>>;

let lastTracked: TrackedVideo | null = null;

/**
 * Finds the transitions in the pixels of a video. A pixel that has always had the colour of the same pixel in an earlier video has
 * its transitions too, so rows of a template track only the pixels of changed texts.
 */
export class TransitionFinder {
  /** Null to track all pixels. */
  readonly #similar: TrackedVideo | null;
  /** Null for a video that is not kept. */
  readonly #kept: TrackedVideo | null;
  readonly #trackers: Trackers;
  readonly #tracked: Uint32Array;
  readonly #isTracked: Uint8Array;
  #trackedCount = 0;
  /** Pixels of a frame that changed, with their signals. */
  readonly #changed: Uint32Array;
  readonly #luminances: Float32Array;
  readonly #rednesses: Float32Array;
  #frame = 0;
  #last: Uint32Array | null = null;

  /** @param isLast true if the video is not kept */
  constructor(size: VideoSize, isLast = false) {
    const { pixelCount, frameCount } = size;
    const isSimilar = lastTracked?.pixelCount === pixelCount && lastTracked.frameCount === frameCount;
    this.#similar = isSimilar ? lastTracked : null;
    const isKept = !isLast && this.#similar === null && frameCount <= MAX_FRAMES;
    this.#kept = isKept ? { ...size, pictures: [], transitions: [], states: [] } : null;
    this.#trackers = { general: TRACKERS.general(pixelCount), red: TRACKERS.red(pixelCount) };
    this.#tracked = new Uint32Array(pixelCount);
    this.#isTracked = new Uint8Array(pixelCount);
    this.#changed = new Uint32Array(pixelCount);
    this.#luminances = new Float32Array(pixelCount);
    this.#rednesses = new Float32Array(pixelCount);
    if (this.#similar === null) for (let pixel = 0; pixel < pixelCount; pixel++) this.#track(pixel);
  }

  /** Returns the transitions of the next frame. @param rgba opaque; must not be modified before the second next frame, or later if the video is kept */
  next(rgba: Uint8Array): TransitionsByKind {
    const frame = this.#frame++;
    const kept = this.#kept;
    if (kept !== null && frame % STATE_FRAMES === 0) {
      kept.states.push({ general: this.#trackers.general.copy(), red: this.#trackers.red.copy() });
    }
    if (this.#similar !== null) this.#trackChanged(rgba, this.#similar, frame);
    const found = this.#findIn(rgba, frame === 0);
    const same = this.#similar?.transitions[frame];
    const transitions: TransitionsByKind =
      same === undefined
        ? found
        : { general: this.#join(same.general, found.general), red: this.#join(same.red, found.red) };
    kept?.pictures.push(rgba);
    kept?.transitions.push(transitions);
    return transitions;
  }

  /** Keeps the video for similar videos. Call it after the last frame. */
  finish(): void {
    if (this.#kept !== null) lastTracked = this.#kept;
    // A video of another template, or in other colours.
    else if (this.#similar === lastTracked && this.#trackedCount > this.#tracked.length / 2) lastTracked = null;
  }

  #track(pixel: number): void {
    this.#isTracked[pixel] = 1;
    this.#tracked[this.#trackedCount++] = pixel;
  }

  /** Starts to track the pixels that differ from the similar video for the first time. */
  #trackChanged(rgba: Uint8Array, similar: TrackedVideo, frame: number): void {
    const picture = similar.pictures[frame]!;
    if (picture === rgba) return;
    const [colors, known, isTracked] = [colorsOf(rgba), colorsOf(picture), this.#isTracked];
    // Comparing bytes is much faster than comparing pixels.
    if (Buffer.compare(rgba, picture) === 0) return;
    for (let pixel = 0; pixel < known.length; pixel++) {
      if (colors[pixel] === known[pixel] || isTracked[pixel] === 1) continue;
      this.#track(pixel);
      if (frame > 0) this.#resume(pixel, similar, frame);
    }
  }

  /** Brings a pixel to its state in the similar video before a frame. */
  #resume(pixel: number, { pictures, states }: TrackedVideo, frame: number): void {
    const index = Math.floor((frame - 1) / STATE_FRAMES);
    const { general, red } = this.#trackers;
    general.take(pixel, states[index]!.general);
    red.take(pixel, states[index]!.red);
    for (let past = index * STATE_FRAMES; past < frame; past++) {
      const picture = pictures[past]!;
      general.next(pixel, luminanceAt(picture, 4 * pixel), past === 0);
      red.next(pixel, rednessAt(picture, 4 * pixel), past === 0);
    }
  }

  #findIn(rgba: Uint8Array, isFirst: boolean): TransitionsByKind {
    const [colors, last, tracked, { general, red }] = [colorsOf(rgba), this.#last, this.#tracked, this.#trackers];
    if (last?.buffer === colors.buffer && last.byteOffset === colors.byteOffset) return UNCHANGED;
    const [changed, luminances, rednesses] = [this.#changed, this.#luminances, this.#rednesses];
    let count = 0;
    for (let index = 0; index < this.#trackedCount; index++) {
      const pixel = tracked[index]!;
      if (last !== null && colors[pixel] === last[pixel]) continue;
      changed[count] = pixel;
      luminances[count] = luminanceAt(rgba, 4 * pixel);
      rednesses[count] = rednessAt(rgba, 4 * pixel);
      count += 1;
    }
    this.#last = colors;
    return {
      general: general.nextOf(changed, luminances, count, isFirst),
      red: red.nextOf(changed, rednesses, count, isFirst),
    };
  }

  /** Adds the transitions of tracked pixels to those of the similar video. */
  #join(same: Transitions, found: Transitions): Transitions {
    if (this.#trackedCount === 0) return same;
    const [rises, falls] = [this.#joined(same.rises, found.rises), this.#joined(same.falls, found.falls)];
    return { rises, falls };
  }

  #joined(shared: Uint32Array, pixels: Uint32Array): Uint32Array {
    if (shared.length === 0) return pixels;
    const all = new Uint32Array(shared.length + pixels.length);
    let count = 0;
    for (const pixel of shared) if (this.#isTracked[pixel] === 0) all[count++] = pixel;
    all.set(pixels, count);
    return all.subarray(0, count + pixels.length);
  }
}

/** Returns the relative luminance of a pixel. @param at index of its red channel */
function luminanceAt(rgba: Uint8Array, at: number): number {
  return Math.fround(luminanceOf(LINEAR[rgba[at]!]!, LINEAR[rgba[at + 1]!]!, LINEAR[rgba[at + 2]!]!));
}

/** Returns (R − G − B) × 320 of a pixel in half units, which is odd for a saturated red. @param at index of its red channel */
function rednessAt(rgba: Uint8Array, at: number): number {
  const r = rgba[at]!;
  const g = rgba[at + 1]!;
  const b = rgba[at + 2]!;
  return r <= g || r <= b ? 0 : rednessOf(LINEAR[r]!, LINEAR[g]!, LINEAR[b]!);
}

function rednessOf(red: number, green: number, blue: number): number {
  const isSaturated = red > 0 && red / (red + green + blue) >= MIN_SATURATED_SHARE;
  return 2 * Math.round(Math.max(0, (red - green - blue) * 320)) + (isSaturated ? 1 : 0);
}

/** Returns the pixels of a picture as numbers. */
function colorsOf({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}

/**
 * Finds transitions in the signals of pixels: changes between adjacent peaks and valleys by at least a threshold. Each is reported
 * once, on the frame on which it reaches the threshold.
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

  /** @param counts returns whether a change from the turning point to the current value is a transition */
  constructor(pixelCount: number, threshold: number, counts: (from: number, to: number) => boolean) {
    this.#threshold = threshold;
    this.#counts = counts;
    this.#direction = new Int8Array(pixelCount);
    this.#isCounted = new Uint8Array(pixelCount);
    this.#origin = new Float32Array(pixelCount);
    this.#extreme = new Float32Array(pixelCount);
  }

  copy(): TransitionTracker {
    const copy = new TransitionTracker(this.#direction.length, this.#threshold, this.#counts);
    copy.#direction.set(this.#direction);
    copy.#isCounted.set(this.#isCounted);
    copy.#origin.set(this.#origin);
    copy.#extreme.set(this.#extreme);
    return copy;
  }

  /** Takes the state of a pixel from another tracker. */
  take(pixel: number, tracker: TransitionTracker): void {
    this.#direction[pixel] = tracker.#direction[pixel]!;
    this.#isCounted[pixel] = tracker.#isCounted[pixel]!;
    this.#origin[pixel] = tracker.#origin[pixel]!;
    this.#extreme[pixel] = tracker.#extreme[pixel]!;
  }

  /**
   * Reads the next value of a pixel. A repeated value changes nothing.
   *
   * @returns 1 for a rise, -1 for a fall, 0 for no transition
   */
  next(pixel: number, value: number, isFirst: boolean): number {
    if (isFirst) {
      this.#origin[pixel] = value;
      this.#extreme[pixel] = value;
      return 0;
    }
    const extreme = this.#extreme[pixel]!;
    return value === extreme ? 0 : this.#step(pixel, value, extreme);
  }

  /** Reads the next values of the first `count` pixels of a list. */
  nextOf(pixels: Uint32Array, values: Float32Array, count: number, isFirst: boolean): Transitions {
    const rises: number[] = [];
    const falls: number[] = [];
    for (let index = 0; index < count; index++) {
      const pixel = pixels[index]!;
      const sign = this.next(pixel, values[index]!, isFirst);
      if (sign === 1) rises.push(pixel);
      else if (sign === -1) falls.push(pixel);
    }
    if (rises.length + falls.length === 0) return NO_TRANSITIONS;
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
