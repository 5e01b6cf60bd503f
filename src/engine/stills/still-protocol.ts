import type { PackedScene } from '../packed-scene.ts';

/** A still of a scene, drawn without its video. */
export interface StillImage {
  readonly name: string;
  /** PNG, without loss. */
  readonly bytes: Uint8Array;
}

/** Stills of a scene, and those of what it was before. */
export interface StillComparison {
  /** Its stills are compared with those of `after` at the same place of the list; null where there is nothing before. */
  readonly before: PackedScene | null;
  readonly after: PackedScene;
  /** Of the pictures, 1..100; null where only the share is wanted. */
  readonly jpegQuality: number | null;
}

export interface ComparedStill {
  /** JPEG; what is transparent lies over grey squares. Null without such a side, or where no pictures were asked for. */
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
  /** Share of the pixels that differ, 0..1; null without a `before`. */
  readonly changedShare: number | null;
}
