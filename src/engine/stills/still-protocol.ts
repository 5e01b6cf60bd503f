import type { PackedScene } from '../packed-scene.ts';

/** A still of a scene, rendered without its video. */
export interface StillImage {
  readonly name: string;
  /** Lossless PNG. */
  readonly bytes: Uint8Array;
}

/** Two versions of a scene whose stills are compared. */
export interface StillComparison {
  /** Its stills are paired with those of `after` by index; null for a new video. */
  readonly before: PackedScene | null;
  readonly after: PackedScene;
  /** Quality of the JPEGs, 1..100; null to compute only the share. */
  readonly jpegQuality: number | null;
}

export interface ComparedStill {
  /**
   * JPEG with a checkerboard behind transparent pixels. Null without that scene, or when no pictures were requested.
   */
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
  /** Share of pixels that differ, 0..1; null without a `before`. */
  readonly changedShare: number | null;
}
