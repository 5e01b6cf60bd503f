import type { PlanPreview, PreviewImage, PreviewStill, VideoPreview } from '../preview/plan-preview.ts';
import { formatCount } from './count-noun.ts';
import { escapeMarkdown, markdownCode } from './escape-markdown.ts';
import { previewNote, shareWords, timeWords } from './preview-words.ts';
import { shortenText } from './shorten-text.ts';

/** How wide a picture is shown, in CSS pixels. */
const WIDEST = 380;

/**
 * The stills of each video, before beside after, as blocks that can be left out one by one; those first whose pictures
 * differ most. Only pictures that have a URL are shown; where none has, one block says what was measured.
 */
export function markdownStills(preview: PlanPreview): string[] {
  const videos = [...preview.videos].sort(([, a], [, b]) => largestShare(b) - largestShare(a));
  return videos.flatMap(([id, video]) => {
    const note = previewNote(video);
    const title = `**${markdownCode(shortenText(id, 200))}**${note === '' ? '' : ` · ${note}`}`;
    const shown = video.isVisible === false ? [] : video.stills.filter(({ after }) => urlOf(after) !== null);
    if (shown.length === 0) return [title];
    return [`${title}\n\n| Before | After |\n|---|---|\n${shown.map(stillRow).join('\n')}`];
  });
}

/** How many videos have no picture that can be shown here. */
export function unseenStills({ videos }: PlanPreview): number {
  return [...videos.values()].filter(({ stills }) => !stills.some(({ after }) => urlOf(after) !== null)).length;
}

/** What is said of videos that are not shown; empty where all are. */
export function leftOutStills({ leftOut }: PlanPreview): string {
  if (leftOut.length === 0) return '';
  const first = leftOut.slice(0, 5).map(({ id }) => markdownCode(shortenText(id, 200)));
  const more = leftOut.length > first.length ? ` and ${formatCount(leftOut.length - first.length)} more` : '';
  return `Not looked at: ${first.join(', ')}${more}.`;
}

/** The largest share of pixels that differ in one of the stills; what is new counts as wholly different. */
export function largestShare({ stills }: VideoPreview): number {
  return Math.max(0, ...stills.map(({ changedShare }) => changedShare ?? 1));
}

function stillRow({ timeSeconds, before, after, changedShare, editables }: PreviewStill): string {
  const names = editables.length === 0 ? '' : `: ${escapeMarkdown(shortenText(editables.join(', '), 200))}`;
  const share = changedShare === null ? '' : `, ${shareWords(changedShare)}`;
  const about = `<sub>${timeWords(timeSeconds)}${share}${names}</sub>`;
  return `| ${before === null ? '_none_' : picture(before, 'before')} | ${picture(after, 'after')}<br>${about} |`;
}

function picture(image: PreviewImage, side: string): string {
  const url = urlOf(image);
  if (url === null) return '_not here_';
  const width = Math.min(WIDEST, image.width);
  return `<img src="${url}" width="${width}" alt="${side}">`;
}

/** A URL of our own making, in the characters of one: nothing in it ends the attribute. */
function urlOf({ url }: PreviewImage): string | null {
  if (url === null || !/^https:\/\/[^\s"'<>`\\|]{1,2000}$/.test(url)) return null;
  return url.replaceAll('&', '&amp;');
}
