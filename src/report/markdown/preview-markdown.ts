import { groupBy } from '../../kernel/group-by.ts';
import {
  type MatrixSheet,
  mostChangedStill,
  type PlanPreview,
  type PreviewImage,
  type PreviewStill,
  type VideoPreview,
} from '../preview/plan-preview.ts';
import { escapeHtml, sentence, shortenText } from '../wording/display-text.ts';
import {
  hiddenWords,
  LEFT_OUT_WORDS,
  matrixAlt,
  momentWords,
  newOrChangedShare,
  previewNote,
  shareWords,
} from '../wording/preview-words.ts';
import { countNoun, listSome } from '../wording/quantities.ts';
import { escapeMarkdown, foldedTable, foldMarkdown, shortCode } from './markdown-text.ts';

/** In CSS pixels: a pair of stills fits side by side in a comment, and portrait stills are not taller than landscape ones. */
const ROOM = { width: 360, height: 230 };
/** Width of a comment. A taller sheet is collapsed. */
const SHEET_WIDTH = 740;
/** Number of videos whose stills are not collapsed. */
const OPEN = 3;
/** Maximum number of ids listed for videos without visible changes. */
const NAMED = 4;
/** Stills of a new video per row. */
const ABREAST = 2;

/** Returns the display name of an editable. */
export type NameOfEditable = (id: string, key: string) => string;

/**
 * Formats the stills of each video, before beside after, as separate blocks; the largest difference first, new videos last.
 * Only shows images that have a URL.
 */
export function markdownStills(preview: PlanPreview, nameOf: NameOfEditable): string[] {
  return byDifference(preview).flatMap(([id, video]) => {
    const stills = shownStills(video);
    if (stills.length === 0) return [];
    const note = previewNote(video);
    const title = `**${shortCode(id)}**${note === '' ? '' : ` · ${note}`}`;
    const pairs = stills.filter(({ before }) => before !== null);
    const rows = pairs.flatMap((still) => pairRows(still, (key) => nameOf(id, key)));
    const blocks = [
      ...(rows.length === 0 ? [] : ['| Before | After |\n|:--|:--|', ...rows]),
      ...newTables(stills.filter(({ before }) => before === null)),
    ];
    return [`${title}\n\n${blocks.join('\n')}`];
  });
}

/**
 * Formats a preview: the contact sheet of a template upgrade and those of definitions with variants or locales, stills (mostly collapsed), measurements of videos without
 * images, and the videos without a visible change.
 *
 * @param shown leading blocks of `markdownStills` that fit
 */
export function stillsMarkdown(preview: PlanPreview, shown: readonly string[]): string[] {
  const sheet = preview.contactSheet === null ? '' : sheetMarkdown(preview.contactSheet);
  const first = sheet === '' || isTall(preview.contactSheet!) ? shown.slice(0, OPEN) : [];
  const folded = shown.slice(first.length);
  const words = first.length === 0 ? countNoun(folded.length, 'video') : countNoun(folded.length, 'more video');
  const blocks = [
    sheet,
    ...matricesMarkdown(preview.matrices),
    ...first,
    foldMarkdown(`${words}, before and after`, folded),
  ];
  const all = [...blocks, measured(preview), ...unseenChanges(preview), leftOutStills(preview)];
  return all.some((block) => block !== '') ? ['#### Before and after', ...all] : [];
}

/** Counts videos with visible changes but no image that can be shown here. */
export function unseenStills({ videos }: PlanPreview): number {
  return [...videos.values()].filter((video) => video.isVisible !== false && shownStills(video).length === 0).length;
}

function byDifference({ videos }: PlanPreview): [string, VideoPreview][] {
  const rank = (video: VideoPreview): number => (video.isVisible === null ? -1 : newOrChangedShare(video));
  return [...videos].sort(([, a], [, b]) => rank(b) - rank(a));
}

function shownStills({ isVisible, stills }: VideoPreview): PreviewStill[] {
  return isVisible === false ? [] : stills.filter(({ after }) => urlOf(after) !== null);
}

/** Puts images and captions in separate rows, so that they align. */
function pairRows(still: PreviewStill, nameOf: (key: string) => string): string[] {
  const { before, after, changedShare, editables } = still;
  const names = shortenText(editables.map(nameOf).join(', '), 200);
  const about = `${momentMarkdown(still)}${names === '' ? '' : ` · ${escapeMarkdown(names)}`}`;
  const share = changedShare === null ? '' : `<sub>${differs(changedShare)}</sub>`;
  return [`| ${picture(before!, 'before')} | ${picture(after, 'after')} |`, `| <sub>${about}</sub> | ${share} |`];
}

function momentMarkdown(still: PreviewStill): string {
  return escapeMarkdown(shortenText(momentWords(still), 200));
}

