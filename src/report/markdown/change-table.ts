import type { PlanDocument } from '../../reconciler/plan/plan-document.ts';
import { definitionWords } from '../wording/definition-words.ts';
import type { DiffRow, DisplayValue } from '../wording/diff-row.ts';
import { shortenText } from '../wording/display-text.ts';
import { type ChangeGroup, folderOf } from '../wording/fold-changes.ts';
import { FIELD_NAMES, groupRowsOf, hidesValues } from '../wording/plan-rows.ts';
import { changeSegmentWords, groupReasonWords, reasonWords, SYMBOLS } from '../wording/plan-words.ts';
import { countNoun, listSome } from '../wording/quantities.ts';
import { type DiffPart, showAsOneText, showText, showTexts } from '../wording/text-diff.ts';
import { escapeMarkdown, foldMarkdown, markdownCode, shortCode } from './markdown-text.ts';

const MAX_NAMES = 3;
/** Longer ids, titles and names are truncated. */
const MAX_NAME_LENGTH = 200;

const name = (text: string): string => escapeMarkdown(shortenText(text, MAX_NAME_LENGTH));

/** Head of the table whose rows `videoRow` returns. */
export const VIDEO_COLUMNS = {
  plain: '| | Video | Why |\n|:--|:--|:--|',
  delivered: '| | Video | Reason | Destination |\n|:--|:--|:--|:--|',
} as const;

/** Returns whether a plan delivers anything: then its table has a column for destinations. */
export function hasDestinations(groups: readonly ChangeGroup[]): boolean {
  return groups.some(({ changes }) => changes.some(({ destinations = [] }) => destinations.length > 0));
}

/** Formats a row of the table of videos: action, videos, reason, destinations. */
export function videoRow(group: ChangeGroup, plan: PlanDocument, withDestinations: boolean): string {
  const { changes, kind } = group;
  const [first] = changes;
  const mark = `${markdownCode(SYMBOLS[first.action])}&nbsp;${first.action}`;
  const isFolded = kind === 'rest' || kind === 'folder';
  const rows = groupRowsOf(group).filter(({ isDestination }) => !isFolded || isDestination === true);
  const destinations = withDestinations ? ` ${destinationsOf(rows)} |` : '';
  if (kind === 'single') {
    const title = first.title === '' ? '' : `<br>${name(first.title)}`;
    return `| ${mark} | ${shortCode(first.id)}${title} | ${why(reasonWords(first), namesOf(rows))}${segmentsOf(changes)} |${destinations}`;
  }
  const videos = listSome(changes, MAX_NAMES, ({ id }) => shortCode(id));
  const folder = folderOf(first);
  const ofDefinition =
    kind === 'definition' && `${shortCode(first.matrix!.definition)}<br>${definitionWords(plan, changes)}`;
  const count =
    ofDefinition ||
    `${countNoun(changes.length, 'video')}${kind === 'folder' && folder !== '' ? ` in ${shortCode(folder)}` : ''}`;
  const reason = kind === 'rest' ? 'not listed individually' : groupReasonWords(first);
  return `| ${mark} | ${count}<br>${videos} | ${why(reason, namesOf(rows))}${segmentsOf(changes)} |${destinations}`;
}

/** Returns the groups with differences to list: where these differ between the videos of a definition, each video on its own. */
export function detailedGroups(groups: readonly ChangeGroup[]): ChangeGroup[] {
  const isSplit = (group: ChangeGroup): boolean => group.kind === 'definition' && hidesValues(group);
  const split = groups.flatMap((group): ChangeGroup[] =>
    isSplit(group) ? group.changes.map((change) => ({ changes: [change], kind: 'single' })) : [group],
  );
  return split.filter((group) => detailRows(group).length > 0);
}

/** Formats the differences of a group: its videos and a table. */
export function videoDetails(group: ChangeGroup, room: ValueRoom): string {
  const rows = detailRows(group).map((row) => markdownRow(row, room));
  return `**${videoNames(group)}**\n\n| | Before | After |\n|:--|:--|:--|\n${rows.join('\n')}`;
}

/** Collapses the tables of differences behind a line. @param details a table for each group */
export function foldDetails(groups: readonly ChangeGroup[], details: readonly string[]): string {
  const [first, ...rest] = groups;
  if (first !== undefined && rest.length === 0) {
    // The summary line already names the videos.
    const table = details.map((block) => block.slice(block.indexOf('\n\n') + 2));
    return foldMarkdown(`What changes about ${videoNames(first)}`, table);
  }
  const count = groups.reduce((sum, { changes }) => sum + changes.length, 0);
  return foldMarkdown(`What changes about ${countNoun(count, 'video')}`, details);
}

function videoNames({ changes }: ChangeGroup): string {
  return listSome(changes, 1, ({ id }) => shortCode(id));
}

function detailRows(group: ChangeGroup): DiffRow[] {
  return group.kind === 'rest' ? [] : groupRowsOf(group).filter(({ isDestination }) => isDestination !== true);
}

