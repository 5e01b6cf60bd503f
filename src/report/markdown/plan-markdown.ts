import { ACTIONS } from '../../plan/plan.ts';
import type { PlanDocument } from '../../plan/plan-document.ts';
import type { PlanPreview } from '../../preview/plan-preview.ts';
import { shortenText } from '../wording/display-text.ts';
import { type ChangeGroup, foldChanges } from '../wording/fold-changes.ts';
import { inputNames } from '../wording/plan-rows.ts';
import {
  countWords,
  emptyWords,
  estimateWords,
  hasChanges,
  incompleteWords,
  restoreGroups,
  restoreWords,
  withoutRestores,
} from '../wording/plan-words.ts';
import { countNoun, formatCount } from '../wording/quantities.ts';
import {
  foldDetails,
  hasDetails,
  hasPlaces,
  type ValueRoom,
  VIDEO_COLUMNS,
  videoDetails,
  videoRow,
} from './change-table.ts';
import { escapeMarkdown, markdownCode } from './escape-markdown.ts';
import { foldedTable, foldMarkdown, thatFit } from './markdown-blocks.ts';
import { markdownStills, type NameOfEditable, stillsMarkdown, unseenStills } from './preview-markdown.ts';
import { markdownProblems, type Problem, type ProblemRoom, problemsOf, problemWords } from './problem-tables.ts';

/** Where what a comment leaves out can be read. */
export interface RestOfPlan {
  /** The page of the job, whose summary has all. */
  readonly summary?: string;
  /** The file with the page of the plan. */
  readonly artifact?: string;
}

export interface PlanMarkdownOptions {
  /** What the result may come to, ≥ 2,000. GitHub refuses a comment of more than 65,536 characters; 60,000 when absent. */
  readonly budget?: number;
  /**
   * How it is counted. `characters` are UTF-16 code units, of which there are never fewer than the characters that GitHub
   * counts; `bytes` are those of UTF-8, which its limit for summaries is in. `characters` when absent.
   */
  readonly unit?: 'characters' | 'bytes';
  /** Shows each video by itself, however many there are. */
  readonly verbose?: boolean;
  readonly preview?: PlanPreview | null;
  readonly rest?: RestOfPlan;
}

/** How much is left of a plan, from all of it to the least. */
export const STAGES = ['whole', 'shortened', 'some', 'table', 'counts'] as const;

export type Stage = (typeof STAGES)[number];

const COMMENT = 60_000;
/** Of what GitHub takes as the summary of a step, in bytes: 1 MiB, less what else may be written there. */
export const SUMMARY = 900 * 1024;

const WHOLE: ValueRoom = { longest: 1500, context: Number.POSITIVE_INFINITY };
const SHORT: ValueRoom = { longest: 160, context: 24 };
const FEW_PROBLEMS: ProblemRoom = { count: 5, characters: 25_000 };
/** In a comment there are other things to say; a summary is where it all is. */
const PROBLEMS: Readonly<Record<'comment' | 'summary', ProblemRoom>> = {
  comment: { count: 50, characters: 25_000 },
  summary: { count: 1000, characters: 300_000 },
};

/**
 * A plan as GitHub and GitLab show it in a comment or a summary: the counts, the estimate and the problems, a table of what
 * is to happen, what changed about each video to fold out, and stills. However much it is, what is not folded is a page or two. Nothing of the user's text becomes markup, a
 * mention, a reference or a link.
 *
 * What is longer than its budget is given in stages: first words that stayed and the ends of long values go, then what
 * changed about the last videos, then all of that and the stills, then the last videos of the table, and at last the table.
 * Each stage says what is missing and where it is. The result never exceeds the budget.
 *
 * @returns lines, the last one ended as well
 */
export function planMarkdown(document: PlanDocument, options: PlanMarkdownOptions = {}): string {
  return stagedMarkdown(document, options).text;
}

/** The same, with the stage that it came to. */
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
  readonly problems: readonly Problem[];
  readonly groups: readonly ChangeGroup[];
  readonly nameOf: NameOfEditable;
  readonly preview: PlanPreview | null;
  /** Where the rest is, as a sentence. */
  readonly rest: string;
  readonly measure: (text: string) => number;
  readonly budget: number;
}

