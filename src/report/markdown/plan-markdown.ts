import { present } from '../../kernel/defined.ts';
import { inputName } from '../../reconciler/lock/input-names.ts';
import { ACTIONS } from '../../reconciler/plan/plan.ts';
import type { PlanDocument } from '../../reconciler/plan/plan-document.ts';
import { type JsonDiagnostic, problemsOf } from '../json/diagnostics-json.ts';
import type { PlanPreview } from '../preview/plan-preview.ts';
import { joinTexts, sentence, shortenText } from '../wording/display-text.ts';
import { type ChangeGroup, foldChanges } from '../wording/fold-changes.ts';
import { leftOutGroups, leftOutWords, waitingGroups, waitingWords } from '../wording/left-out-words.ts';
import { inputNames } from '../wording/plan-rows.ts';
import {
  countWords,
  emptyWords,
  estimateWords,
  hasChanges,
  incompleteWords,
  restoreGroups,
  restoreWords,
  type VideoGroup,
  withoutRestores,
} from '../wording/plan-words.ts';
import { countNoun, countSeverities, listSome } from '../wording/quantities.ts';
import { textGroups, textWords } from '../wording/text-words.ts';
import {
  detailedGroups,
  foldDetails,
  hasDestinations,
  type ValueRoom,
  VIDEO_COLUMNS,
  videoDetails,
  videoRow,
} from './change-table.ts';
import { escapeMarkdown, foldedTable, foldMarkdown, shortCode, takeWhileFits } from './markdown-text.ts';
import { markdownStills, type NameOfEditable, stillsMarkdown, unseenStills } from './preview-markdown.ts';
import { markdownProblems, type ProblemLimit } from './problem-tables.ts';

/** Locations of the full plan. */
interface RestOfPlan {
  /** URL of the job's page with the full summary. */
  readonly summary?: string;
  /** Name of the artifact with the plan page. */
  readonly artifact?: string;
}

interface PlanMarkdownOptions {
  /** Maximum size, ≥ 2,000; 60,000 by default. GitHub rejects comments of more than 65,536 characters. */
  readonly budget?: number;
  /**
   * Unit of `budget`: UTF-16 code units (`characters`, the default), of which there are never fewer than GitHub counts, or
   * UTF-8 `bytes`, which limit summaries.
   */
  readonly unit?: 'characters' | 'bytes';
  /** Shows each video on its own, however many there are. */
  readonly verbose?: boolean;
  readonly preview?: PlanPreview | null;
  readonly rest?: RestOfPlan;
}

/** How much of a plan is shown, from everything to the counts. */
export const STAGES = ['whole', 'shortened', 'some', 'table', 'counts'] as const;

type Stage = (typeof STAGES)[number];

const COMMENT = 60_000;
/** In bytes. GitHub limits the summary of a step to 1 MiB; the rest is left to other output of the step. */
export const SUMMARY = 900 * 1024;

const WHOLE: ValueRoom = { longest: 1500, context: Number.POSITIVE_INFINITY };
const SHORT: ValueRoom = { longest: 160, context: 24 };
const FEW_PROBLEMS: ProblemLimit = { count: 5, characters: 25_000 };
/** A summary is the complete report and lists more problems than a comment. */
const PROBLEMS: Readonly<Record<'comment' | 'summary', ProblemLimit>> = {
  comment: { count: 50, characters: 25_000 },
  summary: { count: 1000, characters: 300_000 },
};

/**
 * Formats a plan for a comment or summary on GitHub and GitLab: counts, estimate, problems, a table of changes, collapsed
 * differences, and stills. The visible part stays within a page or two. User text cannot become markup, a mention, a
 * reference or a link.
 *
 * A text over the budget is reduced in stages: first long values are shortened, then differences of the last videos are
 * dropped, then all differences and stills, then the last rows of the table, then the table. Each stage names the omissions and their location. The result never exceeds the budget.
 */
export function planMarkdown(document: PlanDocument, options: PlanMarkdownOptions = {}): string {
  return stagedMarkdown(document, options).text;
}

