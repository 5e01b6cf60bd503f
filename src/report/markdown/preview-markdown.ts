import type { PlanPreview, PreviewImage, PreviewStill, VideoPreview } from '../../preview/plan-preview.ts';
import { shortenText } from '../wording/display-text.ts';
import { LEFT_OUT_WORDS, previewNote, shareWords, timeWords } from '../wording/preview-words.ts';
import { countNoun, formatCount } from '../wording/quantities.ts';
import { escapeMarkdown, markdownCode } from './escape-markdown.ts';
import { foldedTable, foldMarkdown } from './markdown-blocks.ts';

/** A pair fits beside each other in a comment, and no picture is taller than a wide one of that width. CSS pixels. */
const ROOM = { width: 360, height: 230 };
/** As wide as a comment; one that would be higher than that is folded. */
const SHEET_WIDTH = 740;
/** Videos whose pictures are there at once. */
const OPEN = 3;
/** So many ids are named of videos of which there is nothing else to say. */
const NAMED = 4;
/** Pictures of a new video in one row. */
const ABREAST = 2;

const code = (id: string): string => markdownCode(shortenText(id, 200));

/** What a key of a video's editable is called. */
export type NameOfEditable = (id: string, key: string) => string;

/**
 * The stills of each video that has some to be shown, before beside after, as blocks that can be left out one by one; those
 * first whose pictures differ most, and what is new behind them. Only pictures that have a URL are shown.
 */
