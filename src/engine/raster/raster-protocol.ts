import type { Scene } from '../../template/scene.ts';
import type { Failure } from '../failure.ts';
import type { ComparedStill, StillComparison, StillImage } from '../stills/still-protocol.ts';
import type { TextFinding } from '../text/text-findings.ts';

/** A frame kept as an image beside the video. */
export interface RenderedStill {
  readonly name: string;
  /** JPEG. */
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** To the raster worker. Answered in the order asked. */
export type RasterRequest =
  /** Make ready to draw this scene; answered with `open`. */
  | { readonly kind: 'open'; readonly scene: Scene }
  /** Draw this frame into this slot; answered with `frame`. */
  | { readonly kind: 'draw'; readonly frame: number; readonly slot: number }
  /** Draw the stills of this scene; answered with `still-drawn` for each, then `stills`. */
  | { readonly kind: 'stills'; readonly scene: Scene }
  /** Draw and compare stills; answered with `still-drawn` for each of both sides, then `compared`. */
  | { readonly kind: 'compare'; readonly comparison: StillComparison }
  /** Forget the scene. Not answered. */
  | { readonly kind: 'close' };

/** From the raster worker. */
export type RasterMessage =
  /** Ready to draw into this ring. */
  | { readonly kind: 'open'; readonly buffer: SharedArrayBuffer; readonly findings: readonly TextFinding[] }
  | { readonly kind: 'frame'; readonly frame: number; readonly slot: number }
  /** Comes before its frame. */
  | { readonly kind: 'still'; readonly still: RenderedStill }
  | { readonly kind: 'still-drawn' }
  | { readonly kind: 'stills'; readonly stills: readonly StillImage[] }
  | { readonly kind: 'compared'; readonly stills: readonly ComparedStill[] }
  | { readonly kind: 'failed'; readonly failure: Failure };
