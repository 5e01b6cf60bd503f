import type { Plan } from '../plan/plan.ts';
import { countNoun, formatCount } from './count-noun.ts';
import { escapeMarkdown, markdownCode } from './escape-markdown.ts';
import { type ChangeGroup, foldChanges, folderOf } from './plan-fold.ts';
import { groupRowsOf, type LabelLookup, type Row, type Shown } from './plan-rows.ts';
import {
  countWords,
  emptyWords,
  estimateWords,
  groupReasonWords,
  incompleteWords,
  reasonWords,
  SYMBOLS,
} from './plan-words.ts';
import { showAsOneText, showText, showTexts } from './show-value.ts';

export interface PlanMarkdownOptions {
  readonly label?: LabelLookup;
  /** UTF-16 code units; GitHub refuses a comment of more than 65,536 characters. */
  readonly maxLength?: number;
}

/** Room for the words that say what was left out. */
const RESERVE = 400;
/** Of one value only so much is shown. */
const LONGEST_VALUE = 500;
const MOST_NAMES = 3;
const MOST_DIAGNOSTICS = 5;

/**
 * A plan as GitHub shows it in a comment or a job's summary: the counts, a table of what is to happen, and what changed
 * about each video to fold out. Nothing of the user's text becomes markup, a mention or a link. What does not fit is left
 * out from the end, the values first, and counted.
 *
 * @returns lines, the last one ended as well
 */
export function planMarkdown(plan: Plan, options: PlanMarkdownOptions = {}): string {
  const groups = foldChanges(plan, true);
  if (groups.length === 0)
    return `### Reelform plan: no changes\n\n${[emptyWords(plan), incompleteWords(plan)].join('\n\n').trimEnd()}\n`;

  const counts = countWords(plan).map(({ words }) => words);
  const head = [
    `### Reelform plan: ${counts.join(', ')}`,
    `${capitalised(estimateWords(plan))}.`,
    ...(plan.complete ? [] : [`_${incompleteWords(plan)}_`]),
    ...diagnosticLines(plan),
    '| | Video | Title | Why |\n|---|---|---|---|',
  ].join('\n\n');
  const room = (options.maxLength ?? 60_000) - RESERVE - head.length;

  const rows = groups.map((group) => `\n${tableRow(group, options.label)}`);
  const shownRows = thatFit(rows, room);
  const details = groups.slice(0, shownRows.length).map((group) => detailsOf(group, options.label));
  const shownDetails = thatFit(details, room - shownRows.join('').length);

  const missingRows = countVideos(groups.slice(shownRows.length));
  const missingDetails = countVideos(groups.slice(shownDetails.length, shownRows.length).filter(hasDetails));
  const missing = [
    ...(missingRows > 0 ? [`${countNoun(missingRows, 'video')} of the plan left out`] : []),
    ...(missingDetails > 0 ? [`what changed about ${countNoun(missingDetails, 'video')} not shown`] : []),
  ];
  const remainder = missing.length === 0 ? '' : `\n\n_Too long for this place: ${missing.join(', and ')}._`;
  return `${head}${shownRows.join('')}${shownDetails.join('')}${remainder}\n`;
}

function diagnosticLines({ diagnostics }: Plan): string[] {
  const more = diagnostics.length - MOST_DIAGNOSTICS;
  return [
    ...diagnostics.slice(0, MOST_DIAGNOSTICS).map(({ code, message }) => {
      return `**${escapeMarkdown(code)}**: ${escapeMarkdown(shorten(message))}.`;
    }),
    ...(more > 0 ? [`And ${formatCount(more)} more like these.`] : []),
  ];
}

/** The first ones, as many as fit together. */
function thatFit(parts: readonly string[], room: number): string[] {
  let left = room;
  const end = parts.findIndex((part) => {
    left -= part.length;
    return left < 0;
  });
  return parts.slice(0, end < 0 ? parts.length : end);
}

function countVideos(groups: readonly ChangeGroup[]): number {
  return groups.reduce((sum, { changes }) => sum + changes.length, 0);
}

