import { countNoun, formatCount } from '../wording/count-noun.ts';
import { type ChangeGroup, folderOf } from '../wording/plan-fold.ts';
import { FIELD_NAMES, groupRowsOf, type Row } from '../wording/plan-rows.ts';
import { groupReasonWords, reasonWords, SYMBOLS } from '../wording/plan-words.ts';
import { shortenText } from '../wording/shorten-text.ts';
import { escapeMarkdown, markdownCode } from './escape-markdown.ts';
import { foldMarkdown } from './markdown-fold.ts';
import { markdownRow, type ValueRoom } from './markdown-values.ts';

const MOST_NAMES = 3;
/** Ids, titles and names are longer than this by accident. */
const LONGEST_NAME = 200;

const name = (text: string): string => escapeMarkdown(shortenText(text, LONGEST_NAME));
const code = (text: string): string => markdownCode(shortenText(text, LONGEST_NAME));

/** The head of the table whose rows `videoRow` writes. */
export const VIDEO_COLUMNS = {
  plain: '| | Video | Why |\n|:--|:--|:--|',
  delivered: '| | Video | Why | Goes to |\n|:--|:--|:--|:--|',
} as const;

/** Whether a plan sends anything anywhere: then its table has a column for it. */
export function hasPlaces(groups: readonly ChangeGroup[]): boolean {
  return groups.some(({ changes }) => changes.some(({ destinations = [] }) => destinations.length > 0));
}

/** A row of the table of videos: what is done, to which, why, and where it goes. */
export function videoRow({ changes, kind }: ChangeGroup, withPlaces: boolean): string {
  const [first] = changes;
  const mark = `${markdownCode(SYMBOLS[first.action])}&nbsp;${first.action}`;
  const rows = kind === 'rest' || kind === 'folder' ? placesAlone(changes) : groupRowsOf(changes);
  const places = withPlaces ? ` ${placesOf(rows)} |` : '';
  if (kind === 'one') {
    const title = first.title === '' ? '' : `<br>${name(first.title)}`;
    return `| ${mark} | ${code(first.id)}${title} | ${why(reasonWords(first), namesOf(rows))} |${places}`;
  }
  const ids = changes.slice(0, MOST_NAMES).map(({ id }) => code(id));
  const more = changes.length - ids.length;
  const videos = more > 0 ? `${ids.join(', ')} and ${formatCount(more)} more` : ids.join(', ');
  const folder = folderOf(first);
  const count = `${countNoun(changes.length, 'video')}${kind === 'folder' && folder !== '' ? ` in ${code(folder)}` : ''}`;
  const reason = kind === 'rest' ? 'not shown one by one' : groupReasonWords(first);
  return `| ${mark} | ${count}<br>${videos} | ${why(reason, namesOf(rows))} |${places}`;
}

/** Whether there is anything to say of what changed. */
export function hasDetails(group: ChangeGroup): boolean {
  return detailRows(group).length > 0;
}

/** What changed about the videos of a group: their names, and a table. @param group one that has details */
export function videoDetails(group: ChangeGroup, room: ValueRoom): string {
  const rows = detailRows(group).map((row) => markdownRow(row, room));
  return `**${videoNames(group)}**\n\n| | Before | After |\n|:--|:--|:--|\n${rows.join('\n')}`;
}

/** The tables of what changed, behind one line. @param details of the groups, one each */
export function foldDetails(groups: readonly ChangeGroup[], details: readonly string[]): string {
  const [only, ...others] = groups;
  if (only !== undefined && others.length === 0) {
    // The line says already of what.
    const table = details.map((block) => block.slice(block.indexOf('\n\n') + 2));
    return foldMarkdown(`What changes about ${videoNames(only)}`, table);
  }
  const count = groups.reduce((sum, { changes }) => sum + changes.length, 0);
  return foldMarkdown(`What changes about ${countNoun(count, 'video')}`, details);
}

function videoNames({ changes }: ChangeGroup): string {
  const [first, ...others] = changes;
  return `${code(first.id)}${others.length === 0 ? '' : ` and ${formatCount(others.length)} more`}`;
}

function detailRows({ changes, kind }: ChangeGroup): Row[] {
  return kind === 'rest' ? [] : groupRowsOf(changes).filter(({ isPlace }) => isPlace !== true);
}

function placesAlone(changes: ChangeGroup['changes']): Row[] {
  return groupRowsOf(changes).filter(({ isPlace }) => isPlace === true);
}

function why(reason: string, names: readonly string[]): string {
  const words = escapeMarkdown(shortenText(reason, 500));
  if (names.length === 0) return words;
  return `${words}${/\bchanged$/.test(reason) ? ':' : '; changed:'} ${names.join(', ')}`;
}

/** Each once; where the video goes is nothing that changed about it, and the reason says of its template's version. */
function namesOf(rows: readonly Row[]): string[] {
  const changed = rows.filter(({ isPlace, name }) => isPlace !== true && name !== FIELD_NAMES.style_version);
  const names = [...new Set(changed.map((row) => name(row.name)))];
  return names.length <= MOST_CHANGED
    ? names
    : [...names.slice(0, MOST_CHANGED), `${names.length - MOST_CHANGED} more`];
}

const MOST_CHANGED = 8;

function placesOf(rows: readonly Row[]): string {
  const places = rows.flatMap(({ isPlace, before, after }) => {
    if (isPlace !== true) return [];
    if (after?.kind === 'name') return [code(after.name)];
    return before?.kind === 'name' ? [`${code(before.name)} no longer; what is there stays`] : [];
  });
  return places.join('<br>');
}
