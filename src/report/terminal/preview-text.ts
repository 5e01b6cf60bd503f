import { present } from '../../kernel/defined.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { mostChangedStill, type PlanPreview, type VideoPreview } from '../preview/plan-preview.ts';
import { largestShare } from '../preview/preview-document.ts';
import { escapeControls } from '../wording/display-text.ts';
import { LEFT_OUT_WORDS, momentWords, previewNote, shareWords } from '../wording/preview-words.ts';
import { countNoun } from '../wording/quantities.ts';

/** Maximum number of videos listed. */
const MAX_LINES = 20;
/** Longer ids do not widen the column. */
const WIDEST_ID = 40;

/**
 * Lists the visible changes of a plan: the largest share of changed pixels of each video, and when. The largest first, new
 * videos last.
 */
export function previewText({ videos, leftOut, seconds }: PlanPreview): string {
  if (videos.size === 0 && leftOut.length === 0) return '';
  const byDifference = [...videos].sort(([, a], [, b]) => (largestShare(b) ?? -1) - (largestShare(a) ?? -1));
  const shown = byDifference.slice(0, MAX_LINES);
  const width = Math.min(WIDEST_ID, Math.max(0, ...shown.map(([id]) => id.length)));
  const lines = shown.map(([id, video]) => `  ${id.padEnd(width)}  ${videoWords(video)}`);
  const more = videos.size - shown.length;
  const counts = present([
    more > 0 && `  and ${countNoun(more, 'more video')}`,
    ...[...groupBy(leftOut, ({ reason }) => reason)].map(
      ([reason, omitted]) => `  ${countNoun(omitted.length, 'video')} not shown: ${LEFT_OUT_WORDS[reason]}`,
    ),
  ]);
  const drawn = `  Drawn in ${seconds.all.toFixed(1)} s.`;
  return `${['', 'Visible changes', ...lines, ...counts, drawn].join('\n')}\n`;
}

/** Returns the text above a video on a contact sheet. */
export function sheetLabel(id: string, changedShare: number): string {
  return `${id}: ${shareWords(changedShare)}`;
}

function videoWords(video: VideoPreview): string {
  const share = largestShare(video);
  const note = previewNote(video);
  if (share === null) return note === '' ? 'nothing to compare with' : note;
  if (video.isVisible !== true) return note;
  const most = mostChangedStill(video.stills);
  const seen = `${shareWords(share)} changes ${most!.scene === undefined ? '' : 'in '}${escapeControls(momentWords(most!))}`;
  return note === '' ? seen : `${seen}; ${note}`;
}

/** Reports the URL of the started preview page. */
export function previewStartedText(url: string): string {
  return `Preview at ${url}\nThe page follows your files. Ctrl-C ends it.\n`;
}

/** Warns that other machines can reach the page. @param host on which it listens */
export function previewExposedText(host: string): string {
  return `warning: The page listens on ${host}, without encryption. Whoever has its URL can edit the repository and render.\n`;
}

/** Reports the files of a static gallery. */
export function galleryBuiltText(
  folder: string,
  { videos, stills, files }: { readonly videos: number; readonly stills: number; readonly files: number },
): string {
  const counts = [countNoun(videos, 'video'), countNoun(stills, 'still'), countNoun(files, 'finished file')];
  return `Wrote ${counts.join(', ')} to ${escapeControls(folder)}\n`;
}
