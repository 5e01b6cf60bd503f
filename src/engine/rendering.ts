import type { OutputFormat } from '../wire/output.ts';
import type { EncoderFactory } from './h264/encoder.ts';
import type { RenderedStill } from './raster/raster-protocol.ts';
import type { SceneFinding } from './scene-finding.ts';

export interface RenderSceneOptions {
  /** Of H.264; x264 when absent. */
  readonly encoder?: EncoderFactory;
  /** Called after each frame, with a number that grows by one. */
  readonly onProgress?: ((framesDone: number, frameCount: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A finished video and its stills, in memory. A picture has one frame, and lasts 0 seconds. */
export interface Rendering {
  /** The file that was asked for; as MP4: H.264, yuv420p, BT.709, limited range, index first. */
  readonly video: Uint8Array;
  readonly format: OutputFormat;
  /** In the scene's order. */
  readonly stills: readonly RenderedStill[];
  /** What a viewer would notice of its texts, clips and sounds; the video is rendered nevertheless. */
  readonly findings: readonly SceneFinding[];
  readonly width: number;
  readonly height: number;
  readonly frameCount: number;
  readonly durationSeconds: number;
}