function hasDetails({ changes, kind }: ChangeGroup): boolean {
  return kind !== 'rest' && groupRowsOf(changes).length > 0;
}

function tableRow({ changes, kind }: ChangeGroup, label: LabelLookup | undefined): string {
  const [first] = changes;
  const mark = `${markdownCode(SYMBOLS[first.action])}&nbsp;${first.action}`;
  if (kind === 'one') {
    const title = escapeMarkdown((first.desired ?? first.before).title);
    const names = namesOf(groupRowsOf(changes, label));
    const why = [escapeMarkdown(reasonWords(first)), ...(names.length > 0 ? [names.join(', ')] : [])].join(': ');
    return `| ${mark} | ${markdownCode(first.id)} | ${title} | ${why} |`;
  }
  const ids = changes.slice(0, MOST_NAMES).map(({ id }) => markdownCode(id));
  const more = changes.length - ids.length;
  const videos = more > 0 ? `${ids.join(', ')} and ${formatCount(more)} more` : ids.join(', ');
  const folder = folderOf(first);
  const count = `${countNoun(changes.length, 'video')}${kind === 'folder' && folder !== '' ? ` in ${markdownCode(folder)}` : ''}`;
  const names = kind === 'same' ? namesOf(groupRowsOf(changes, label)) : [];
  const reason = kind === 'rest' ? 'not shown one by one' : escapeMarkdown(groupReasonWords(first));
  return `| ${mark} | ${count}<br>${videos} | | ${[reason, ...(names.length > 0 ? [names.join(', ')] : [])].join(': ')} |`;
}

/** Each once; where the video goes is nothing that changed about it. */
function namesOf(rows: readonly Row[]): string[] {
  const changed = rows.filter(({ isPlace }) => isPlace !== true);
  return [...new Set(changed.map(({ name }) => escapeMarkdown(name)))];
}

/** What changed, to fold out; empty when nothing can be said. */
function detailsOf(group: ChangeGroup, label: LabelLookup | undefined): string {
  if (!hasDetails(group)) return '';
  const [first, ...others] = group.changes;
  const more = others.length === 0 ? '' : ` and ${formatCount(others.length)} more`;
  const rows = groupRowsOf(group.changes, label).map(detailsRow);
  return [
    `\n\n<details><summary>${markdownCode(first.id)}${more}</summary>`,
    `| | Before | After |\n|---|---|---|\n${rows.join('\n')}`,
    '</details>',
  ].join('\n\n');
}

function detailsRow({ name, subject, before, after }: Row): string {
  const [old, now] = valuesOf(before, after);
  const about = subject === null ? '' : `<br>${markdownCode(shorten(subject))}`;
  return `| ${escapeMarkdown(name)}${about} | ${old} | ${now} |`;
}

function valuesOf(before: Shown | null, after: Shown | null): [string, string] {
  if (before?.kind !== 'text' || after?.kind !== 'text') return [showSide(before), showSide(after)];
  const [old, now] = [shorten(before.text), shorten(after.text)];
  const parts = showAsOneText(old, now);
  if (parts === null) return showTexts(old, now).map(escapeMarkdown) as [string, string];
  const side = (kind: 'removed' | 'added', tag: string): string =>
    parts
      .filter((part) => part.kind === 'same' || part.kind === kind)
      .map((part) =>
        part.kind === 'same' ? escapeMarkdown(part.text) : `<${tag}>${escapeMarkdown(part.text)}</${tag}>`,
      )
      .join('');
  return [side('removed', 'del'), side('added', 'ins')];
}

function showSide(shown: Shown | null): string {
  switch (shown?.kind) {
    case undefined:
      return '_none_';
    case 'text':
      return escapeMarkdown(showText(shorten(shown.text)));
    case 'name':
      return markdownCode(shorten(shown.name));
    case 'color':
      // GitHub puts a swatch behind a colour in backticks.
      return `\`#${shown.color}\``;
  }
}

function shorten(text: string): string {
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE).toWellFormed()}…`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