/** Also returns the stage of reduction that was needed. */
export function stagedMarkdown(
  document: PlanDocument,
  options: PlanMarkdownOptions = {},
): { readonly text: string; readonly stage: Stage } {
  const { budget = COMMENT, unit = 'characters' } = options;
  const groups = foldChanges(withoutRestores(document), options.verbose !== true).sort((a, b) => rankOf(a) - rankOf(b));
  const problems = problemsOf(document);
  const parts: Parts = {
    document,
    problems,
    groups,
    nameOf: namesOfEditables(document),
    preview: options.preview ?? null,
    rest: restWords(options.rest),
    measure: unit === 'bytes' ? (text) => Buffer.byteLength(text) : (text) => text.length,
    budget,
  };
  for (const stage of STAGES) {
    const text = MAKERS[stage](parts);
    if (text !== null && (stage === 'counts' || parts.measure(text) <= budget)) return { text, stage };
  }
  throw new Error('Internal error: the last stage always fits');
}

interface Parts {
  readonly document: PlanDocument;
  readonly problems: readonly JsonDiagnostic[];
  readonly groups: readonly ChangeGroup[];
  readonly nameOf: NameOfEditable;
  readonly preview: PlanPreview | null;
  /** Sentence with the location of the full plan. */
  readonly rest: string;
  readonly measure: (text: string) => number;
  readonly budget: number;
}

/** Each returns null as soon as the stage cannot fit the budget. */
const MAKERS: Readonly<Record<Stage, (parts: Parts) => string | null>> = {
  whole: (parts) => {
    const folded = parts.groups.filter(({ kind }) => kind !== 'single');
    const isOfDefinitions = folded.every(({ kind }) => kind === 'definition');
    const grouped = `Videos ${isOfDefinitions ? 'of the same definition' : 'with the same changes'} are grouped.`;
    const problems = PROBLEMS[parts.budget > COMMENT ? 'summary' : 'comment'];
    return withDetails(parts, WHOLE, problems, folded.length > 0 ? grouped : '');
  },
  shortened: (parts) => withDetails(parts, SHORT, FEW_PROBLEMS, 'Long values are shortened.'),
  some: (parts) => {
    const { groups, preview, rest, nameOf } = parts;
    const start = [...head(parts, FEW_PROBLEMS), table(parts, groups), ...listsMarkdown(parts.document)];
    const all = detailedGroups(groups);
    const stills = preview === null ? [] : markdownStills(preview, nameOf);
    const frame = preview === null ? [] : stillsOf(preview, [], rest, stills.length);
    // Splits the remaining room between stills and differences.
    const share = stills.length / Math.max(1, stills.length + all.length);
    const shown = takeWhileFits(stills, roomLeft(parts, [...start, ...frame]) * share, (block) => block, parts.measure);
    const end = preview === null ? [] : stillsOf(preview, shown, rest, stills.length - shown.length);
    const details = takeWhileFits(
      all,
      roomLeft(parts, [...start, ...end]),
      (group) => videoDetails(group, SHORT),
      parts.measure,
    );
    const missing = countVideos(all.slice(details.length));
    const words =
      missing === 0 ? 'long values are shortened' : `what changed about ${countNoun(missing, 'video')} is not shown`;
    const cut = `_Shortened: ${words}. ${rest}_`;
    return join([...start, foldDetails(all.slice(0, details.length), details), cut, ...end]);
  },
  table: (parts) => {
    const { groups, rest, document } = parts;
    const start = [...head(parts, FEW_PROBLEMS), ...listsMarkdown(parts.document)];
    const { columns, row } = tableOf(groups, document);
    const rows = takeWhileFits(groups, roomLeft(parts, [...start, columns, columns]), row, parts.measure);
    if (rows.length === 0) return null;
    const missing = countVideos(groups.slice(rows.length));
    const words =
      missing === 0 ? 'what changed is not shown' : `${countNoun(missing, 'video')} and what changed are not shown`;
    const cut = `_Shortened: ${words}. ${rest}_`;
    return join([...start, table(parts, groups.slice(0, rows.length)), cut]);
  },
  counts: ({ document, problems, rest }) => {
    const words = [estimateWords(document), countSeverities(problems.map(({ severity }) => severity))]
      .filter((words) => words !== '')
      .map(sentence);
    const incomplete = incompleteWords(document);
    const leftOut = leftOutWords(document);
    const conditions = leftOut === '' ? '' : sentence(leftOut);
    const texts = textWords(document);
    const waiting = waitingWords(document);
    const notes = [
      words.join(' '),
      restoreWords(document),
      waiting === '' ? '' : sentence(waiting),
      conditions,
      texts === '' ? '' : sentence(texts),
      incomplete === '' ? '' : `_${incomplete}_`,
    ];
    return join([title(document, problems), ...notes, `_Only counted, because the list is too long. ${rest}_`]);
  },
};

