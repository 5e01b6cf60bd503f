import type { RenderInput } from '../../template/render-input.ts';
import type { LaidOutText } from '../text/lay-out-layers.ts';
import { longestRun, MIN_STRENGTH, MIN_VISIBLE, type TextSample, type TextTrack } from './text-tracks.ts';

/** A text that its box shrank far below its design, on the frame that shows it best. */
export interface ShrunkText {
  readonly frame: number;
  readonly track: TextTrack;
  /** Font sizes as drawn and as designed, in pixels of a picture whose shorter side has 1080. */
  readonly size: number;
  readonly designed: number;
  /** A text of the same frame that the design has smaller and that is drawn larger, and its size; null if there is none. */
  readonly larger: { readonly track: TextTrack; readonly size: number } | null;
}

/** A text is shrunk far from this share of its design size on. */
export const MIN_DESIGN_SHARE = 0.5;
/** Minimum ratio of two sizes that viewers distinguish in different places: a step of usual type scales. */
const NOTICEABLE = 1.2;

/**
 * Finds texts of editables that their boxes shrank under half of their design size, or so far that a text which the design has
 * smaller is drawn larger on the same frame.
 */
export function findShrunk(tracks: readonly TextTrack[], renderInput: RenderInput): ShrunkText[] {
  return tracks.flatMap((track): ShrunkText[] => {
    if (track.editable === null || track.samples.every(({ laidOut }) => shareOf(laidOut) >= 1)) return [];
    const largerOn = createComparison(track, tracks);
    const found =
      longestRun(track.samples, renderInput, (sample) => largerOn(sample) !== null) ??
      longestRun(track.samples, renderInput, (sample) => isShown(sample) && shareOf(sample.laidOut) < MIN_DESIGN_SHARE);
    if (found === undefined) return [];
    const { frame, size } = found;
    return [{ frame, track, size, designed: designSize(found), larger: largerOn(found) }];
  });
}

/** Returns a function that finds the largest text on a frame that the design has smaller than this text. */
function createComparison(
  { editable, text, samples }: TextTrack,
  tracks: readonly TextTrack[],
): (sample: TextSample) => ShrunkText['larger'] {
  // A text that always moves is never at rest, but its size is constant.
  const isAlwaysMoving = !samples.some(({ isAtRest }) => isAtRest);
  const rivals = tracks
    .filter((track) => track.editable !== editable && track.text !== text)
    .map((track) => ({ track, samples: new Map(track.samples.map((sample) => [sample.frame, sample])) }));
  return (sample) => {
    if (!isShown(sample) || !(sample.isAtRest || isAlwaysMoving) || shareOf(sample.laidOut) >= 1) return null;
    const designed = designSize(sample);
    let largest: ShrunkText['larger'] = null;
    for (const { track, samples } of rivals) {
      const rival = samples.get(sample.frame);
      if (rival === undefined || !isShown(rival) || !rival.isAtRest) continue;
      const isSmallerByDesign = Math.max(rival.size, designSize(rival)) * NOTICEABLE <= designed;
      const isDrawnLarger = rival.size >= sample.size * NOTICEABLE;
      if (!isSmallerByDesign || !isDrawnLarger) continue;
      if (largest === null || rival.size > largest.size) largest = { track, size: rival.size };
    }
    return largest;
  };
}

function isShown({ strength, visibleShare }: TextSample): boolean {
  return strength >= MIN_STRENGTH && visibleShare > MIN_VISIBLE;
}

/** Returns the font size that a text would have on a frame if it were short, in the unit of its size. */
function designSize({ size, laidOut }: TextSample): number {
  return size / shareOf(laidOut);
}

/**
 * Returns the size of a laid-out text as a share of its design size: the size of the document, unless a single line of that size
 * exceeds the box. A box that is lower than its font shrinks every text, so the designer has chosen the box.
 */
function shareOf({ spec: { size, maxSize, box, resize }, layout, stack }: LaidOutText): number {
  if (resize === 'none' || layout.size <= 0) return 1;
  const { ascent, descent } = stack[0]!;
  return Math.min(1, layout.size / Math.min(size, maxSize, box!.height / (ascent + descent)));
}
