import type { CaptionStyle } from '../contract/captions/caption-style.ts';
import type { Cue, CuePlace } from '../contract/captions/cue.ts';
import type { FrameRate } from '../contract/timeline/frame-rate.ts';
import type { TimeMapJson } from '../contract/timeline/time-map.ts';
import type { ScenePlacement, Transition } from '../contract/video-spec.ts';
import type { AudioTransform, Speech, Transform } from '../contract/wire/mapping.ts';
import type { OutputFormat, OutputQuality, OutputRequest } from '../contract/wire/output.ts';
import type { SourceBytes } from '../kernel/source-file.ts';

/** A Lottie document; only its top-level fields are typed. */
export interface LottieDocument {
  w: number;
  h: number;
  fr: number;
  ip: number;
  op: number;
  assets?: { id: string; [field: string]: unknown }[];
  layers: unknown[];
  [field: string]: unknown;
}

/** A picture that fills an image asset of the animation. */
interface InputPicture {
  /** `assets[].id` in the animation. The renderer replaces the asset's own `u`, `p` and `e`. */
  readonly assetId: string;
  /** Size of the area in pixels: the asset's `w` and `h`. */
  readonly width: number;
  readonly height: number;
  readonly transform: Transform;
  /** True if the file belongs to the template; absent if it is a value of the video. */
  readonly isOwn?: true;
  /** Name of the image in errors: the editable's key, or the path in the package. */
  readonly name: string;
}

/** An encoded image: PNG, JPEG, WebP, GIF or AVIF. */
export interface InputImage extends InputPicture {
  readonly bytes: Uint8Array;
}

/**
 * A clip (MP4, WebM, MOV or GIF) that replaces an image asset of the animation. In each layer that shows it, the clip starts
 * at the layer's start time (`st`) with the picture at `transform.trim_start_time`, and freezes on its last picture.
 */
export interface InputClip extends InputPicture {
  readonly bytes: SourceBytes;
}

/** A sound to mix (MP4, MOV, WebM, MP3, WAV, M4A …), which may be the sound of a clip. */
export interface InputSound {
  readonly bytes: SourceBytes;
  /** Seconds from the start of the video. The sound stops at its end or at `endSeconds`. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly transform: AudioTransform;
  /** Seconds before `endSeconds` over which the sound fades out, however long it is; absent for none. */
  readonly endFadeSeconds?: number;
  /**
   * Fades over 10 ms where it starts inside its source, and at the seam of a loop whose end does not meet its start. Absent for the sounds
   * of a single template without the fields of composed videos, whose files have always begun and repeated without.
   */
  readonly fadesCuts?: true;
  /** Indices of the sounds under which it is lowered, in the sounds of the input. */
  readonly duckedBy?: readonly number[];
  /** Where words are spoken; if absent, the level of the sound shows where. */
  readonly speech?: Speech;
  /** Part of `trim_start_time` that comes from the layer, not from the user; 0 if absent. */
  readonly skipSeconds?: number;
  /**
   * Name of the sound in errors: the editable's key, `audio_tracks.` and the track's name, or the path in the package.
   */
  readonly name: string;
  /** The source may have no sound, such as a clip without a sound track. */
  readonly optional: boolean;
  /** As `InputImage.isOwn`. */
  readonly isOwn?: true;
}

/** The loudness that a finished sound must have. */
export interface LoudnessTarget {
  /** Integrated loudness in LUFS. */
  readonly target: number;
  /** No peak between samples is higher, in dBTP. */
  readonly truePeak: number;
}

/** Settings of a font: the instance of a variable font, and OpenType features. */
export interface FontSettings {
  /** Tag of an axis → position in the units of the font. Other axes have their defaults. */
  readonly axes?: Readonly<Record<string, number>>;
  /** Tag of a feature → 0 to switch it off, 1 to switch it on, or the number of an alternate. */
  readonly features?: Readonly<Record<string, number>>;
}

/** A font file: TTF, OTF, WOFF or WOFF2. */
export interface InputFont extends FontSettings {
  /** `fName` in the animation. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The font is a fallback for missing glyphs. Fallbacks apply in the input's order. */
  readonly isFallback: boolean;
}

/** Captions that are a track of a file. */
export interface InputCaptionTrack {
  /** BCP 47; null if it is not known. */
  readonly lang: string | null;
  /** Whether players show it unasked: only if the captions are not drawn. */
  readonly isDefault: boolean;
  /** In the order of their start; seconds from the start of the video. */
  readonly cues: readonly Cue[];
}

/** Captions above everything else of a video. */
export interface InputCaptions {
  /** Of their frames: that of the timeline. */
  readonly rate: FrameRate;
  /** In the order of the first cue that has them. */
  readonly looks: readonly CaptionLook[];
  /** In the order of their start. */
  readonly cues: readonly InputCue[];
}

/** Captions that texts of the templates show: those whose editables are of kind `captions`. They are empty in the documents. */
export interface InputLayerCaptions {
  /** Of their frames: that of the timeline. */
  readonly rate: FrameRate;
  /** Of each scene in order, or of the only template; in ascending order, without overlaps. */
  readonly scenes: readonly (readonly LayerText[])[];
}

