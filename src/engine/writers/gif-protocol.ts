import type { Failure } from '../failure.ts';
import type { GifOptions } from './gif-encoder.ts';

/** `workerData` of the thread that encodes a GIF. */
export interface GifWork {
  readonly options: GifOptions;
  /** Frames, RGBA, one after the other. */
  readonly buffer: SharedArrayBuffer;
}

/** To the thread: the frame in this slot, or that there are no more. */
export type GifRequest =
  | { readonly kind: 'frame'; readonly frame: number; readonly slot: number }
  | { readonly kind: 'finish' };

/** From the thread. */
export type GifMessage =
  /** The slot is free. */
  | { readonly kind: 'taken'; readonly slot: number }
  | { readonly kind: 'finished'; readonly bytes: Uint8Array }
  | { readonly kind: 'failed'; readonly failure: Failure };
