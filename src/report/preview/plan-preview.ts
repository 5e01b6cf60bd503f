export interface PreviewImage {
  readonly bytes: Uint8Array;
  readonly contentType: 'image/png' | 'image/jpeg';
  readonly width: number;
  readonly height: number;
  /** Public URL of the image; null if it was not uploaded. */
  readonly url: string | null;
}

/** How the scene of a still differs from the earlier video, besides its values. */
export const SCENE_CHANGES = ['added', 'removed', 'moved'] as const;

export type SceneChange = (typeof SCENE_CHANGES)[number];

/** A moment of a video before and after the change. */
export interface PreviewStill {
  readonly timeSeconds: number;
  /** Time of the earlier picture; absent if it is the same. */
  readonly beforeSeconds?: number;
  /** Id of the scene in a video of several. */
  readonly scene?: string;
  readonly change?: SceneChange;
  /** Changed editables that are visible at this time. */
  readonly editables: readonly string[];
  /** Null if the video or its scene is new, or its previous state cannot be drawn. */
  readonly before: PreviewImage | null;
  readonly after: PreviewImage;
  /** Share of differing pixels, 0..1; null without `before`. */
  readonly changedShare: number | null;
}

/** Kinds of changes that no frame shows. */
export const UNSEEN = ['sound', 'duration', 'output'] as const;

export type Unseen = (typeof UNSEEN)[number];

/** Low-resolution MP4s of both sides. Both refer to the same bytes if they look and sound the same. */
export interface Drafts {
  readonly before: Uint8Array | null;
  readonly after: Uint8Array;
  /** A frame of `after`. Like `audible`, not written to files. */
  readonly poster?: PreviewImage;
  /** Sides that have sound. */
  readonly audible?: readonly ('before' | 'after')[];
}

export interface VideoPreview {
  readonly stills: readonly PreviewStill[];
  /** True if a viewer could see a difference between both sides; null if there is nothing to compare with. */
  readonly isVisible: boolean | null;
  /** Other differences: sound, duration, or the format, size, frame rate or quality of the file. */
  readonly unseen: readonly Unseen[];
  /** Absent if only stills were requested or time ran out. */
  readonly drafts?: Drafts;
}

/** Reasons for omitting a video. */
export const LEFT_OUT = [
  'budget',
  /** Other rows of the same definition are shown instead. */
  'sample',
  /** Drawing failed: a source is missing or the input is invalid. */
  'undrawable',
  /** The template is hosted by the service. */
  'remote',
  /** A file is a Git LFS pointer, so there is nothing to draw. */
  'lfs_pointer',
] as const;

export interface LeftOut {
  readonly id: string;
  readonly reason: (typeof LEFT_OUT)[number];
}

/** The videos of a definition as a table of pictures: a line for each locale, a column for each variant and row. */
export interface MatrixSheet {
  /** Id of the definition. */
  readonly definition: string;
  /** Number of its videos that are not on it. */
  readonly hidden: number;
  /** Null if it was not drawn. */
  readonly image: PreviewImage | null;
}

export interface PlanPreview {
  /** Keyed by video id. */
  readonly videos: ReadonlyMap<string, VideoPreview>;
  readonly leftOut: readonly LeftOut[];
  /** Sheet of the videos whose template changed, the largest difference first; null if there is none. */
  readonly contactSheet: PreviewImage | null;
  /** Definitions with variants or locales as tables, those with the most changes first. */
  readonly matrices: readonly MatrixSheet[];
  /** Total seconds, and seconds during which at least one input was being drawn. */
  readonly seconds: { readonly all: number; readonly rendering: number };
}

/** Returns the still with the largest share of changed pixels; undefined without stills. */
export function mostChangedStill(stills: readonly PreviewStill[]): PreviewStill | undefined {
  return [...stills].sort((a, b) => (b.changedShare ?? 0) - (a.changedShare ?? 0))[0];
}

/** Returns the images of a preview, in the order of `mapImages`. */
export function imagesOf({ videos, contactSheet, matrices }: PlanPreview): PreviewImage[] {
  const sheets = [contactSheet, ...matrices.map(({ image }) => image)];
  const stills = [...videos.values()].flatMap((video) => video.stills);
  return [...sheets, ...stills.flatMap(({ before, after }) => [before, after])].filter((image) => image !== null);
}

/** Returns a copy of a preview with each image replaced. */
export function mapImages(preview: PlanPreview, change: (image: PreviewImage) => PreviewImage): PlanPreview {
  const videos = [...preview.videos].map(([id, video]) => {
    const stills = video.stills.map((still) => {
      return { ...still, before: still.before && change(still.before), after: change(still.after) };
    });
    return [id, { ...video, stills }] as const;
  });
  const matrices = preview.matrices.map((sheet) => ({ ...sheet, image: sheet.image && change(sheet.image) }));
  const contactSheet = preview.contactSheet && change(preview.contactSheet);
  return { ...preview, videos: new Map(videos), contactSheet, matrices };
}
