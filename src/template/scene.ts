import type { AudioTransform, Transform } from '../wire/mapping.ts';
import type { OutputCodec, OutputFormat, OutputQuality } from '../wire/output.ts';

/** A Lottie document; only its outermost fields are typed. */
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

/** An encoded image (PNG, JPEG, WebP, GIF or AVIF) and the image asset of the Lottie document that it fills. */
export interface SceneImage {
  /** `assets[].id` in the animation. The asset's own `u`, `p` and `e` are to be replaced by the renderer. */
  readonly assetId: string;
  /** Size of the area in pixels: the asset's `w` and `h`. */
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array;
  readonly transform: Transform;
  /** Names the image in errors: the editable's key, or the file in the package. */
  readonly name: string;
}

/** A moving picture (MP4, WebM, MOV or GIF) and the image asset of the Lottie document in whose place it plays, from
 * the start time (`st`) of each layer that shows it, at `transform.trim_start_time` of its own. Its last picture stays. */
export type SceneClip = SceneImage;

/** A sound to mix (MP4, MOV, WebM, MP3, WAV, M4A …), also that of a clip. */
export interface SceneSound {
  readonly bytes: Uint8Array;
  /** Seconds from the start of the video at which it begins; it ends with its source or with `endSeconds`. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly transform: AudioTransform;
  /** Of its trim: what the layer that plays it asks for, and not whoever filled it; 0 when absent. */
  readonly skipSeconds?: number;
  /** Names the sound in errors: the editable's key, `audio_tracks.` and the track's name, or the file in the package. */
  readonly name: string;
  /** A clip may have no sound; anything else must have one. */
  readonly optional: boolean;
}

/** A font file: TTF, OTF, WOFF or WOFF2. */
export interface SceneFont {
  /** `fName` in the animation; a fallback may be one of those, too. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Used, in the scene's order, for what the font of a text has no glyph for. */
  readonly isFallback: boolean;
}

/** The kind of file that is asked for. */
export interface SceneOutput {
  readonly format: OutputFormat;
  readonly quality: OutputQuality;
  /** Of an MP4; absent for H.264. */
  readonly codec?: OutputCodec;
  /** Of the video, written into the file as its only metadata; null for none. */
  readonly fingerprint: string | null;
}

/** A frame to keep as an image beside the video. */
export interface Still {
  readonly name: string;
  /** Index in 0..frameCount-1. */
  readonly frame: number;
}

/**
 * Everything a renderer needs and nothing it has to look up: a template with a mapping bound to it. Texts and colours are
 * written into the animation; fonts, images, clips and sounds come beside it. Plain data, so it can cross processes.
 * The same scene gives the same frames.
 */
export interface Scene {
  readonly output: SceneOutput;
  /** Pixels of the output; both even. The animation, whatever its own size, is drawn to fill them. */
  readonly width: number;
  readonly height: number;
  /** Frames per second of the output, finite, > 0; the animation's own rate may be another. */
  readonly fps: number;
  readonly frameCount: number;
  readonly animation: LottieDocument;
  readonly fonts: readonly SceneFont[];
  readonly images: readonly SceneImage[];
  readonly clips: readonly SceneClip[];
  readonly sounds: readonly SceneSound[];
  readonly stills: readonly Still[];
}
