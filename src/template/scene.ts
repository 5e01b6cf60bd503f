import type { Transform } from '../service/wire.ts';

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

/** A frame to keep as an image beside the video. */
export interface Still {
  readonly name: string;
  /** Index in 0..frameCount-1. */
  readonly frame: number;
}

/**
 * Everything a renderer needs and nothing it has to look up: a template with a mapping bound to it. Texts, colours and
 * fonts (as data URIs) are written into the animation; images come beside it. Plain data, so it can cross processes.
 * The same scene gives the same frames.
 */
export interface Scene {
  /** Pixels; both even. */
  readonly width: number;
  readonly height: number;
  /** Frames per second, finite, > 0. */
  readonly fps: number;
  readonly frameCount: number;
  readonly animation: LottieDocument;
  readonly images: readonly SceneImage[];
  readonly stills: readonly Still[];
}
