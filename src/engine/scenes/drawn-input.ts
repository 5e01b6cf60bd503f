import type { RationalJson } from '../../contract/timeline/rational.ts';
import type { TimeMapJson } from '../../contract/timeline/time-map.ts';
import type {
  InputCaptions,
  InputDocument,
  InputFile,
  RenderInput,
  SceneFit,
  TransitionStyle,
} from '../../template/render-input.ts';
import type { FrameRange } from '../frame-rate.ts';

/** What a thread draws: a template at its own times, or scenes in one picture. */
export type DrawnInput = RenderInput | ComposedInput;

/** Some frames of a video that show a scene at other times than its template's, or two scenes. */
export interface ComposedInput extends Omit<InputFile, 'timeline'> {
  /** Pixels of the picture that the scenes fill. */
  readonly canvas: { readonly width: number; readonly height: number };
  /** Frames of the timeline for each frame. */
  readonly step: RationalJson;
  /** The only frames that can be drawn, in ascending order. */
  readonly ranges: readonly FrameRange[];
  /** One or two; the second lies above the first. */
  readonly scenes: readonly ShownScene[];
  /** Above the scenes; counted from frame 0, as in a `RenderInput`. */
  readonly captions?: InputCaptions;
}

/** A scene in a `ComposedInput`, restricted to what is shown of it. */
export interface ShownScene extends InputDocument {
  /** Which of the scenes of the video it is: 0 for the scene that the frames belong to, -1 for the scene before it, 1 for that after it. */
  readonly neighbour: -1 | 0 | 1;
  /** Frame of the scene that frame 0 shows; the first frame of the scene, where a negative number would be shown. */
  readonly frame: number;
  /**
   * The times of the template at the frames that can be drawn. If the scene has clips, at all frames of the scene before them
   * too, because clips have their own clock. The last speed goes on.
   */
  readonly map: TimeMapJson;
  readonly fit: SceneFit;
  /** Null for none. */
  readonly background: string | null;
  /** How it replaces the scene below; null for the scene below. */
  readonly transition: DrawnTransition | null;
}

/** A transition in frames of an input, which may be fractions. */
export interface DrawnTransition extends TransitionStyle {
  readonly from: number;
  readonly frames: number;
}

/** Returns whether an input shows scenes in one picture. */
export function isComposed(input: DrawnInput): input is ComposedInput {
  return 'scenes' in input;
}
