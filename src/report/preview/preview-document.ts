import { defined } from '../../kernel/defined.ts';
import type { PreviewSummary } from '../../reconciler/plan/plan-document.ts';
import type {
  LeftOut,
  PlanPreview,
  PreviewImage,
  PreviewStill,
  SceneChange,
  Unseen,
  VideoPreview,
} from './plan-preview.ts';

/** File in a preview folder that lists the other files. */
export const PREVIEW_INDEX = 'index.json';

/** Name of the file with the table of a definition, below its id. */
export const MATRIX_FILE = 'contact-sheet';

/**
 * Content of `index.json` of a preview. Minor versions only add fields.
 *
 * @see schemas/reelform-preview.schema.json
 */
export interface PreviewDocument {
  readonly format_version: '1.0';
  /** Sorted by id. */
  readonly videos: readonly VideoDocument[];
  readonly left_out: readonly LeftOut[];
  readonly contact_sheet: ImageDocument | null;
  /** Absent if there are none. */
  readonly matrices?: readonly MatrixSheetDocument[];
  readonly seconds: { readonly all: number; readonly rendering: number };
}

interface MatrixSheetDocument {
  readonly definition: string;
  readonly hidden: number;
  readonly image: ImageDocument | null;
}

interface VideoDocument {
  readonly id: string;
  readonly visible: boolean | null;
  readonly unseen: readonly Unseen[];
  /** Maximum over its stills, 0..1; null if there is nothing to compare with. */
  readonly changed_share: number | null;
  readonly stills: readonly StillDocument[];
  readonly drafts: { readonly before: string | null; readonly after: string } | null;
}

interface StillDocument {
  readonly time: number;
  readonly before_time?: number;
  readonly scene?: string;
  readonly change?: SceneChange;
  readonly editables: readonly string[];
  readonly changed_share: number | null;
  readonly before: ImageDocument | null;
  readonly after: ImageDocument;
}

interface ImageDocument {
  /** Path within the folder, separated by `/`. */
  readonly file: string;
  readonly width: number;
  readonly height: number;
  readonly url: string | null;
}

/** Returns the largest share of changed pixels in any still; null if there is nothing to compare with. */
export function largestShare({ isVisible, stills }: VideoPreview): number | null {
  return isVisible === null ? null : Math.max(0, ...stills.map(({ changedShare }) => changedShare ?? 0));
}

/** Summarizes a preview for the plan document. */
export function previewSummary({ videos, leftOut }: PlanPreview): PreviewSummary {
  return {
    videos: [...videos].map(([id, video]) => videoSummary(id, video)),
    left_out: leftOut,
  };
}

function videoSummary(
  id: string,
  video: VideoPreview,
): Pick<VideoDocument, 'id' | 'visible' | 'unseen' | 'changed_share'> {
  const share = largestShare(video);
  const changed = share === null ? null : rounded(share, 1e6);
  return { id, visible: video.isVisible, unseen: video.unseen, changed_share: changed };
}

/** Serializes a preview as files, keyed by their path within the folder. */
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
  const still = (id: string, moment: PreviewStill): StillDocument => {
    const { timeSeconds, beforeSeconds, scene, change, editables, changedShare, before, after } = moment;
    const name = `${id}/${timeSeconds.toFixed(3)}`;
    const earlier = beforeSeconds === undefined ? undefined : rounded(beforeSeconds, 1e3);
    return {
      time: rounded(timeSeconds, 1e3),
      ...defined({ before_time: earlier, scene, change }),
      editables,
      changed_share: changedShare === null ? null : rounded(changedShare, 1e6),
      before: before && image(`${name}-before`, before),
      after: image(`${name}-after`, after),
    };
  };
  const videos = [...preview.videos].map(([id, video]): VideoDocument => {
    const { drafts, stills } = video;
    return {
      ...videoSummary(id, video),
      stills: stills.map((moment) => still(id, moment)),
      drafts:
        drafts === undefined
          ? null
          : {
              before: drafts.before && put(`${id}/draft-before.mp4`, drafts.before),
              after: put(`${id}/draft-after.mp4`, drafts.after),
            },
    };
  });
  const matrices = preview.matrices.map(({ definition, hidden, image: picture }): MatrixSheetDocument => {
    return { definition, hidden, image: picture && image(`${definition}/${MATRIX_FILE}`, picture) };
  });
  const { all, rendering } = preview.seconds;
  const document: PreviewDocument = {
    format_version: '1.0',
    videos,
    left_out: preview.leftOut,
    contact_sheet: preview.contactSheet && image('contact-sheet', preview.contactSheet),
    ...(matrices.length > 0 && { matrices }),
    seconds: { all: rounded(all, 1e3), rendering: rounded(rendering, 1e3) },
  };
  // The index comes last, so that the files it names exist once it does.
  files.set(PREVIEW_INDEX, `${JSON.stringify(document, null, 2)}\n`);
  return files;
}

function rounded(value: number, parts: number): number {
  return Math.round(value * parts) / parts;
}
