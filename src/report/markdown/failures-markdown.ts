import type { ApplyOutcome } from '../../apply/events.ts';
import { countNoun } from '../wording/quantities.ts';
import type { Trouble } from '../wording/run-outcome.ts';
import { markdownCode, markdownLink } from './escape-markdown.ts';
import { thatFit } from './markdown-blocks.ts';
import { markdownProblems, type Problem, type ProblemRoom, TROUBLE_COLUMNS, troubleRow } from './problem-tables.ts';

/** Of 65,536 that a comment may have. */
const MOST_CHARACTERS = 50_000;
const MOST_PROBLEMS: ProblemRoom = { count: 20, characters: 25_000 };

/** Title of the one issue about what the last apply could not do. */
export const FAILURES_TITLE = 'Reelform: failed renders';

/** What an apply could not do. */
export interface FailedRun {
  readonly outcome: ApplyOutcome;
  readonly troubles: readonly Trouble[];
  /** What kept it from all else, or its lockfile from its branch. */
  readonly problems: readonly Problem[];
}

/** Where it was. */
export interface FailedAt {
  /** That was applied. */
  readonly commit: string;
  /** The page of the commit, and of the run; null where there is none. */
  readonly commitUrl: string | null;
  readonly runUrl: string | null;
  /** Where the files of the repository can be looked at, ended by `/`; null: nowhere. */
  readonly filesUrl: string | null;
}

/**
 * What an apply could not do, why, where that stands and what to do about it, for a comment or an issue.
 *
 * @returns null when all went well
 */
export function failuresMarkdown(run: FailedRun, at: FailedAt): string | null {
  const { troubles, problems } = run;
  const count = troubles.reduce((sum, { ids }) => sum + ids.length, 0);
  if (count + problems.length === 0) return null;
  const head = [headOf(run, count, at), markdownProblems(problems, MOST_PROBLEMS)];
  const next = nextOf(run);
  const room = MOST_CHARACTERS - [...head, next].join('').length;
  const rows = thatFit(troubles, room, (trouble) => troubleRow(trouble, at.filesUrl));
  const shown = troubles.slice(0, rows.length).reduce((sum, { ids }) => sum + ids.length, 0);
  const more = count - shown;
  const table = rows.length === 0 ? '' : [TROUBLE_COLUMNS, ...rows].join('\n');
  const rest = more > 0 ? `And ${countNoun(more, 'video')} more: see ${pageOf('the run', at.runUrl)}.` : '';
  return [...head, table, rest, next].filter((block) => block !== '').join('\n\n');
}

/** Where the comment, which stays as it is, sends those who come later. */
export function leftMarkdown(issueUrl: string): string {
  return `What is left of it by now: ${pageOf('the issue', issueUrl)}.`;
}

/** What the issue says once all is well. */
export function mendedMarkdown({ commit, commitUrl }: Pick<FailedAt, 'commit' | 'commitUrl'>): string {
  return `All videos are as their definitions want them, as of ${shaOf(commit, commitUrl)}.`;
}

function headOf({ outcome }: FailedRun, count: number, { commit, commitUrl, runUrl }: FailedAt): string {
  const what = count === 0 ? 'could not apply' : `could not finish ${countNoun(count, 'video')} of`;
  const run = runUrl === null ? '' : ` (${pageOf('run', runUrl)})`;
  const others = outcome.rendered + outcome.recorded;
  const well =
    others === 0 ? '' : ` ${countNoun(others, 'other')} went well and ${others === 1 ? 'is' : 'are'} recorded.`;
  return `**Reelform ${what}** ${shaOf(commit, commitUrl)}${run}.${well}`;
}

function nextOf({ troubles, problems }: FailedRun): string {
  const isUnknown = troubles.some(({ what }) => what === 'unknown');
  const lines = [
    ...(troubles.length + problems.length > 0
      ? ['Mend what is named here and merge it; where nothing is to be mended, run the workflow again.']
      : []),
    ...(troubles.length > 0
      ? ['Either way only these are taken up: nothing that was rendered is rendered again.']
      : []),
    ...(isUnknown
      ? [
          'What is not known is not asked for again before `reelform resolve` is told what became of it: it could be paid for twice.',
        ]
      : []),
  ];
  return lines.join(' ');
}

function shaOf(commit: string, url: string | null): string {
  return pageOf(markdownCode(commit.slice(0, 12)), url);
}

function pageOf(words: string, url: string | null): string {
  return (url === null ? null : markdownLink(words, url)) ?? words;
}
