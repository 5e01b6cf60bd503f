/** A still as it is shown beside another. */
export interface PreviewImage {
  /** PNG or JPEG. */
  readonly bytes: Uint8Array;
  readonly contentType: 'image/png' | 'image/jpeg';
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Where it can be seen by whoever reads the plan; null where it is nowhere but here. */
  readonly url: string | null;
}

/** One moment of a video, as it was and as it would be. */
export interface PreviewStill {
  /** From the start of the video. */
  readonly timeSeconds: number;
  /** Editables that changed, and are seen at this moment. */
  readonly editables: readonly string[];
  /** Null for a video that is new, or whose former state cannot be drawn. */
  readonly before: PreviewImage | null;
  readonly after: PreviewImage;
  /** Share of the pixels that differ, 0..1; null without a `before`. */
  readonly changedShare: number | null;
}

/** What a change of one video looks like. */
export interface VideoPreview {
  readonly stills: readonly PreviewStill[];
  /** Whether a viewer could tell the two apart; null where there is nothing to compare with. */
  readonly isVisible: boolean | null;
  /** MP4 of low height, of both sides; absent where only stills were asked for. */
  readonly drafts?: { readonly before: Uint8Array | null; readonly after: Uint8Array };
}

/** What the changes of a plan look like. */
export interface PlanPreview {
  /** By the id of the video. */
  readonly videos: ReadonlyMap<string, VideoPreview>;
  /** Videos that are not shown, and why: no time was left, or they cannot be drawn. */
  readonly leftOut: readonly { readonly id: string; readonly reason: 'budget' | 'undrawable' | 'remote' }[];
  /** Seconds that it took, and of those in rendering. */
  readonly seconds: { readonly all: number; readonly rendering: number };
}