/** Null where it cannot be in the budget: most of it need not be made to know that. */
const MAKERS: Readonly<Record<Stage, (parts: Parts) => string | null>> = {
  whole: (parts) => {
    const isFolded = parts.groups.some(({ kind }) => kind !== 'one');
    const problems = PROBLEMS[parts.budget > COMMENT ? 'summary' : 'comment'];
    return withDetails(parts, WHOLE, problems, isFolded ? 'Videos that change alike stand together.' : '');
  },
  shortened: (parts) => withDetails(parts, SHORT, FEW_PROBLEMS, 'Too long for this place: long values are shortened.'),
  some: (parts) => {
    const { groups, preview, rest, nameOf } = parts;
    const start = [...head(parts, FEW_PROBLEMS), table(parts, groups), restoresMarkdown(parts.document)];
    const all = groups.filter(hasDetails);
    const stills = preview === null ? [] : markdownStills(preview, nameOf);
    const frame = preview === null ? [] : stillsOf(preview, [], rest, stills.length);
    // Each gets its share of what is left.
    const share = stills.length / Math.max(1, stills.length + all.length);
    const shown = thatFit(stills, roomLeft(parts, [...start, ...frame]) * share, (block) => block, parts.measure);
    const end = preview === null ? [] : stillsOf(preview, shown, rest, stills.length - shown.length);
    const details = thatFit(
      all,
      roomLeft(parts, [...start, ...end]),
      (group) => videoDetails(group, SHORT),
      parts.measure,
    );
    const missing = countVideos(all.slice(details.length));
    const words =
      missing === 0 ? 'long values are shortened' : `what changed about ${countNoun(missing, 'video')} is not shown`;
    const cut = `_Too long for this place: ${words}. ${rest}_`;
    return join([...start, foldDetails(all.slice(0, details.length), details), cut, ...end]);
  },
  table: (parts) => {
    const { groups, rest } = parts;
    const start = [...head(parts, FEW_PROBLEMS), restoresMarkdown(parts.document)];
    const { columns, row } = tableOf(groups);
    const rows = thatFit(groups, roomLeft(parts, [...start, columns, columns]), row, parts.measure);
    if (rows.length === 0) return null;
    const missing = countVideos(groups.slice(rows.length));
    const words =
      missing === 0 ? 'what changed is not shown' : `${countNoun(missing, 'video')} and what changed are not shown`;
    const cut = `_Too long for this place: ${words}. ${rest}_`;
    return join([...start, table(parts, groups.slice(0, rows.length)), cut]);
  },
  counts: ({ document, problems, rest }) => {
    const words = [estimateWords(document), problemWords(problems)].filter((one) => one !== '').map(sentence);
    const incomplete = incompleteWords(document);
    const notes = [words.join(' '), restoreWords(document), incomplete === '' ? '' : `_${incomplete}_`];
    return join([title(document, problems), ...notes, `_Too long for this place: only counted. ${rest}_`]);
  },
};

/** All of the table, of what changed and of the stills; null where that is too long. @param note stands behind them */
function withDetails(parts: Parts, values: ValueRoom, problemRoom: ProblemRoom, note: string): string | null {
  const { groups, preview, rest, budget, nameOf } = parts;
  const start = [...head(parts, problemRoom), table(parts, groups), restoresMarkdown(parts.document)];
  const all = groups.filter(hasDetails);
  const details = thatFit(
    all,
    budget - parts.measure(join(start)),
    (group) => videoDetails(group, values),
    parts.measure,
  );
  if (details.length < all.length) return null;
  const stills = preview === null ? [] : stillsOf(preview, markdownStills(preview, nameOf), rest);
  return join([...start, foldDetails(all, details), note === '' ? '' : `_${note} ${rest}_`, ...stills]);
}

/** Room for the words that say what was left out, and for what folds are made of. */
const RESERVE = 600;

