import type { PlanPreview, VideoPreview } from '../preview/plan-preview.ts';
import { largestShare } from '../preview/preview-document.ts';
import { countNoun } from './count-noun.ts';
import { LEFT_OUT_WORDS, previewNote, shareWords, timeWords } from './preview-words.ts';

/** What the changes of a plan look like, a line for each video: how much of its picture changes most, and when. */
export function previewText({ videos, leftOut, seconds }: PlanPreview): string {
  if (videos.size === 0 && leftOut.length === 0) return '';
  const width = Math.max(0, ...[...videos.keys()].map(({ length }) => length));
  const lines = [...videos].map(([id, video]) => `  ${id.padEnd(width)}  ${videoWords(video)}`);
  const reasons = new Map<string, number>();
  for (const { reason } of leftOut) reasons.set(LEFT_OUT_WORDS[reason], (reasons.get(LEFT_OUT_WORDS[reason]) ?? 0) + 1);
  const others = [...reasons].map(([words, count]) => `  ${countNoun(count, 'video')} not shown: ${words}`);
  return `${['What changes, as drawn here', ...lines, ...others].join('\n')}\n  Drawn in ${seconds.all.toFixed(1)} s.\n`;
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