/** Formats the full table, differences and stills; null if they are too long. @param note placed after them */
function withDetails(parts: Parts, values: ValueRoom, problemRoom: ProblemLimit, note: string): string | null {
  const { groups, preview, rest, budget, nameOf } = parts;
  const start = [...head(parts, problemRoom), table(parts, groups), ...listsMarkdown(parts.document)];
  const all = detailedGroups(groups);
  const details = takeWhileFits(
    all,
    budget - parts.measure(join(start)),
    (group) => videoDetails(group, values),
    parts.measure,
  );
  if (details.length < all.length) return null;
  const stills = preview === null ? [] : stillsOf(preview, markdownStills(preview, nameOf), rest);
  return join([...start, foldDetails(all, details), note === '' ? '' : `_${note} ${rest}_`, ...stills]);
}

/** Room for notes on omissions and the markup of collapsed sections. */
const RESERVE = 600;

function roomLeft({ budget, measure, rest }: Parts, blocks: readonly string[]): number {
  return budget - measure(join(blocks)) - measure(rest) - RESERVE;
}

/** Shows counts of changes and errors. */
function title(document: PlanDocument, problems: readonly JsonDiagnostic[]): string {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const wrong = errors === 0 ? [] : [countNoun(errors, 'error')];
  const counts = countWords(document).map(({ words }) => words);
  const words = hasChanges(document) ? [counts.join(', '), ...wrong] : [...wrong, 'no changes'].slice(0, 1);
  return `### Reelform plan: ${words.join(' · ')}`;
}

function head(parts: Parts, problemRoom: ProblemLimit): string[] {
  const { document, problems } = parts;
  const isNothing = !hasChanges(document);
  const incomplete = incompleteWords(document);
  const estimate = isNothing ? emptyWords(document) : sentence(estimateWords(document));
  return [
    title(document, problems),
    estimate,
    incomplete === '' ? '' : `_${incomplete}_`,
    markdownProblems(problems, problemRoom),
  ];
}

/** @param some leading groups of the plan */
function table({ groups, document }: Parts, some: readonly ChangeGroup[]): string {
  const { columns, row } = tableOf(groups, document);
  const more = (rows: number): string => countNoun(countVideos(some.slice(-rows)), 'more video');
  return foldedTable(columns, some.map(row), more);
}

function tableOf(
  groups: readonly ChangeGroup[],
  document: PlanDocument,
): { columns: string; row: (group: ChangeGroup) => string } {
  const withDestinations = hasDestinations(groups);
  const columns = withDestinations ? VIDEO_COLUMNS.delivered : VIDEO_COLUMNS.plain;
  return { columns, row: (group) => videoRow(group, document, withDestinations) };
}

/** Maximum number of ids listed for each reason to restore or leave out videos. */
const MAX_LISTED = 20;
/** Maximum number of reasons listed for videos that are left out. */
const MAX_REASONS = 10;
const MAX_ID_LENGTH = 100;