/** A text and the frames of its scene that show it, from `from` up to `to`. */
export interface LayerText {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** How captions look. */
export interface CaptionLook {
  readonly style: CaptionStyle;
  /** BCP 47; null if it is not known. */
  readonly lang: string | null;
  /** The files of the font of the style, then the fallbacks in order. */
  readonly fonts: readonly CaptionFont[];
}

/** A font file. */
export type CaptionFont = Pick<InputFont, 'name' | 'bytes'>;

/** A text and the frames that show it, from `from` up to `to`. */
export interface InputCue {
  /** Index of its look. */
  readonly look: number;
  readonly from: number;
  readonly to: number;
  /** Lines are separated by line feeds. */
  readonly text: string;
  /** In the order of the text; absent if only the times of the whole are known. */
  readonly words?: readonly CueWord[];
  /** How many cues it stands above, among those that are shown at the same time. */
  readonly level: number;
  /** Third of the frame in which it stands; absent for that of its style. */
  readonly place?: CuePlace;
}

/** A word of a cue. */
export interface CueWord {
  /** UTF-16 range in the text. */
  readonly start: number;
  readonly end: number;
  /** Frames in which it is spoken, up to `to`. */
  readonly from: number;
  readonly to: number;
}

/** The format of the file to render. Settings other than format and quality are absent if they are the default. */
export interface RenderOutput extends Readonly<Omit<OutputRequest, 'height' | 'fps'>> {
  readonly format: OutputFormat;
  readonly quality: OutputQuality;
  /** Fingerprint of the video, written into the file as its only metadata; null for none. */
  readonly fingerprint: string | null;
}

/** A frame to store as an image. */
export interface Still {
  readonly name: string;
  /** Index in 0..frameCount-1. */
  readonly frame: number;
}

/** The fields of an input that depend on its output. Inputs for different outputs of a video differ only in these. */
export interface InputFile extends Pick<RenderInput, 'output' | 'width' | 'height' | 'fps' | 'frameCount' | 'stills'> {
  /** Where the scenes of the video are; absent for a video of one template at its own times. */
  readonly timeline?: InputTimeline;
  /** Only in files of a format that can have it. */
  readonly captionTrack?: InputCaptionTrack;
}

/**
 * A template bound to a mapping: the complete input of a renderer. Texts and colours are in the animation; fonts, images,
 * clips and sounds are separate. Plain data, so that it can be sent to other processes. The same input gives the same
 * frames.
 */
export interface RenderInput {
  readonly output: RenderOutput;
  /** Pixels of the output; both even. The animation is scaled to fill them. */
  readonly width: number;
  readonly height: number;
  /** Frames per second of the output, finite, > 0; may differ from the animation's rate. */
  readonly fps: number;
  readonly frameCount: number;
  readonly animation: LottieDocument;
  readonly fonts: readonly InputFont[];
  readonly images: readonly InputImage[];
  readonly clips: readonly InputClip[];
  readonly sounds: readonly InputSound[];
  /** Absent to keep the loudness of the mix. */
  readonly loudness?: LoudnessTarget;
  /** Absent if there are none. */
  readonly captions?: InputCaptions;
  /** Absent if no text shows any. */
  readonly captionLayers?: InputLayerCaptions;
  /** Captions that are a track of the file. */
  readonly captionTrack?: InputCaptionTrack;
  readonly stills: readonly Still[];
}

/** Everything that is drawn of a template: its animation with values, and their files. */
export type InputDocument = Pick<RenderInput, 'animation' | 'fonts' | 'images' | 'clips'>;

/** A complete input of a renderer: one template, or several scenes. */
export type VideoInput = RenderInput | ScenesInput;

/**
 * Several scenes: the complete input of a renderer. Plain data, as `RenderInput`.
 *
 * A video of a single template at its own times is always a `RenderInput`.
 */
export interface ScenesInput extends InputFile {
  readonly timeline: InputTimeline;
  /** In the order of `timeline.scenes`. */
  readonly scenes: readonly InputScene[];
  readonly sounds: readonly InputSound[];
  /** As of `RenderInput`. */
  readonly loudness?: LoudnessTarget;
  readonly captions?: InputCaptions;
  readonly captionLayers?: InputLayerCaptions;
}

/** Where the scenes of a video are. Plain data; frames are those of the timeline. */
export interface InputTimeline {
  readonly rate: FrameRate;
  readonly frames: number;
  /** Pixels of the picture that scenes fill. */
  readonly width: number;
  readonly height: number;
  readonly scenes: readonly SceneTimes[];
}

/** The frames of the timeline that show a scene. */
export interface SceneTimes {
  /** Name of the scene in findings and errors. */
  readonly id: string;
  readonly start: number;
  readonly length: number;
  /** Frames in which the scene replaces the scene before it; null for a cut. */
  readonly transition: { readonly from: number; readonly frames: number } | null;
}

/** A template with values, as a scene shows it. */
export interface InputScene extends InputDocument {
  /** Which frames of the template the scene shows. */
  readonly map: TimeMapJson;
  /** How a picture of another shape fills the video. */
  readonly fit: SceneFit;
  /** Colour behind the scene: `#` and six hexadecimal digits; null for none. */
  readonly background: string | null;
  /** How the scene replaces the scene before it; null for a cut. */
  readonly transition: TransitionStyle | null;
}

export type SceneFit = NonNullable<ScenePlacement['fit']>;

/** How a transition looks. */
export interface TransitionStyle {
  readonly type: Transition['type'];
  readonly easing: Easing;
  /** Where the pictures of `slide`, `push` and `wipe` move. */
  readonly direction: Direction;
  /** Colour of `dip`: `#` and six hexadecimal digits. */
  readonly color: string;
}

export type Easing = NonNullable<Transition['easing']>;
export type Direction = NonNullable<Transition['direction']>;
