import type { PreviewSummary } from '../plan/plan-document.ts';
import type { LeftOut, PlanPreview, PreviewImage, PreviewStill, Unseen, VideoPreview } from './plan-preview.ts';

/** The file of a preview's folder that says what is in the others. */
export const PREVIEW_INDEX = 'index.json';

/**
 * `index.json` of a preview: what its pictures show, in the names of the format. Minor versions only add;
 * `schemas/reelform-preview.schema.json` is its schema.
 */
export interface PreviewDocument {
  readonly format_version: '1.0';
  /** By id. */
  readonly videos: readonly VideoDocument[];
  readonly left_out: readonly LeftOut[];
  readonly contact_sheet: ImageDocument | null;
  readonly seconds: { readonly all: number; readonly rendering: number };
}

export interface VideoDocument {
  readonly id: string;
  readonly visible: boolean | null;
  readonly unseen: readonly Unseen[];
  /** The largest of its stills, 0..1; null where there is nothing to compare with. */
  readonly changed_share: number | null;
  readonly stills: readonly StillDocument[];
  readonly drafts: { readonly before: string | null; readonly after: string } | null;
}

export interface StillDocument {
  /** Seconds from the start of the video. */
  readonly time: number;
  readonly editables: readonly string[];
  readonly changed_share: number | null;
  readonly before: ImageDocument | null;
  readonly after: ImageDocument;
}

export interface ImageDocument {
  /** Below the folder, with `/`. */
  readonly file: string;
  readonly width: number;
  readonly height: number;
  readonly url: string | null;
}

/** The largest share of pixels that changed on one of its stills; null where there is nothing to compare with. */
export function largestShare({ isVisible, stills }: VideoPreview): number | null {
  return isVisible === null ? null : Math.max(0, ...stills.map(({ changedShare }) => changedShare ?? 0));
}

/** What a plan says of its preview. */
export function previewSummary({ videos, leftOut }: PlanPreview): PreviewSummary {
  return {
    videos: [...videos].map(([id, video]) => {
      const share = largestShare(video);
      const changed = share === null ? null : rounded(share, 1e6);
      return { id, visible: video.isVisible, unseen: video.unseen, changed_share: changed };
    }),
    left_out: leftOut,
  };
}

/** A preview as files: the index and what it names, by their paths below the folder. */
export function previewFiles(preview: PlanPreview): ReadonlyMap<string, Uint8Array | string> {
  const files = new Map<string, Uint8Array | string>();
  const put = (file: string, bytes: Uint8Array): string => {
    files.set(file, bytes);
    return file;
  };
  const image = (name: string, picture: PreviewImage): ImageDocument => {
    const { width, height, url, bytes, contentType } = picture;
    return { file: put(`${name}.${contentType === 'image/png' ? 'png' : 'jpg'}`, bytes), width, height, url };
  };
  const still = (id: string, { timeSeconds, editables, changedShare, before, after }: PreviewStill): StillDocument => {
    const name = `${id}/${timeSeconds.toFixed(3)}`;
    return {
      time: rounded(timeSeconds, 1e3),
      editables,
      changed_share: changedShare === null ? null : rounded(changedShare, 1e6),
      before: before && image(`${name}-before`, before),
      after: image(`${name}-after`, after),
    };
  };
  const videos = [...preview.videos].map(([id, video]): VideoDocument => {
    const { drafts, stills, isVisible, unseen } = video;
    const share = largestShare(video);
    const changed = share === null ? null : rounded(share, 1e6);
    return {
      ...{ id, visible: isVisible, unseen, changed_share: changed },
      stills: stills.map((one) => still(id, one)),
      drafts:
        drafts === undefined
          ? null
          : {
              before: drafts.before && put(`${id}/draft-before.mp4`, drafts.before),
              after: put(`${id}/draft-after.mp4`, drafts.after),
            },
    };
  });
  const { all, rendering } = preview.seconds;
  const document: PreviewDocument = {
    format_version: '1.0',
    videos,
    left_out: preview.leftOut,
    contact_sheet: preview.contactSheet && image('contact-sheet', preview.contactSheet),
    seconds: { all: rounded(all, 1e3), rendering: rounded(rendering, 1e3) },
  };
  // What it names is there before it is.
  files.set(PREVIEW_INDEX, `${JSON.stringify(document, null, 2)}\n`);
  return files;
}

function rounded(value: number, parts: number): number {
  return Math.round(value * parts) / parts;
}
