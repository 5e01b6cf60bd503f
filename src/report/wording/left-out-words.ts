import { groupBy } from '../../kernel/group-by.ts';
import type { LeftOutVideo } from '../../reconciler/definition/resolve-definitions.ts';
import type { PlanDocument } from '../../reconciler/plan/plan-document.ts';
import type { VideoGroup } from './plan-words.ts';
import { countNoun } from './quantities.ts';

/** Summarizes the videos that conditions leave out: `2 videos are left out by "when"`; empty if there are none. */
export function leftOutWords(document: PlanDocument): string {
  const { length: count } = unlisted(document);
  return count === 0 ? '' : `${countNoun(count, 'video')} ${count === 1 ? 'is' : 'are'} left out by "when"`;
}

/** Groups the videos that conditions leave out by reason, the largest group first. */
export function leftOutGroups(document: PlanDocument): VideoGroup[] {
  const groups = groupBy(unlisted(document), ({ reason }) => reason);
  return [...groups]
    .map(([words, videos]) => ({ words, ids: videos.map(({ id }) => id) }))
    .sort((a, b) => b.ids.length - a.ids.length);
}

/** The reason of a video whose entry is removed is shown with that change. */
function unlisted({ left_out_videos: videos = [], changes }: PlanDocument): readonly LeftOutVideo[] {
  if (videos.length === 0) return videos;
  const listed = new Set(changes.flatMap(({ id, action }) => (action === 'forget' ? [id] : [])));
  return videos.filter(({ id }) => !listed.has(id));
}

/** Explains why no video has an id or path; null if no condition is the reason. */
export function leftOutHint(video: LeftOutVideo): string;
export function leftOutHint(video: LeftOutVideo | undefined): string | null;
export function leftOutHint(video: LeftOutVideo | undefined): string | null {
  return video === undefined ? null : `${video.path} leaves out the video ${video.id}: ${video.reason}`;
}
