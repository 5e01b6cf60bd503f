import { present } from '../../kernel/defined.ts';
import type { ApplyEvent, ApplyOutcome } from '../../reconciler/apply/events.ts';
import type { Published } from '../../reconciler/lock/publish-lock.ts';
import type { ChangeDocument, PlanDocument } from '../../reconciler/plan/plan-document.ts';
import { problemsOf } from '../json/diagnostics-json.ts';
import type { FailureGroup } from '../json/failure-groups.ts';
import { outcomeCounts, outcomeTitle } from '../terminal/apply-text.ts';
import { displayUrl, joinTexts, shortenText } from '../wording/display-text.ts';
import { reasonWords, SYMBOLS } from '../wording/plan-words.ts';
import { countNoun, formatCount, formatDuration } from '../wording/quantities.ts';
import { escapeMarkdown, linkedWords, markdownCode, markdownLink, shortCode, takeWhileFits } from './markdown-text.ts';
import { FAILURE_COLUMNS, failureRow, markdownProblems, type ProblemLimit } from './problem-tables.ts';

/** Events of videos that succeeded. */
export type DoneEvent = Extract<ApplyEvent, { kind: 'video-rendered' | 'video-recorded' }>;

/** Result of a run, for the summary of its CI job. */
export interface AppliedRun {
  readonly outcome: ApplyOutcome;
  /** Null if planning failed. */
  readonly document: PlanDocument | null;
  /** In order of occurrence. */
  readonly done: readonly DoneEvent[];
  readonly troubles: readonly FailureGroup[];
  readonly diagnostics: PlanDocument['diagnostics'];
  /** Last publication of the lockfile; null if none was requested or none succeeded. */
  readonly published: Published | null;
  /** URL prefix of the repository's files, with a trailing `/`; null if there is none. */
  readonly filesUrl: string | null;
}

const LONGEST = { name: 200, places: 5 };
const MAX_PROBLEMS: ProblemLimit = { count: 50, characters: 25_000 };
/** Bytes reserved for the notes on omitted rows. */
const RESERVE = 300;

/**
 * Formats a run for the summary of its job: how it ended, failures with their reasons, then every rendered or recorded video
 * with its location. User text cannot become markup, a mention, a reference or a link.
 *
 * @param budgetBytes maximum size in UTF-8, ≥ 2,000; rows beyond it are only counted
 */
export function applyMarkdown(run: AppliedRun, budgetBytes: number): string {
  const { outcome, document, done, troubles, filesUrl } = run;
  const changes = new Map(document?.changes.map((change) => [change.id, change]));
  const problems = markdownProblems(problemsOf(run), MAX_PROBLEMS);
  const words = joinTexts([endWords(run), lockWords(run.published), nextWords(outcome)], ' ');
  const head = [titleOf(run), words, problems].filter((block) => block !== '');
  let left = budgetBytes - RESERVE - Buffer.byteLength(head.join('\n\n'));
  const tableOf = <T>(columns: string, items: readonly T[], row: (item: T) => string): string => {
    if (items.length === 0) return '';
    left -= Buffer.byteLength(columns);
    const rows = takeWhileFits(items, left, row, Buffer.byteLength);
    left -= Buffer.byteLength(rows.join('\n'));
    const missing = items.length - rows.length;
    const more = missing === 0 ? '' : `_And ${formatCount(missing)} more, omitted for length._`;
    if (rows.length === 0) return more;
    return present([[columns, ...rows].join('\n'), more !== '' && more]).join('\n\n');
  };
  const blocks = [
    ...head,
    tableOf(FAILURE_COLUMNS, troubles, (trouble) => failureRow(trouble, filesUrl)),
    tableOf('| | Unfinished | |\n|:--|:--|:--|', unended(outcome), ([mark, id, words]) => {
      return `| ${mark} | ${shortCode(id)} | ${words} |`;
    }),
    tableOf('| | Video | Title | Location |\n|:--|:--|:--|:--|', done, (event) =>
      doneRow(event, changes.get(event.id)),
    ),
  ];
  return `${joinTexts(blocks)}\n`;
}

