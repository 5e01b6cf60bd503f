import type { OutputFormat } from '../wire/output.ts';
import type { EncoderFactory } from './codec/encoded-track.ts';
import type { SceneFinding } from './scene-media.ts';

export interface RenderSceneOptions {
  /** Opens the video encoder of an MP4; x264 by default. */
  readonly encoder?: EncoderFactory;
  /** Called after each frame, with a number that grows by one. */
  readonly onProgress?: ((framesDone: number, frameCount: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A frame kept as an image beside the video. */
export interface RenderedStill {
  readonly name: string;
  /** JPEG. */
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** A finished video and its stills, in memory. A picture has one frame, and lasts 0 seconds. */
export interface RenderResult {
  /** The file. An MP4 is H.264 by default, yuv420p, BT.709, limited range, index first. */
  readonly video: Uint8Array;
  readonly format: OutputFormat;
  /** In the scene's order. */
  readonly stills: readonly RenderedStill[];
  /** Defects of its texts, clips and sounds; they do not prevent the video. */
  readonly findings: readonly SceneFinding[];
  readonly width: number;
  readonly height: number;
  readonly frameCount: number;
  readonly durationSeconds: number;
}

/**
 * The generation of the engine's picture, part of every embedded fingerprint: raising it plans every video again.
 *
 * Raised when the same scene gives other frames than before: another rasteriser version that draws differently, another
 * colour conversion, another way to crop or scale images, another encoder setting that a viewer could see. Not raised for
 * speed, for the container's bytes, for thumbnails, or for scenes that were refused before.
 */
export const RENDER_EPOCH = 2;
