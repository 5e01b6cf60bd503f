import type { Failure } from './failure.ts';

/** A frame kept as an image beside the video. */
export interface RenderedStill {
  readonly name: string;
  /** JPEG. */
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** To the raster worker: draw this frame into this slot. Answered in the order asked. */
export interface DrawRequest {
  readonly frame: number;
  readonly slot: number;
}

/** From the raster worker, whose `workerData` is the scene. */
export type RasterMessage =
  /** Ready to draw into this ring. */
  | { readonly kind: 'open'; readonly buffer: SharedArrayBuffer }
  | { readonly kind: 'frame'; readonly frame: number; readonly slot: number }
  /** Comes before its frame. */
  | { readonly kind: 'still'; readonly still: RenderedStill }
  | { readonly kind: 'failed'; readonly failure: Failure };
