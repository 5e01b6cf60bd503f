import type { PlanPreview, VideoPreview } from '../../preview/plan-preview.ts';
import { largestShare } from '../../preview/preview-document.ts';
import { LEFT_OUT_WORDS, previewNote, shareWords, timeWords } from '../wording/preview-words.ts';
import { countNoun } from '../wording/quantities.ts';

/** So many videos have a line; it is the plan that has them all. */
const MOST_LINES = 20;
/** A longer id has no others beside it in its column. */
const WIDEST_ID = 40;

/**
 * What the changes of a plan look like, a line for each video: how much of its picture changes most, and when. The most
 * different are first, what is new is last.
 */
export function previewText({ videos, leftOut, seconds }: PlanPreview): string {
  if (videos.size === 0 && leftOut.length === 0) return '';
  const byDifference = [...videos].sort(([, a], [, b]) => (largestShare(b) ?? -1) - (largestShare(a) ?? -1));
  const shown = byDifference.slice(0, MOST_LINES);
  const width = Math.min(WIDEST_ID, Math.max(0, ...shown.map(([id]) => id.length)));
  const lines = shown.map(([id, video]) => `  ${id.padEnd(width)}  ${videoWords(video)}`);
  const more = videos.size - shown.length;
  const reasons = new Map<string, number>();
  for (const { reason } of leftOut) reasons.set(LEFT_OUT_WORDS[reason], (reasons.get(LEFT_OUT_WORDS[reason]) ?? 0) + 1);
  const others = [
    ...(more > 0 ? [`  and ${countNoun(more, 'more video')}`] : []),
    ...[...reasons].map(([words, count]) => `  ${countNoun(count, 'video')} not shown: ${words}`),
  ];
  const drawn = `  Drawn in ${seconds.all.toFixed(1)} s.`;
  return `${['', 'What changes, as drawn here', ...lines, ...others, drawn].join('\n')}\n`;
}

/** What stands above a video on a contact sheet. */
export function sheetLabel(id: string, changedShare: number): string {
  return `${id}: ${shareWords(changedShare)}`;
}

function videoWords(video: VideoPreview): string {
  const share = largestShare(video);
  const note = previewNote(video);
  if (share === null) return note === '' ? 'nothing to compare with' : note;
  if (video.isVisible !== true) return note;
  const [most] = [...video.stills].sort((a, b) => (b.changedShare ?? 0) - (a.changedShare ?? 0));
  const seen = `${shareWords(share)} changes ${timeWords(most!.timeSeconds)}`;
  return note === '' ? seen : `${seen}; ${note}`;
}