function why(reason: string, names: readonly string[]): string {
  const words = escapeMarkdown(shortenText(reason, 500));
  if (names.length === 0) return words;
  return `${words}${/\bchanged$/.test(reason) ? ':' : '; changed:'} ${names.join(', ')}`;
}

function segmentsOf(changes: ChangeGroup['changes']): string {
  const words = changeSegmentWords(changes);
  return words === '' ? '' : `<br>${words}`;
}

/** Returns distinct names. Excludes destinations, which have a column, and the style version, which the reason mentions. */
function namesOf(rows: readonly DiffRow[]): string[] {
  const changed = rows.filter(
    ({ isDestination, heading, name }) =>
      isDestination !== true && heading !== '' && name !== FIELD_NAMES.style_version,
  );
  const names = [
    ...new Set(changed.map((row) => name([row.scene, row.name].filter((part) => part !== undefined).join(' ')))),
  ];
  return names.length <= MAX_CHANGED ? names : [...names.slice(0, MAX_CHANGED), `${names.length - MAX_CHANGED} more`];
}

const MAX_CHANGED = 8;

function destinationsOf(rows: readonly DiffRow[]): string {
  const destinations = rows.flatMap(({ isDestination, before, after }) => {
    if (isDestination !== true) return [];
    if (after?.kind === 'name') return [shortCode(after.name)];
    return before?.kind === 'name' ? [`${shortCode(before.name)} removed; the delivered file remains`] : [];
  });
  return destinations.join('<br>');
}

/** How much of a value is shown, in UTF-16 code units. */
export interface ValueRoom {
  /** Maximum length of a value. */
  readonly longest: number;
  /** Unchanged text kept on each side of a change; the rest becomes `…`. */
  readonly context: number;
}

function markdownRow({ name, subject, before, after, scene, heading }: DiffRow, room: ValueRoom): string {
  if (heading !== undefined) {
    return `| **${escapeMarkdown(shortenText(name, room.longest))}** | | ${escapeMarkdown(shortenText(heading, room.longest))} |`;
  }
  const [old, now] = valuesOf(before, after, room);
  const about = subject === null ? '' : `<br>${shortCode(subject, room.longest)}`;
  const indent = scene === undefined ? '' : '&emsp;';
  return `| ${indent}${escapeMarkdown(shortenText(name, room.longest))}${about} | ${old} | ${now} |`;
}

function valuesOf(before: DisplayValue | null, after: DisplayValue | null, room: ValueRoom): [string, string] {
  if (before?.kind !== 'text' || after?.kind !== 'text') return [showSide(before, room), showSide(after, room)];
  // Compares before truncating, so that a late difference is shown as well.
  const parts = showAsOneText(
    shortenText(before.text, MAX_COMPARED_LENGTH),
    shortenText(after.text, MAX_COMPARED_LENGTH),
  );
  if (parts === null) {
    const [old, now] = showTexts(before.text, after.text);
    return [escapeMarkdown(shortenText(old, room.longest)), escapeMarkdown(shortenText(now, room.longest))];
  }
  return [showMarked(parts, 'removed', room), showMarked(parts, 'added', room)];
}

/** Longer texts are truncated before the comparison. */
const MAX_COMPARED_LENGTH = 20_000;

function showMarked(parts: readonly DiffPart[], kind: 'removed' | 'added', { longest, context }: ValueRoom): string {
  const tag = kind === 'removed' ? 'del' : 'ins';
  const shown = parts.filter((part) => part.kind === 'same' || part.kind === kind);
  let left = longest;
  let text = '';
  for (const [index, part] of shown.entries()) {
    if (left <= 0) return `${text}…`;
    const whole = part.kind === 'same' ? elide(part.text, context, index === 0, index === shown.length - 1) : part.text;
    const words = shortenText(whole, left);
    left -= words.length;
    text += part.kind === 'same' ? escapeMarkdown(words) : `<${tag}>${escapeMarkdown(words)}</${tag}>`;
  }
  return text;
}

/** Replaces unchanged text that is not next to a change by `…`. */
function elide(text: string, context: number, isFirst: boolean, isLast: boolean): string {
  const characters = [...text];
  const [head, tail] = [isFirst ? 0 : context, isLast ? 0 : context];
  if (characters.length <= head + tail + 8) return text;
  return `${characters.slice(0, head).join('')}…${tail === 0 ? '' : characters.slice(-tail).join('')}`;
}

function showSide(shown: DisplayValue | null, { longest }: ValueRoom): string {
  switch (shown?.kind) {
    case undefined:
      return '_none_';
    case 'text':
      return escapeMarkdown(showText(shortenText(shown.text, longest)));
    case 'name':
      return shortCode(shown.name, longest);
    case 'color':
      // GitHub shows a swatch behind a colour in backticks.
      return `\`#${shown.color}\``;
  }
}
