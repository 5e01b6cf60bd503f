import { present } from '../../kernel/defined.ts';
import type { ApplyOutcome } from '../../reconciler/apply/events.ts';
import type { JsonDiagnostic } from '../json/diagnostics-json.ts';
import type { FailureGroup } from '../json/failure-groups.ts';
import { displayUrl, joinTexts } from '../wording/display-text.ts';
import { DRIFT_WORDS, type DriftReport, hasDrift, specDriftWords } from '../wording/drift-words.ts';
import { countNoun, formatCount } from '../wording/quantities.ts';
import {
  escapeMarkdown,
  foldedTable,
  linkedWords,
  markdownCode,
  markdownLink,
  shortCode,
  takeWhileFits,
} from './markdown-text.ts';
import { FAILURE_COLUMNS, failureRow, markdownProblems, type ProblemLimit } from './problem-tables.ts';

/** GitHub allows 65,536 characters in a comment. */
const MAX_CHARACTERS = 50_000;
const MAX_PROBLEMS: ProblemLimit = { count: 20, characters: 25_000 };

/** Title of the issue about failed renders. */
export const FAILURES_TITLE = 'Reelform: failed renders';

/** The failures of an apply. */
export interface FailedRun {
  readonly outcome: ApplyOutcome;
  readonly troubles: readonly FailureGroup[];
  /** Errors that stopped the run or kept the lockfile from its branch. */
  readonly problems: readonly JsonDiagnostic[];
}

/** Location of the run. */
interface FailedAt {
  /** Digest of the applied commit. */
  readonly commit: string;
  /** Pages of the commit and the run; null if there are none. */
  readonly commitUrl: string | null;
  readonly runUrl: string | null;
  /** URL prefix of the repository's files, with a trailing `/`; null if there is none. */
  readonly filesUrl: string | null;
}

/**
 * Formats the failures of an apply with reasons, locations and next steps, for a comment or an issue.
 *
 * @returns null if nothing failed
 */
export function failuresMarkdown(run: FailedRun, at: FailedAt): string | null {
  const { troubles, problems } = run;
  const count = troubles.reduce((sum, { ids }) => sum + ids.length, 0);
  if (count + problems.length === 0) return null;
  const head = [headOf(run, count, at), markdownProblems(problems, MAX_PROBLEMS)];
  const next = nextOf(run);
  const room = MAX_CHARACTERS - [...head, next].join('').length;
  const rows = takeWhileFits(troubles, room, (trouble) => failureRow(trouble, at.filesUrl));
  const shown = troubles.slice(0, rows.length).reduce((sum, { ids }) => sum + ids.length, 0);
  const more = count - shown;
  const table = rows.length === 0 ? '' : [FAILURE_COLUMNS, ...rows].join('\n');
  const rest = more > 0 ? `And ${countNoun(more, 'video')} more: see ${linkedWords('the run', at.runUrl)}.` : '';
  return joinTexts([...head, table, rest, next]);
}

/** Points readers of the comment, which does not change, to the issue. */
export function issueLinkMarkdown(issueUrl: string): string {
  return `Current state: ${linkedWords('the issue', issueUrl)}.`;
}

/** Closes the issue once nothing fails. */
export function resolvedMarkdown({ commit, commitUrl }: Pick<FailedAt, 'commit' | 'commitUrl'>): string {
  return `All videos are up to date as of ${shaOf(commit, commitUrl)}.`;
}

function headOf({ outcome }: FailedRun, count: number, { commit, commitUrl, runUrl }: FailedAt): string {
  const what = count === 0 ? 'could not apply' : `could not finish ${countNoun(count, 'video')} of`;
  const run = runUrl === null ? '' : ` (${linkedWords('run', runUrl)})`;
  const succeeded = outcome.rendered + (outcome.renderedByOtherRuns ?? 0) + outcome.recorded;
  const well =
    succeeded === 0
      ? ''
      : ` ${countNoun(succeeded, 'other')} succeeded and ${succeeded === 1 ? 'is' : 'are'} recorded.`;
  return `**Reelform ${what}** ${shaOf(commit, commitUrl)}${run}.${well}`;
}

function nextOf({ troubles, problems }: FailedRun): string {
  const isUnknown = troubles.some(({ what }) => what === 'unknown');
  const lines = present([
    troubles.length + problems.length > 0 &&
      'Fix the problems above and merge the fix. If there is nothing to fix, run the workflow again.',
    troubles.length > 0 && 'Only these videos are rendered then; rendered videos are not rendered again.',
    isUnknown &&
      'Unresolved renders are not requested again before `reelform resolve`, because they could be paid for twice.',
  ]);
  return lines.join(' ');
}

function shaOf(commit: string, url: string | null): string {
  return linkedWords(markdownCode(commit.slice(0, 12)), url);
}

/** Title of the issue about drift. */
export const DRIFT_TITLE = 'Reelform: drift';

/** Limits that keep the issue below GitHub's 65,536 characters. */
const NAMED = 200;
const MAX_DRIFT_CHARACTERS = 45_000;
const MAX_SPEC_CHARACTERS = 12_000;

/** Formats drift for an issue; null if there is none. */
export function driftMarkdown(report: DriftReport, runUrl: string | null): string | null {
  if (!hasDrift(report)) return null;
  const { checked, findings, specs } = report;
  const run = runUrl === null ? null : markdownLink('run', runUrl);
  const where = run === null ? '' : ` (${run})`;
  const rows = takeWhileFits(findings.slice(0, NAMED), MAX_DRIFT_CHARACTERS, ({ id, what, url }) => {
    return `| ${shortCode(id)} | ${DRIFT_WORDS[what]} | ${shortCode(displayUrl(url))} |`;
  });
  const changed = specs.filter(({ kind }) => kind !== 'unclear');
  const specRows = takeWhileFits(changed.slice(0, NAMED), MAX_SPEC_CHARACTERS, (spec) => {
    return `| ${shortCode(spec.template)} | ${escapeMarkdown(specDriftWords(spec))} |`;
  });
  const [left, leftSpecs] = [findings.length - rows.length, changed.length - specRows.length];
  const isExpired = findings.some(({ what }) => what === 'link_expired');
  const videos = present([
    `**${formatCount(findings.length)} of ${countNoun(checked, 'checked video')} ${findings.length === 1 ? 'is' : 'are'} missing or changed**${where}.`,
    `\`reelform apply --refresh\` renders lost videos again${isExpired ? ' and records the new URLs of expired links' : ''}.`,
    foldedTable('| Video | What | Where |\n|:--|:--|:--|', rows, (missing) => countNoun(missing, 'more video')),
    left > 0 && `And ${countNoun(left, 'video')} more.`,
  ]);
  const templates = present([
    `**The service has changed ${countNoun(changed.length, 'specification')}**${findings.length > 0 ? '' : where}.`,
    '`reelform pull` fetches the changed specifications.',
    foldedTable('| Template | What changed |\n|:--|:--|', specRows, (missing) => countNoun(missing, 'more template')),
    leftSpecs > 0 && `And ${countNoun(leftSpecs, 'template')} more.`,
  ]);
  return [...(findings.length > 0 ? videos : []), ...(changed.length > 0 ? templates : [])].join('\n\n');
}