/** Formats mere restores and videos that conditions leave out, collapsed, because they need no review. */
function listsMarkdown(document: PlanDocument): string[] {
  const leftOut = leftOutGroups(document);
  const hidden = Math.max(0, leftOut.length - MAX_REASONS);
  const more = hidden === 0 ? [] : [`- and for ${countNoun(hidden, 'other reason')}`];
  const shown = leftOut.slice(0, MAX_REASONS);
  return [
    groupsMarkdown(restoreWords(document), restoreGroups(document), []),
    groupsMarkdown(waitingWords(document), waitingGroups(document), []),
    groupsMarkdown(leftOutWords(document), shown, more),
    groupsMarkdown(textWords(document), textGroups(document).slice(0, MAX_REASONS), hiddenTexts(document)),
  ];
}

function hiddenTexts(document: PlanDocument): string[] {
  const hidden = textGroups(document).length - MAX_REASONS;
  return hidden <= 0 ? [] : [`- and ${countNoun(hidden, 'other definition')}`];
}

function groupsMarkdown(words: string, groups: readonly VideoGroup[], more: readonly string[]): string {
  const rows = groups.map(({ words: reason, ids }) => {
    const names = listSome(ids, MAX_LISTED, (id) => shortCode(id, MAX_ID_LENGTH));
    return `- ${escapeMarkdown(shortenText(reason, MAX_ID_LENGTH))}: ${names}`;
  });
  return rows.length === 0 ? '' : foldMarkdown(words, [[...rows, ...more].join('\n')]);
}

/** @param shown formatted stills @param missing number of omitted ones */
function stillsOf(preview: PlanPreview, shown: readonly string[], rest: string, missing = 0): string[] {
  const unseen = unseenStills(preview);
  const words = present([
    missing > 0 && `The stills of ${countNoun(missing, 'more video')} are not shown.`,
    unseen > 0 && `The stills of ${countNoun(unseen, 'video')} are only in the plan page.`,
  ]);
  const where = words.length === 0 ? '' : `_${[...words, rest].join(' ')}_`;
  return [...stillsMarkdown(preview, shown), where];
}

/** Uses the names in the plan's changes. */
function namesOfEditables({ changes }: PlanDocument): NameOfEditable {
  const byId = new Map(changes.map((change) => [change.id, change]));
  return (id, name) => inputNames(byId.get(id)?.inputs ?? []).get(inputName({ kind: 'editable', name })) ?? name;
}

/** Sorts by the order of the counts; actions of later versions come last. */
function rankOf({ changes: [{ action }] }: ChangeGroup): number {
  return ACTIONS.indexOf(action) >>> 0;
}

function countVideos(groups: readonly ChangeGroup[]): number {
  return groups.reduce((sum, { changes }) => sum + changes.length, 0);
}

function restWords({ summary, artifact }: RestOfPlan = {}): string {
  const places = present([
    isLinkable(summary) && `[the summary of the job](<${summary}>)`,
    isLinkable(artifact) && `[the plan page](<${artifact}>)`,
  ]);
  return places.length === 0
    ? 'Full plan: `reelform plan --verbose`, or `--format html`.'
    : `Full plan: ${places.join(', ')}.`;
}

function isLinkable(url: string | undefined): url is string {
  return url !== undefined && /^https?:\/\/[^\s<>|\\`]{1,300}$/.test(url);
}

function join(blocks: readonly string[]): string {
  return `${joinTexts(blocks)}\n`;
}

/** Replaces a comment that has become obsolete. */
export const OBSOLETE_COMMENT = 'Reelform: this pull request no longer changes any video.';

/** Links to the plan page. @param url must not contain characters that end a link */
export function pageMarkdown(url: string): string {
  return `[Plan page](<${url}>): before and after side by side, drafts, and all details.\n`;
}

/** Summarizes a plan for the list of checks: `2 to create, 1 to update`. */
export function planTitle(document: PlanDocument): string {
  const words = countWords(document)
    .filter(({ action }) => action !== 'noop')
    .map(({ words }) => words);
  return words.length === 0 ? 'No changes' : words.join(', ');
}