function roomLeft({ budget, measure, rest }: Parts, blocks: readonly string[]): number {
  return budget - measure(join(blocks)) - measure(rest) - RESERVE;
}

/** The counts; with mistakes these as well, for they are what is to be done about it. */
function title(document: PlanDocument, problems: readonly Problem[]): string {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const wrong = errors === 0 ? [] : [countNoun(errors, 'error')];
  const counts = countWords(document).map(({ words }) => words);
  const words = hasChanges(document) ? [counts.join(', '), ...wrong] : [...wrong, 'no changes'].slice(0, 1);
  return `### Reelform plan: ${words.join(' · ')}`;
}

function head(parts: Parts, problemRoom: ProblemRoom): string[] {
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

/** @param some the first of the groups of the plan: of a long table the first rows are there at once */
function table({ groups }: Parts, some: readonly ChangeGroup[]): string {
  const { columns, row } = tableOf(groups);
  const more = (rows: number): string => countNoun(countVideos(some.slice(-rows)), 'more video');
  return foldedTable(columns, some.map(row), more);
}

function tableOf(groups: readonly ChangeGroup[]): { columns: string; row: (group: ChangeGroup) => string } {
  const withPlaces = hasPlaces(groups);
  const columns = withPlaces ? VIDEO_COLUMNS.delivered : VIDEO_COLUMNS.plain;
  return { columns, row: (group) => videoRow(group, withPlaces) };
}

/** So many videos that are only restored are named for each reason. */
const MOST_RESTORES = 20;
const LONGEST_ID = 100;

/** What a plan only restores, folded: there is nothing to review about it. */
function restoresMarkdown(document: PlanDocument): string {
  const rows = restoreGroups(document).map(({ words, ids }) => {
    const names = ids.slice(0, MOST_RESTORES).map((id) => markdownCode(shortenText(id, LONGEST_ID)));
    const more = ids.length - names.length;
    return `- ${escapeMarkdown(words)}: ${names.join(', ')}${more > 0 ? ` and ${formatCount(more)} more` : ''}`;
  });
  return rows.length === 0 ? '' : foldMarkdown(restoreWords(document), [rows.join('\n')]);
}

/** @param shown of the stills' blocks @param missing how many of them are not shown */
function stillsOf(preview: PlanPreview, shown: readonly string[], rest: string, missing = 0): string[] {
  const unseen = unseenStills(preview);
  const words = [
    ...(missing > 0 ? [`The stills of ${countNoun(missing, 'more video')} are not shown.`] : []),
    ...(unseen > 0 ? [`The stills of ${countNoun(unseen, 'video')} can be seen in the page of the plan alone.`] : []),
  ];
  const where = words.length === 0 ? '' : `_${[...words, rest].join(' ')}_`;
  return [...stillsMarkdown(preview, shown), where];
}

/** By the names that the plan has for what changed. */
function namesOfEditables({ changes }: PlanDocument): NameOfEditable {
  const byId = new Map(changes.map((change) => [change.id, change]));
  return (id, key) => inputNames(byId.get(id)?.inputs ?? []).get(key) ?? key;
}

/** In the order of the counts. An action of a later version comes last. */
function rankOf({ changes: [{ action }] }: ChangeGroup): number {
  return ACTIONS.indexOf(action) >>> 0;
}

function countVideos(groups: readonly ChangeGroup[]): number {
  return groups.reduce((sum, { changes }) => sum + changes.length, 0);
}

function restWords({ summary, artifact }: RestOfPlan = {}): string {
  const places = [
    ...(isLinkable(summary) ? [`[the summary of the job](<${summary}>)`] : []),
    ...(isLinkable(artifact) ? [`[the page of the plan](<${artifact}>)`] : []),
  ];
  return places.length === 0
    ? 'All of it: `reelform plan --verbose`, or `--format html`.'
    : `All of it: ${places.join(', ')}.`;
}

function isLinkable(url: string | undefined): url is string {
  return url !== undefined && /^https?:\/\/[^\s<>|\\`]{1,300}$/.test(url);
}

function join(blocks: readonly string[]): string {
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