function titleOf({ outcome, document, diagnostics }: AppliedRun): string {
  const errors = problemsOf({ diagnostics }).filter(({ severity }) => severity === 'error').length;
  if (isNothing(outcome)) {
    if (errors > 0) return `### Reelform apply: ${countNoun(errors, 'error')}`;
    return document === null || document.changes.length > 0
      ? '### Reelform apply: nothing was changed'
      : '### Reelform apply: no changes';
  }
  return `### Reelform apply: ${outcomeCounts(outcome).join(', ')}`;
}

function endWords({ outcome }: AppliedRun): string {
  return isNothing(outcome) ? '' : `${outcomeTitle(outcome)} in ${formatDuration(outcome.elapsedMs)}.`;
}

/** The rendered videos are always counted, others if there are any. */
function isNothing(outcome: ApplyOutcome): boolean {
  return outcome.rendered === 0 && outcomeCounts(outcome).length === 1;
}

function lockWords(published: Published | null): string {
  switch (published?.kind) {
    case undefined:
      return '';
    case 'committed': {
      const sha = markdownCode(published.commit.slice(0, 12));
      if (published.pull !== null)
        return `The lockfile is in ${linkedWords('a pull request', published.pull)}: ${sha}.`;
      return `The lockfile is committed: ${linkedWords(sha, published.url)}.`;
    }
    case 'closed':
      return `Nothing is left to merge; ${linkedWords('the pull request', published.pull)} is closed.`;
    case 'unchanged':
      return published.pull === null
        ? 'The lockfile on its branch is already up to date.'
        : `The lockfile is in ${linkedWords('a pull request', published.pull)}.`;
  }
}

function nextWords({ failed, undelivered, unknown, inProgress, skipped }: ApplyOutcome): string {
  const isLeft = failed.length + undelivered.length + inProgress.length + skipped.length > 0;
  const words = present([
    isLeft && 'The next `reelform apply` continues with the remaining videos; rendered videos are recorded.',
    unknown.length > 0 && 'Unresolved renders wait for `reelform resolve`, because they could be paid for twice.',
  ]);
  return words.join(' ');
}

function unended({ inProgress, skipped, endedBy }: ApplyOutcome): (readonly [string, string, string])[] {
  const why = endedBy === null ? '' : ` (${endedBy})`;
  return [
    ...inProgress.map(({ id, session }) => ['…&nbsp;left&nbsp;at&nbsp;work', id, shortCode(session)] as const),
    ...skipped.map((id) => ['not&nbsp;begun', id, why.trim()] as const),
  ];
}

function doneRow(event: DoneEvent, change: ChangeDocument | undefined): string {
  const title = change === undefined ? '' : name(change.title);
  if (event.kind === 'video-rendered') {
    const places = [videoLink(event.videoUrl), ...deliveryWords(event.deliveries)].join('<br>');
    const what = event.byOtherRun ? 'rendered by another run' : '🎬&nbsp;rendered';
    return `| ${what} | ${shortCode(event.id)} | ${title} | ${places} |`;
  }
  const { action, videoUrl } = event;
  const mark = `${markdownCode(SYMBOLS[action])}&nbsp;${action}`;
  const why = change === undefined ? '' : escapeMarkdown(shortenText(reasonWords(change), 500));
  const places = present([videoUrl !== null && videoLink(videoUrl), ...deliveryWords(event.deliveries), why]);
  return `| ${mark} | ${shortCode(event.id)} | ${title} | ${joinTexts(places, '<br>')} |`;
}

function deliveryWords(deliveries: DoneEvent['deliveries'] = []): string[] {
  return deliveries.slice(0, LONGEST.places).map(({ to, url }) => {
    const place = shortCode(displayUrl(to));
    return `delivered to ${linkedWords(place, url)}`;
  });
}

/** Names a local file, and links to anything else. */
function videoLink(url: string): string {
  return markdownLink('video', url) ?? shortCode(displayUrl(url));
}

function name(text: string): string {
  return escapeMarkdown(shortenText(text.replaceAll(/\s+/g, ' '), LONGEST.name));
}