export function markdownStills(preview: PlanPreview, nameOf: NameOfEditable): string[] {
  return byDifference(preview).flatMap(([id, video]) => {
    const stills = shownStills(video);
    if (stills.length === 0) return [];
    const note = previewNote(video);
    const title = `**${code(id)}**${note === '' ? '' : ` · ${note}`}`;
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
 * All that is said of what changes look like: the sheet of a template's upgrade, the stills, most of them folded, what was
 * measured where no picture can be shown, and of which videos nothing is to be seen.
 *
 * @param shown as many blocks of `markdownStills` as there is room for
 */
export function stillsMarkdown(preview: PlanPreview, shown: readonly string[]): string[] {
  const sheet = preview.contactSheet === null ? '' : sheetMarkdown(preview.contactSheet);
  const first = sheet === '' || isTall(preview.contactSheet!) ? shown.slice(0, OPEN) : [];
  const others = shown.slice(first.length);
  const words = first.length === 0 ? countNoun(others.length, 'video') : countNoun(others.length, 'more video');
  const blocks = [sheet, ...first, foldMarkdown(`${words}, before and after`, others)];
  const all = [...blocks, measured(preview), ...unseenChanges(preview), leftOutStills(preview)];
  return all.some((block) => block !== '') ? ['#### Before and after', ...all] : [];
}

/** How many videos would show something, and have no picture that can be shown here. */
export function unseenStills({ videos }: PlanPreview): number {
  return [...videos.values()].filter((video) => video.isVisible !== false && shownStills(video).length === 0).length;
}

/** The largest share of pixels that differ in one of the stills; what is new counts as wholly different. */
export function largestShare({ stills }: VideoPreview): number {
  return Math.max(0, ...stills.map(({ changedShare }) => changedShare ?? 1));
}

function byDifference({ videos }: PlanPreview): [string, VideoPreview][] {
  const rank = (video: VideoPreview): number => (video.isVisible === null ? -1 : largestShare(video));
  return [...videos].sort(([, a], [, b]) => rank(b) - rank(a));
}

function shownStills({ isVisible, stills }: VideoPreview): PreviewStill[] {
  return isVisible === false ? [] : stills.filter(({ after }) => urlOf(after) !== null);
}

/** Pictures in one row, what they are in the next: so they stand at one height. */
function pairRows(still: PreviewStill, nameOf: (key: string) => string): string[] {
  const { timeSeconds, before, after, changedShare, editables } = still;
  const names = shortenText(editables.map(nameOf).join(', '), 200);
  const about = `${timeWords(timeSeconds)}${names === '' ? '' : ` · ${escapeMarkdown(names)}`}`;
  const share = changedShare === null ? '' : `<sub>${differs(changedShare)}</sub>`;
  return [`| ${picture(before!, 'before')} | ${picture(after, 'after')} |`, `| <sub>${about}</sub> | ${share} |`];
}

function newTables(stills: readonly PreviewStill[]): string[] {
  const tables: string[] = [];
  for (let from = 0; from < stills.length; from += ABREAST) {
    const some = stills.slice(from, from + ABREAST);
    const cells = (make: (still: PreviewStill) => string): string => `| ${some.map(make).join(' | ')} |`;
    const head = cells(({ timeSeconds }) => `New, ${timeWords(timeSeconds)}`);
    const pictures = cells(({ after }) => picture(after, 'new'));
    tables.push(`${from === 0 ? '' : '\n'}${head}\n${cells(() => ':--')}\n${pictures}`);
  }
  return tables;
}

/** Of videos that cannot be shown here how much of them is another. */
function measured(preview: PlanPreview): string {
  const rows = byDifference(preview).flatMap(([id, video]) => {
    if (video.isVisible !== true || shownStills(video).length > 0) return [];
    const most = [...video.stills].sort((a, b) => (b.changedShare ?? 0) - (a.changedShare ?? 0))[0];
    if (most === undefined) return [];
    const note = previewNote(video);
    const words = `${differs(most.changedShare ?? 0)}, ${timeWords(most.timeSeconds)}${note === '' ? '' : `; ${note}`}`;
    return [`| ${code(id)} | ${words} |`];
  });
  const kept = rows.slice(0, MOST_MEASURED);
  const more = rows.length - kept.length;
  const table = foldedTable('| Video | What can be seen of it |\n|:--|:--|', kept, (missing) => `${missing} more`);
  return more === 0 ? table : `${table}\n\nAnd ${countNoun(more, 'more video')} of which less is another.`;
}

const MOST_MEASURED = 50;

function differs(share: number): string {
  return share === 0 ? shareWords(share) : `${shareWords(share)} differs`;
}

/** Videos of which no picture is another, those together that have the same to say. */
function unseenChanges({ videos }: PlanPreview): string[] {
  const notes = new Map<string, string[]>();
  for (const [id, video] of videos) {
    if (video.isVisible !== false) continue;
    const note = previewNote(video);
    notes.set(note, [...(notes.get(note) ?? []), id]);
  }
  return [...notes].map(([note, ids]) => `${note.charAt(0).toUpperCase()}${note.slice(1)}: ${named(ids)}.`);
}

/** What is said of videos that are not shown; empty where all are. */
function leftOutStills({ leftOut }: PlanPreview): string {
  const reasons = new Map<string, string[]>();
  for (const { id, reason } of leftOut) {
    const words = LEFT_OUT_WORDS[reason];
    reasons.set(words, [...(reasons.get(words) ?? []), id]);
  }
  return [...reasons].map(([words, ids]) => `Not looked at (${words}): ${named(ids)}.`).join('<br>');
}

function named(ids: readonly string[]): string {
  const first = ids.slice(0, NAMED).map(code).join(', ');
  return ids.length > NAMED ? `${first} and ${formatCount(ids.length - NAMED)} more` : first;
}

function sheetMarkdown(sheet: PreviewImage): string {
  const url = urlOf(sheet);
  if (url === null) return '';
  const image = `<img src="${url}" width="${Math.min(SHEET_WIDTH, sheet.width)}" alt="Before and after of each, the most different first">`;
  const words = 'All videos whose template changed, the most different first';
  return isTall(sheet) ? foldMarkdown(words, [image]) : `${words}:\n\n${image}`;
}

function picture(image: PreviewImage, side: string): string {
  const url = urlOf(image);
  if (url === null) return '_not here_';
  const { width, height } = image;
  const shown = Math.round(Math.min(ROOM.width, width, (ROOM.height * width) / height));
  return `<img src="${url}" width="${shown}" alt="${side}">`;
}

const isTall = ({ width, height }: PreviewImage): boolean => height > width && height > SHEET_WIDTH;

/** A URL of our own making, in the characters of one: nothing in it ends the attribute. */
function urlOf({ url }: PreviewImage): string | null {
  if (url === null || !/^https:\/\/[^\s"'<>`\\|]{1,2000}$/.test(url)) return null;
  return url.replaceAll('&', '&amp;');
}
