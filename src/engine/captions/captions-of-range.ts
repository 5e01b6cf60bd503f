import { frameRateOf } from '../../contract/timeline/frame-rate.ts';
import { ceiling, divide, type Rational, rational, rationalRate } from '../../contract/timeline/rational.ts';
import { defined } from '../../kernel/defined.ts';
import type { CaptionLook, InputCaptions, InputCue } from '../../template/render-input.ts';
import type { FrameRange } from '../frame-rate.ts';
import type { DrawnInput } from '../scenes/drawn-input.ts';

/** Returns the frames of the timeline for each frame of a file. */
export function captionStep({ rate }: Pick<InputCaptions, 'rate'>, fps: number): Rational {
  return divide(rationalRate(rate), rationalRate(frameRateOf(fps)));
}

/** Returns the first frame of a file that is not before a frame of the timeline. */
export function fileFrameOf(frame: number, step: Rational): number {
  // Exact fractions are slow, and most files have the rate of their timeline.
  return step.numerator === step.denominator ? frame : ceiling(divide(rational(frame), step));
}

/** The part of a video that captions are restricted to. */
interface CaptionRange {
  /** Frames of the file, counted from its frame that shows `start`. */
  readonly ranges: readonly FrameRange[];
  /** Frame of the timeline from which the frames of the result are counted. */
  readonly start: number;
  /** Frames per second of the file. */
  readonly fps: number;
}

/**
 * Restricts captions to the cues that some frames show, and those below them, which decide how high they stand.
 *
 * @returns undefined if no cue is shown
 */
export function captionsOfRange(
  captions: InputCaptions | undefined,
  { ranges, start, fps }: CaptionRange,
): InputCaptions | undefined {
  if (captions === undefined) return undefined;
  const step = captionStep(captions, fps);
  const isShown = ({ from, to }: InputCue): boolean => {
    const [first, end] = [fileFrameOf(from - start, step), fileFrameOf(to - start, step)];
    return ranges.some((range) => first < range.end && end > range.first);
  };
  const kept = new Set(captions.cues.filter(isShown));
  if (kept.size === 0) return undefined;
  // A set yields what is added while it is read.
  for (const cue of kept) for (const below of captions.cues) if (isBelow(below, cue)) kept.add(below);
  const looks: CaptionLook[] = [];
  const cues = captions.cues
    .filter((cue) => kept.has(cue))
    .map((cue): InputCue => {
      const look = captions.looks[cue.look]!;
      if (!looks.includes(look)) looks.push(look);
      return shifted({ ...cue, look: looks.indexOf(look) }, start);
    });
  return { rate: captions.rate, looks, cues };
}

/** Returns whether a cue is shown at the same time as another, and lower. */
export function isBelow(below: InputCue, cue: InputCue): boolean {
  return below.level < cue.level && below.from < cue.to && cue.from < below.to;
}

function shifted(cue: InputCue, start: number): InputCue {
  const times = <T extends { readonly from: number; readonly to: number }>(item: T): T => {
    return { ...item, from: item.from - start, to: item.to - start };
  };
  return cue.words === undefined ? times(cue) : { ...times(cue), words: cue.words.map(times) };
}

/** Returns an input with the captions that some of its frames show in place of its own. */
export function withCaptions<Input extends DrawnInput>(input: Input, captions: InputCaptions | undefined): Input {
  const { captions: _, ...rest } = input;
  return { ...rest, ...defined({ captions }) } as Input;
}
