import type { PlanPreview, VideoPreview } from '../../preview/plan-preview.ts';
import { largestShare } from '../markdown/markdown-stills.ts';
import { type Posters, postersOf } from './card-drafts.ts';

/** Bytes of pictures, and of drafts, that one page holds: base64 makes a third more of them. */
const MOST = { stills: 16_000_000, drafts: 16_000_000 };

/** A video's preview as far as it is in a page. */
export interface EmbeddedVideo extends VideoPreview {
  /** The largest share of pixels that differ, of all its stills; 1 for what is new. */
  readonly share: number;
  /** What its drafts show before they are played. */
  readonly posters: Posters;
  /** What there is of it, and not in the page. */
  readonly missing: readonly ('stills' | 'drafts')[];
}

/**
 * The videos of a preview, with as much of it as makes a page that still opens: pictures as long as there is room, those
 * first that differ most, and drafts in the same order. What was measured is there of all of them.
 */
export function embeddedPreview({ videos }: PlanPreview, most = MOST): ReadonlyMap<string, EmbeddedVideo> {
  const left = { ...most };
  const take = (kind: 'stills' | 'drafts', sizes: readonly { readonly byteLength: number }[]): boolean => {
    const size = sizes.reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (size > left[kind]) return false;
    left[kind] -= size;
    return true;
  };
  const mostDifferentFirst = [...videos].sort(([, a], [, b]) => largestShare(b) - largestShare(a));
  return new Map(
    mostDifferentFirst.map(([id, { drafts, ...video }]): [string, EmbeddedVideo] => {
      const pictures = video.stills.flatMap(({ before, after }) => [...(before ? [before.bytes] : []), after.bytes]);
      const hasStills = take('stills', pictures);
      const posters = postersOf(video.stills, drafts);
      const hasDrafts = drafts !== undefined && take('drafts', draftBytes(drafts, posters));
      const missing = [
        ...(hasStills ? [] : ['stills' as const]),
        ...(drafts !== undefined && !hasDrafts ? ['drafts' as const] : []),
      ];
      const stills = hasStills ? video.stills : [];
      return [id, { ...video, stills, ...(hasDrafts ? { drafts } : {}), share: largestShare(video), posters, missing }];
    }),
  );
}

/** All that the drafts of a video put into the page. */
function draftBytes({ before, after }: NonNullable<VideoPreview['drafts']>, posters: Posters): Uint8Array[] {
  const videos = before === null || before === after ? [after] : [before, after];
  const pictures = videos.length === 1 ? [posters.after] : [posters.before, posters.after];
  return [...videos, ...pictures.flatMap((poster) => poster?.bytes ?? [])];
}
