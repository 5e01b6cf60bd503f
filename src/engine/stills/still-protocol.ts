import type { Failure } from '../failure.ts';

/** A still of a scene, drawn without its video. */
export interface StillImage {
  readonly name: string;
  /** PNG, without loss. */
  readonly bytes: Uint8Array;
}

/** From the still worker, whose `workerData` is the scene: each still in the scene's order, or why there are no more. */
export type StillMessage =
  | { readonly kind: 'still'; readonly still: StillImage }
  | { readonly kind: 'failed'; readonly failure: Failure };