function newTables(stills: readonly PreviewStill[]): string[] {
  const tables: string[] = [];
  for (let from = 0; from < stills.length; from += ABREAST) {
    const some = stills.slice(from, from + ABREAST);
    const cells = (make: (still: PreviewStill) => string): string => `| ${some.map(make).join(' | ')} |`;
    const head = cells((still) => `New, ${momentMarkdown(still)}`);
    const pictures = cells(({ after }) => picture(after, 'new'));
    tables.push(`${from === 0 ? '' : '\n'}${head}\n${cells(() => ':--')}\n${pictures}`);
  }
  return tables;
}

/** Lists the measured difference of videos without images. */
function measured(preview: PlanPreview): string {
  const rows = byDifference(preview).flatMap(([id, video]) => {
    if (video.isVisible !== true || shownStills(video).length > 0) return [];
    const most = mostChangedStill(video.stills);
    if (most === undefined) return [];
    const note = previewNote(video);
    const words = `${differs(most.changedShare ?? 0)}, ${momentMarkdown(most)}${note === '' ? '' : `; ${note}`}`;
    return [`| ${shortCode(id)} | ${words} |`];
  });
  const kept = rows.slice(0, MAX_MEASURED);
  const more = rows.length - kept.length;
  const table = foldedTable('| Video | Visible change |\n|:--|:--|', kept, (missing) => `${missing} more`);
  return more === 0 ? table : `${table}\n\nAnd ${countNoun(more, 'more video')} with smaller changes.`;
}

const MAX_MEASURED = 50;

function differs(share: number): string {
  return share === 0 ? shareWords(share) : `${shareWords(share)} differs`;
}

/** Groups videos without a visible change by their note. */
function unseenChanges({ videos }: PlanPreview): string[] {
  const unchanged = [...videos].filter(([, { isVisible }]) => isVisible === false);
  return [...groupBy(unchanged, ([, video]) => previewNote(video))].map(([note, alike]) => {
    return sentence(`${note}: ${named(alike.map(([id]) => id))}`);
  });
}

/** Lists omitted videos by reason; empty if there are none. */
function leftOutStills({ leftOut }: PlanPreview): string {
  return [...groupBy(leftOut, ({ reason }) => reason)]
    .map(([reason, videos]) => `Not drawn (${LEFT_OUT_WORDS[reason]}): ${named(videos.map(({ id }) => id))}.`)
    .join('<br>');
}

function named(ids: readonly string[]): string {
  return listSome(ids, NAMED, (id) => shortCode(id));
}

function sheetMarkdown(sheet: PreviewImage): string {
  const url = urlOf(sheet);
  if (url === null) return '';
  const image = `<img src="${url}" width="${Math.min(SHEET_WIDTH, sheet.width)}" alt="Before and after of each, the most different first">`;
  const words = 'All videos whose template changed, the most different first';
  return isTall(sheet) ? foldMarkdown(words, [image]) : `${words}:\n\n${image}`;
}

/** Shows the table of the definition with the most changes, and collapses the others. */
function matricesMarkdown(matrices: readonly MatrixSheet[]): string[] {
  const shown = matrices.flatMap((sheet) => {
    const url = sheet.image === null ? null : urlOf(sheet.image);
    if (url === null) return [];
    const width = Math.min(SHEET_WIDTH, sheet.image!.width);
    const hidden = hiddenWords(sheet);
    const title = `**${shortCode(sheet.definition)}**${hidden === '' ? '' : ` · ${hidden}`}`;
    return [`${title}\n\n<img src="${url}" width="${width}" alt="${escapeHtml(matrixAlt(sheet))}">`];
  });
  const missing = matrices.filter(({ image }) => image === null).map(({ definition }) => definition);
  const words = `Contact sheets of ${countNoun(shown.length - 1, 'more definition')}`;
  return [
    ...shown.slice(0, 1),
    foldMarkdown(words, shown.slice(1)),
    missing.length === 0 ? '' : `No contact sheet: ${named(missing)}.`,
  ];
}

function picture(image: PreviewImage, side: string): string {
  const url = urlOf(image);
  if (url === null) return '_not available_';
  const { width, height } = image;
  const shown = Math.round(Math.min(ROOM.width, width, (ROOM.height * width) / height));
  return `<img src="${url}" width="${shown}" alt="${side}">`;
}

const isTall = ({ width, height }: PreviewImage): boolean => height > width && height > SHEET_WIDTH;

/** Accepts only https URLs without characters that could end the attribute. */
function urlOf({ url }: PreviewImage): string | null {
  if (url === null || !/^https:\/\/[^\s"'<>`\\|]{1,2000}$/.test(url)) return null;
  return url.replaceAll('&', '&amp;');
}
