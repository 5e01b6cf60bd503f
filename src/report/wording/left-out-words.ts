import { groupBy } from '../../kernel/group-by.ts';
import type { LeftOutVideo, WaitingVideo } from '../../reconciler/definition/video.ts';
import type { PlanDocument } from '../../reconciler/plan/plan-document.ts';
import type { SpeechEstimate } from '../../reconciler/speech/spoken-text.ts';
import { costWords, type VideoGroup } from './plan-words.ts';
import { countNoun } from './quantities.ts';

/** Summarizes the videos that conditions leave out: `2 videos are left out by "when"`; empty if there are none. */
export function leftOutWords(document: PlanDocument): string {
  const { length: count } = unlisted(document);
  return count === 0 ? '' : `${countNoun(count, 'video')} ${count === 1 ? 'is' : 'are'} left out by "when"`;
}

/** Groups the videos that conditions leave out by reason, the largest group first. */
export function leftOutGroups(document: PlanDocument): VideoGroup[] {
  return groupVideos(unlisted(document));
}

function groupVideos(all: readonly { readonly id: string; readonly reason: string }[]): VideoGroup[] {
  const groups = groupBy(all, ({ reason }) => reason);
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

/** Explains why no video has an id or path; null if neither a condition nor missing speech is the reason. */
export function leftOutHint(video: LeftOutVideo | WaitingVideo): string;
export function leftOutHint(video: LeftOutVideo | WaitingVideo | undefined): string | null;
export function leftOutHint(video: LeftOutVideo | WaitingVideo | undefined): string | null {
  if (video === undefined) return null;
  if ('missing' in video) {
    const advice = video.missing.length === 0 ? '' : `. Run reelform speak ${video.id}`;
    return `The video ${video.id} waits: ${video.reason}${advice}`;
  }
  return `${video.path} leaves out the video ${video.id}: ${video.reason}`;
}

/** Summarizes the videos that wait for speech, and what it takes; empty if there are none. */
export function waitingWords({ waiting_videos: videos = [], estimate: { speech } }: PlanDocument): string {
  if (videos.length === 0) return '';
  const waits = `${countNoun(videos.length, 'video')} ${videos.length === 1 ? 'waits' : 'wait'} for speech`;
  return speech === undefined ? waits : `${waits} · ${speechWords(speech)} · run reelform speak`;
}

/** Groups the videos that wait by reason, the largest group first. */
export function waitingGroups({ waiting_videos: videos = [] }: PlanDocument): VideoGroup[] {
  return groupVideos(videos);
}

/** Formats what it takes to speak texts: `2 texts to speak, 240 characters, about $0.12`. */
export function speechWords({ texts, characters, cost }: SpeechEstimate): string {
  const price = cost === undefined ? '' : `, ${costWords(cost)}`;
  return `${countNoun(texts, 'text')} to speak, ${countNoun(characters, 'character')}${price}`;
}
