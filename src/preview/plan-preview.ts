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

/** What changed about a video that no frame shows. */
export const UNSEEN = ['sound', 'duration', 'output'] as const;

export type Unseen = (typeof UNSEEN)[number];

/** Both sides of a video as MP4 of low height; the same bytes where they look and sound the same. */
export interface Drafts {
  readonly before: Uint8Array | null;
  readonly after: Uint8Array;
  /** A frame of `after`. Like `audible` it is not kept in files. */
  readonly poster?: PreviewImage;
  /** Sides with a sound. */
  readonly audible?: readonly ('before' | 'after')[];
}

/** What a change of one video looks like. */
export interface VideoPreview {
  readonly stills: readonly PreviewStill[];
  /** Whether a viewer could tell the pictures of the two apart; null where there is nothing to compare with. */
  readonly isVisible: boolean | null;
  /** What else is another: its sound, its length, the kind, size, rate or quality of its file. */
  readonly unseen: readonly Unseen[];
  /** Absent where only stills were asked for, or no time was left. */
  readonly drafts?: Drafts;
}

/** Why a video is not shown. */
export const LEFT_OUT = [
  /** No time was left. */
  'budget',
  /** Other rows of its definition stand for it. */
  'sample',
  /** It cannot be drawn: a source is not there, or the scene is wrong. */
  'undrawable',
  /** Its template is the service's own. */
  'remote',
] as const;

export interface LeftOut {
  readonly id: string;
  readonly reason: (typeof LEFT_OUT)[number];
}

/** What the changes of a plan look like. */
export interface PlanPreview {
  /** By the id of the video. */
  readonly videos: ReadonlyMap<string, VideoPreview>;
  readonly leftOut: readonly LeftOut[];
  /** Before and after of many videos whose template changed, the most different first; null without any. */
  readonly contactSheet: PreviewImage | null;
  /** Seconds that it took, and of those in rendering: how long at least one scene was being drawn. */
  readonly seconds: { readonly all: number; readonly rendering: number };
}

/** The same preview with other pictures in it. */
export function mapImages(preview: PlanPreview, change: (image: PreviewImage) => PreviewImage): PlanPreview {
  const videos = [...preview.videos].map(([id, video]) => {
    const stills = video.stills.map((still) => {
      return { ...still, before: still.before && change(still.before), after: change(still.after) };
    });
    return [id, { ...video, stills }] as const;
  });
  return { ...preview, videos: new Map(videos), contactSheet: preview.contactSheet && change(preview.contactSheet) };
}
