import type { VideoInput } from '../../template/render-input.ts';
import type { PictureBox } from '../lint-finding.ts';
import { reducedInput, SMALL_SIDE } from './reduced-input.ts';
import { drawSharedFrames } from './shared-frames.ts';
import { type FlashKind, TransitionFinder } from './transitions.ts';
import {
  type Box,
  NO_TRANSITIONS,
  type Size,
  type Transitions,
  type VisualFields,
  visualFieldsOf,
} from './visual-fields.ts';

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
/** Transitions within this time count as a single transition, such as those of a slanted or soft edge. */
const SAME_TRANSITION_SECONDS = 1 / 15;

/**
 * Finds flashes that can cause seizures: more than three per second in more than a quarter of any visual field of 10°. Draws, at a
 * small size, all frames that may differ from their predecessor. Scenes flash together with their neighbours and transitions.
 *
 * @param isLast true if no other input of the thread will be similar
 * @param visit receives the small pictures, RGBA, in order
 * @see https://www.w3.org/TR/WCAG22/#three-flashes-or-below-threshold
 * @see Recommendation ITU-R BT.1702
 * @throws RenderError for an input that cannot be drawn
 */
export async function findFlashes(
  video: VideoInput,
  isLast = false,
  visit: (frame: number, picture: Uint8Array) => void = () => undefined,
): Promise<FlashPassage[]> {
  const opaque = { ...video, output: { ...video.output, format: 'mp4' as const } };
  const small = reducedInput(opaque, SMALL_SIDE, SMALL_SIDE);
  const fields = visualFieldsOf(small);
  const generalCounter = new FlashCounter('general', small, fields);
  const redCounter = new FlashCounter('red', small, fields);
  const finder = new TransitionFinder({ pixelCount: small.width * small.height, frameCount: small.frameCount }, isLast);
  let last: Uint8Array | null = null;
  const frames = Array.from({ length: video.frameCount }, (_, frame) => frame);
  const visitNext = (frame: number, picture: Uint8Array): void => {
    visit(frame, picture);
    const { general, red } = finder.next(picture);
    // Comparing pictures is much faster than counting.
    const isRepeated = last !== null && (picture === last || Buffer.compare(last, picture) === 0);
    last = picture;
    if (isRepeated) {
      generalCounter.repeat();
      redCounter.repeat();
    } else {
      generalCounter.next(frame, general);
      redCounter.next(frame, red);
    }
  };
  await drawSharedFrames(small, frames, visitNext, isLast);
  finder.finish();
  return [generalCounter, redCounter].flatMap(({ worst }) => worst ?? []);
}

/** Counts flashes of a kind in each position of the visual field. */
class FlashCounter {
  readonly #kind: FlashKind;
  readonly #video: Drawn;
  readonly #fields: VisualFields;
  readonly #transitions: readonly FieldTransitions[];
  readonly #windowFrames: number;
  /** Transitions of each of the last frames. */
  readonly #recent: Transitions[] = [];
  /** A count of each field. */
  readonly #none: Int32Array;
  worst: FlashPassage | null = null;

  constructor(kind: FlashKind, video: Drawn, fields: VisualFields) {
    this.#kind = kind;
    this.#video = video;
    this.#fields = fields;
    this.#transitions = fields.boxes.map(() => ({ frames: [], last: 0 }));
    this.#none = new Int32Array(fields.boxes.length);
    this.#windowFrames = Math.max(1, Math.round(video.fps * SAME_TRANSITION_SECONDS));
  }

  /** Counts a frame that equals its predecessor. */
  repeat(): void {
    pushLimited(this.#recent, NO_TRANSITIONS, this.#windowFrames);
  }

  /** Counts the transitions of a frame. */
  next(frame: number, { rises, falls }: Transitions): void {
    const { minPixels } = this.#fields;
    pushLimited(this.#recent, { rises, falls }, this.#windowFrames);
    const recentRises = this.#recent.map((found) => found.rises);
    const recentFalls = this.#recent.map((found) => found.falls);
    // No field has more transitions than the picture.
    if (this.#isFew(recentRises) && this.#isFew(recentFalls)) return;
    const risesOf = this.#isFew([rises]) ? this.#none : this.#fields.count([rises], []);
    const fallsOf = this.#isFew([falls]) ? this.#none : this.#fields.count([falls], []);
    // An edge that moves across a field is not a flash: as many pixels become brighter as darker.
    const netOf = this.#fields.count(recentRises, recentFalls);
    for (const [index, field] of this.#transitions.entries()) {
      const isRise = risesOf[index]! > minPixels || netOf[index]! > minPixels;
      const isFall = fallsOf[index]! > minPixels || -netOf[index]! > minPixels;
      if (field.last !== 1 && isRise) this.#count(index, frame, 1, { rises, falls });
      else if (field.last !== -1 && isFall) this.#count(index, frame, -1, { rises, falls });
    }
  }

  #isFew(lists: readonly Uint32Array[]): boolean {
    return lists.reduce((sum, { length }) => sum + length, 0) <= this.#fields.minPixels;
  }

  #count(index: number, frame: number, sign: 1 | -1, { rises, falls }: Transitions): void {
    const field = this.#transitions[index]!;
    field.last = sign;
    field.frames.push(frame);
    while (field.frames[0]! < frame - this.#video.fps) field.frames.shift();
    const flashes = Math.floor(field.frames.length / 2);
    if (flashes <= Math.max(MAX_FLASHES, this.worst?.flashes ?? 0)) return;
    const box = boundsOf([rises, falls], this.#video) ?? this.#fields.boxes[index]!;
    this.worst = { kind: this.#kind, flashes, frame: field.frames[0]!, box: sharesOf(box, this.#video) };
  }
}

/** The fields of a small video that its flashes depend on. */
type Drawn = Size & Pick<VideoInput, 'fps'>;

/** Transitions of a position of the visual field. */
interface FieldTransitions {
  /** Their frames within the last second. */
  readonly frames: number[];
  /** Direction of the last transition; 0 if there was none. */
  last: -1 | 0 | 1;
}

function pushLimited(recent: Transitions[], value: Transitions, maxLength: number): void {
  recent.push(value);
  if (recent.length > maxLength) recent.shift();
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
