import type { VideoInput } from '../../template/render-input.ts';
import type { PictureBox } from '../lint-finding.ts';
import { reducedInput } from './reduced-input.ts';
import { drawSharedFrames } from './shared-frames.ts';
import { type FlashKind, NO_TRANSITIONS, TransitionFinder, type Transitions } from './transitions.ts';

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

/** Highest safe number of flashes in a second. A flash is a pair of opposing transitions. */
const MAX_FLASHES = 3;
/** Minimum share of the visual field that must flash together. */
const MIN_SHARE = 0.25;
/** The visual field of 10°: 341 × 256 pixels of a picture of 1024 × 768. */
const FIELD = { across: 341 / 1024, down: 256 / 768 };
/** Longer side of the pictures, and of the images in them, in pixels. */
const LONG_SIDE = 160;
/** Transitions within this time count as a single transition, such as those of a slanted or soft edge. */
const SAME_TRANSITION_SECONDS = 1 / 15;
/** The visual field is moved in steps of a quarter of its size. */
const STEPS = 4;

/**
 * Finds flashes that can cause seizures: more than three per second in more than a quarter of any visual field of 10°. Draws, at a
 * small size, all frames that may differ from their predecessor. Scenes flash together with their neighbours and transitions.
 *
 * @param visit receives the small pictures, RGBA, in order
 * @see https://www.w3.org/TR/WCAG22/#three-flashes-or-below-threshold
 * @see Recommendation ITU-R BT.1702
 * @throws RenderError for an input that cannot be drawn
 */
export async function findFlashes(
  video: VideoInput,
  visit: (frame: number, picture: Uint8Array) => void = () => undefined,
): Promise<FlashPassage[]> {
  const opaque = { ...video, output: { ...video.output, format: 'mp4' as const } };
  const small = reducedInput(opaque, LONG_SIDE, LONG_SIDE);
  const generalCounter = new FlashCounter('general', small);
  const redCounter = new FlashCounter('red', small);
  const finder = new TransitionFinder({ pixelCount: small.width * small.height, frameCount: small.frameCount });
  let last: Uint8Array | null = null;
  const frames = Array.from({ length: video.frameCount }, (_, frame) => frame);
  await drawSharedFrames(small, frames, (frame, picture) => {
    visit(frame, picture);
    const { general, red } = finder.next(picture);
    // Comparing pictures is much faster than counting.
    if (last !== null && (picture === last || Buffer.compare(last, picture) === 0)) {
      generalCounter.repeat();
      redCounter.repeat();
      return;
    }
    generalCounter.next(frame, general);
    redCounter.next(frame, red);
    last = picture;
  });
  finder.finish();
  return [generalCounter, redCounter].flatMap(({ worst }) => worst ?? []);
}

/** Counts flashes of a kind in each position of the visual field. */
class FlashCounter {
  readonly #kind: FlashKind;
  readonly #video: Drawn;
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

  constructor(kind: FlashKind, video: Drawn) {
    const { width, height, fps } = video;
    const field = {
      width: Math.max(1, Math.round(width * FIELD.across)),
      height: Math.max(1, Math.round(height * FIELD.down)),
    };
    this.#kind = kind;
    this.#video = video;
    this.#sums = new SummedArea(width, height);
    this.#fields = fieldsOf(video, field);
    this.#none = new Int32Array(this.#fields.length);
    this.#minPixels = MIN_SHARE * field.width * field.height;
    this.#windowFrames = Math.max(1, Math.round(fps * SAME_TRANSITION_SECONDS));
  }

  /** Counts a frame that equals its predecessor. */
  repeat(): void {
    pushLimited(this.#recent, NO_TRANSITIONS, this.#windowFrames);
  }

  /** Counts the transitions of a frame. */
  next(frame: number, { rises, falls }: Transitions): void {
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
    while (field.transitions[0]! < frame - this.#video.fps) field.transitions.shift();
    const flashes = Math.floor(field.transitions.length / 2);
    if (flashes <= Math.max(MAX_FLASHES, this.worst?.flashes ?? 0)) return;
    const box = boundsOf([rises, falls], this.#video) ?? field.box;
    this.worst = { kind: this.#kind, flashes, frame: field.transitions[0]!, box: sharesOf(box, this.#video) };
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

type Size = Pick<VideoInput, 'width' | 'height'>;

/** The fields of a small video that its flashes depend on. */
type Drawn = Size & Pick<VideoInput, 'fps'>;

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
