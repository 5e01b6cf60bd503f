import type { FrameRate } from './frame-rate.ts';
import type { PlaceKind, TemplateTiming } from './place.ts';
import type { Rational } from './rational.ts';
import type { TimeMap } from './time-map.ts';

/** The scenes of a video before their lengths are known. Plain JSON. Times are in seconds unless stated otherwise. */
export interface TimelineInput {
  /** Name → template. */
  readonly templates: Readonly<Record<string, TemplateFacts>>;
  /** All scenes as written, also those that are left out. */
  readonly scenes: readonly SceneInput[];
  /** Frames per second; those of the template of the first scene if absent. */
  readonly rate?: number;
  /** Width and height in pixels; those of the template of the first scene if absent. */
  readonly size?: readonly [width: number, height: number];
  /** Length of the video. */
  readonly duration?: number;
  /** Transition of scenes that have none of their own. */
  readonly transition?: TransitionInput;
}

/** The facts about a template that decide its place in a video. */
export interface TemplateFacts extends TemplateTiming {
  readonly width: number;
  readonly height: number;
}

/** A scene of a video. */
export interface SceneInput {
  readonly id: string;
  /** A key of `templates`. */
  readonly template: string;
  /** The natural length of the template if absent. */
  readonly duration?: DurationWish;
  /** Sounds, speech and captions, which decide the length of a scene with `duration: content`. */
  readonly content?: readonly ContentItem[];
  readonly transition?: TransitionInput;
  /** How a picture of another shape fills the video. */
  readonly fit?: 'cover' | 'contain';
  /** Permits a scene that is shorter than its template can be. */
  readonly shorten?: Shortening;
  /** True if a condition leaves the scene out. */
  readonly left_out?: boolean;
}

/** Seconds; `fill` for the rest of the video; or the length of the scene's content. */
export type DurationWish = number | 'content' | 'fill' | ContentWish;

/** The length of the content with limits. */
export interface ContentWish {
  readonly content: true;
  readonly min?: number;
  readonly max?: number;
  /** Time after the content; `exit` for the part of the template after its last place. */
  readonly tail?: number | 'exit';
}

export type Shortening = 'cut' | 'speed';

/** A sound, a spoken text or a caption of a scene. */
export interface ContentItem {
  readonly name: string;
  /** `sound` if absent. */
  readonly kind?: 'sound' | 'speech' | 'cue';
  /** From the start of the scene; 0 if absent. */
  readonly start?: number;
  /** Length in samples per channel; null if it is not known yet. Cues have `end` instead. */
  readonly samples?: number | null;
  /** Samples per second. */
  readonly rate?: number;
  /** End of a cue from the start of the scene. */
  readonly end?: number;
  /** True for a sound that is repeated, which has no end. */
  readonly loop?: boolean;
  /** True for a sound that goes on after the scene. */
  readonly overrun?: boolean;
}

/** How a scene replaces the one before it. */
export interface TransitionInput {
  /** `cut` has no frames. */
  readonly type: string;
  readonly duration?: number;
  /** `before`: during the last frames of the scene before, instead of the first frames of this one. */
  readonly at?: 'before';
}

/** A video's scenes in whole frames. */
export interface Timeline {
  readonly rate: FrameRate;
  readonly width: number;
  readonly height: number;
  /** Length of the video. */
  readonly frames: number;
  /** In order, without scenes that are left out. */
  readonly scenes: readonly TimelineScene[];
}

/** A scene in whole frames of the timeline. */
export interface TimelineScene {
  readonly id: string;
  readonly template: string;
  readonly start: number;
  readonly length: number;
  /** Null for a cut and for the first scene. */
  readonly transition: TimelineTransition | null;
  readonly map: TimeMap;
  readonly why: SceneReason;
}

/** A transition to a scene. */
export interface TimelineTransition {
  readonly type: string;
  /** First frame, from the start of the video. */
  readonly from: number;
  readonly frames: number;
}

/** Why a scene starts where it does and is as long as it is. */
export interface SceneReason {
  /** The scene before, at whose end this one starts; null for the first. */
  readonly after: string | null;
  /** Natural length of the template in frames of the timeline. */
  readonly natural: number;
  /** The rule that decided the length. */
  readonly length: LengthReason;
  /** The places that changed, in order of priority. */
  readonly places: readonly PlaceReason[];
  /** How a template that cannot be that short was made shorter, and by how many frames. */
  readonly shortened?: { readonly by: Shortening; readonly frames: number };
}

/** How much a place changed. */
export interface PlaceReason {
  readonly kind: PlaceKind;
  /** Frames of the template. */
  readonly from: number;
  readonly to: number;
  /** Frames of the timeline by which it is longer; negative if it is shorter. */
  readonly change: number;
  /** Frames of `change` for which a loop holds its last frame. */
  readonly held: number;
  /** Passes of a loop; 1 for other places. */
  readonly passes: number;
}

/** The rule that decided a length. Lengths are in frames of the timeline. */
export type LengthReason =
  | { readonly rule: 'natural' }
  | { readonly rule: 'seconds'; readonly seconds: number }
  | { readonly rule: 'fill'; readonly others: number; readonly duration: number }
  | { readonly rule: 'content_empty' }
  | ContentReason;

export interface ContentReason {
  readonly rule: 'content';
  /** The item that ends last. */
  readonly item: string;
  /** Its end, rounded up. */
  readonly end: number;
  readonly tail: number;
  /** The limit that changed end + tail; absent if the length is their sum. */
  readonly limit?: 'min' | 'max' | 'template_min' | 'template_max' | 'loop';
}

/** Codes of findings, with their severity. A timeline with an error is not resolved. */
export const TIMELINE_CODES = {
  video_empty: 'error',
  video_too_long: 'error',
  too_many_scenes: 'error',
  rate_unsupported: 'error',
  rate_differs: 'warning',
  fit_missing: 'error',
  place_outside: 'error',
  place_limits: 'error',
  places_overlap: 'error',
  duration_invalid: 'error',
  scene_too_short: 'error',
  scene_too_long: 'error',
  content_empty: 'warning',
  content_unknown: 'warning',
  content_unlimited: 'error',
  sound_cut: 'warning',
  cue_cut: 'warning',
  tail_shortened: 'warning',
  loop_held: 'warning',
  fill_twice: 'error',
  fill_without_duration: 'error',
  duration_missed: 'error',
  transition_invalid: 'error',
  transition_first: 'warning',
  transition_too_long: 'error',
  transition_shortened: 'warning',
} as const satisfies Record<string, 'error' | 'warning'>;

export type TimelineCode = keyof typeof TIMELINE_CODES;

/** Something that the user should know about a timeline. */
export interface TimelineFinding {
  readonly code: TimelineCode;
  /** Id of the scene; absent for the whole video. */
  readonly scene?: string;
  /** Name of the template, the sound or the caption. */
  readonly name?: string;
  /** Index of the place in the template's list. */
  readonly place?: number;
  /** The possible lengths in seconds; `max` is null without limit. */
  readonly possible?: { readonly min: Rational; readonly max: Rational | null };
  /** The wanted value, in the unit of `possible`, else as the code describes. */
  readonly wanted?: Rational;
  /** Seconds that are not heard or not shown, or for which a picture is held. */
  readonly seconds?: Rational;
}
