import type { PlanPreview, PreviewImage } from './plan-preview.ts';

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
