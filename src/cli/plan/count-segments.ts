import { setImmediate } from 'node:timers/promises';
import type { Sha256 } from '../../kernel/digest.ts';
import type { VideoId } from '../../reconciler/definition/video.ts';
import type { SegmentCount } from '../../reconciler/plan/estimate-plan.ts';
import { type Plan, rendersNew } from '../../reconciler/plan/plan.ts';
import { segmentKeys } from '../../service/sessions/segment-keys.ts';
import { filesOf } from '../../service/sessions/segments/pieces.ts';
import type { Io } from '../io.ts';
import { openSegmentCache } from '../render/segment-cache.ts';
import { openTemplates } from '../state/video-templates.ts';
import type { PlannedVideos } from './planned-videos.ts';

/**
 * Counts the segments of all files of the videos that a plan creates or updates, and those that have to be rendered because they are neither
 * cached nor part of an earlier video of the plan. Skips videos whose output has no segments, whose template only the service
 * has, or whose sources cannot be read, which apply reports. Yields to the event loop before each video, so that it can run beside lint.
 *
 * @param warns see `openSegmentCache`
 */
export async function countSegments(
  plan: Plan,
  planned: PlannedVideos,
  io: Io,
  warns: boolean,
): Promise<ReadonlyMap<VideoId, SegmentCount>> {
  const counts = new Map<VideoId, SegmentCount>();
  const pending = new Set(plan.changes.filter(rendersNew).map(({ id }) => id));
  const opened = openSegmentCache(planned, io, { warns });
  if (opened === null) return counts;
  const { cache } = opened;
  const { videos, assets, templateOf } = await planned.source();
  const templatesOf = openTemplates({ root: planned.root, assets, templateOf });
  const inputs = await planned.inputs();
  const known = new Set<Sha256>();
  const isReused = async (key: Sha256 | null): Promise<boolean> => {
    if (key === null || known.has(key)) return key !== null;
    known.add(key);
    return cache.has(key);
  };
  try {
    for (const video of videos) {
      const templates = pending.has(video.id) ? templatesOf(video) : null;
      if (templates === null) continue;
      const files = await inputs.filesOf(video, templates).catch(() => null);
      // Lint sends the same video to another process, which this would delay.
      await setImmediate();
      const keys =
        files === null
          ? []
          : filesOf(files).flatMap((file) => segmentKeys({ ...files.renderInput, ...file }, cache.build));
      const reused = (await Promise.all(keys.map(isReused))).filter((known) => known).length;
      if (keys.length > 0) counts.set(video.id, { render: keys.length - reused, total: keys.length });
    }
  } finally {
    await opened.close();
  }
  return counts;
}
