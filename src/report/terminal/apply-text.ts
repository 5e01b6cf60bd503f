import { createColors } from 'picocolors';
import { present } from '../../kernel/defined.ts';
import type { ApplyOutcome } from '../../reconciler/apply/events.ts';
import type { UnversionedSource } from '../../reconciler/apply/source-versions.ts';
import type { PlanDocument } from '../../reconciler/plan/plan-document.ts';
import type { ShardReport } from '../json/event-json.ts';
import { groupByFailure } from '../json/failure-groups.ts';
import { displayUrl, escapeControls, listNames } from '../wording/display-text.ts';
import { countWords, estimateWords } from '../wording/plan-words.ts';
import { countNoun, formatCount, formatDuration, formatTime } from '../wording/quantities.ts';
import { unknownWords } from '../wording/unknown-words.ts';
import { failureLines } from './error-text.ts';

type Colors = ReturnType<typeof createColors>;

const PLAIN: Colors = createColors(false);

/** Maximum number of failure groups, and of unknown videos, shown in full. */
const MAX_BLOCKS = 8;

/** Formats the end of a run: counts, failures grouped by reason, and next steps. */
export function outcomeText(outcome: ApplyOutcome, options: { readonly color: boolean }): string {
  const colors = createColors(options.color);
  const blocks = [
    ...failedBlocks(outcome.failed, '', colors),
    ...failedBlocks(outcome.undelivered, 'not delivered: ', colors),
    ...unknownBlocks(outcome, colors),
    ...leftBlocks(outcome, colors),
    ...nextBlocks(outcome),
    ...restoredBlocks(outcome),
  ];
  return `${[headline(outcome, colors), ...blocks].join('\n\n')}\n`;
}

/** Maximum number of sources that a warning names. */
const NAMED_SOURCES = 3;

/** Warns of sources whose version was not recorded; null without any. */
export function unversionedText(
  sources: readonly UnversionedSource[],
): { readonly message: string; readonly hint: string } | null {
  if (sources.length === 0) return null;
  const named = sources.slice(0, NAMED_SOURCES).map(({ url, why }) => `${displayUrl(url)}: ${why}`);
  const more = sources.length - named.length;
  const list = more > 0 ? [...named, `and ${formatCount(more)} more`] : named;
  return {
    message: `The version of ${countNoun(sources.length, 'source')} could not be recorded: ${list.join('; ')}`,
    hint: 'drift and --refresh do not notice a change of them. Add hosts that are not public to REELFORM_ALLOW_SOURCES',
  };
}

/** Formats a video of `apply --shard`, whose share is in the cache. */
export function shardProgressText(id: string, share: { readonly segments: number; readonly files: number }): string {
  const counts = present([
    (share.segments > 0 || share.files === 0) && countNoun(share.segments, 'segment'),
    share.files > 0 && countNoun(share.files, 'whole file'),
  ]);
  return `${escapeControls(id)}: ${counts.join(', ')}\n`;
}

/** Formats the end of `apply --shard`: counts, and failures grouped by reason. */
export function shardText(report: ShardReport, options: { readonly color: boolean }): string {
  const colors = createColors(options.color);
  const { index, count, segments, files, failed, elapsedMs } = report;
  const state = failed.length > 0 ? colors.red('Incomplete') : colors.green('Done');
  const counts = present([
    (segments.total > 0 || files.total === 0) &&
      `${formatCount(segments.share)} of ${countNoun(segments.total, 'segment')}`,
    files.total > 0 && `${formatCount(files.share)} of ${countNoun(files.total, 'whole file')}`,
  ]).join(' and ');
  const rendered = segments.rendered + files.rendered;
  const reused = segments.reused + files.reused;
  const found = reused === 0 ? '' : `, ${formatCount(reused)} already in the cache`;
  return `${[
    `${colors.bold(`Shard ${index}/${count}: ${state}`)}: ${counts}: ${formatCount(rendered)} rendered${found} in ${formatDuration(elapsedMs)}.`,
    ...failedBlocks(failed, '', colors),
    'Nothing was recorded. Run `reelform apply` with the segments of all shards.',
  ].join('\n\n')}\n`;
}

function headline(outcome: ApplyOutcome, colors: Colors): string {
  const counts = outcomeCounts(outcome, colors).join(', ');
  return `${colors.bold(outcomeTitle(outcome, colors))}: ${counts} in ${formatDuration(outcome.elapsedMs)}.`;
}

/** Counts videos by result: `3 rendered`, `1 failed`. */
export function outcomeCounts(outcome: ApplyOutcome, { red, yellow } = PLAIN): string[] {
  const { rendered, renderedByOtherRuns: found = 0, restored, recorded, delivered } = outcome;
  const { failed, undelivered, unknown, inProgress, skipped } = outcome;
  return present([
    `${formatCount(rendered)} rendered`,
    found > 0 && `${formatCount(found)} rendered by another run`,
    restored !== undefined && `${formatCount(restored.videos)} of them restored`,
    delivered > 0 && `${formatCount(delivered)} delivered`,
    recorded > 0 && `${formatCount(recorded)} recorded`,
    failed.length > 0 && red(`${formatCount(failed.length)} failed`),
    undelivered.length > 0 && red(`${formatCount(undelivered.length)} not delivered`),
    unknown.length > 0 && yellow(`${formatCount(unknown.length)} unknown`),
    inProgress.length > 0 && yellow(`${formatCount(inProgress.length)} still running`),
    skipped.length > 0 && yellow(`${formatCount(skipped.length)} not started`),
  ]);
}

export function outcomeTitle(outcome: ApplyOutcome, { green, red, yellow } = PLAIN): string {
  if (outcome.endedBy === 'interrupted') return yellow('Interrupted');
  if (outcome.endedBy === 'deadline') return yellow('Out of time');
  if (outcome.endedBy === 'failure') return red('Stopped after a failure');
  const { failed, undelivered, unknown } = outcome;
  if (failed.length + undelivered.length + unknown.length > 0) return red('Incomplete');
  return outcome.inProgress.length > 0 || outcome.skipped.length > 0 ? yellow('In progress') : green('Done');
}

function failedBlocks(failed: ApplyOutcome['failed'], what: string, colors: Colors): string[] {
  const groups = groupByFailure(failed);
  const shown = groups.slice(0, MAX_BLOCKS).map(({ ids, failures }) => {
    const count = ids.length === 1 ? '' : `${countNoun(ids.length, 'video')}: `;
    const lines = failures.flatMap((failure) => failureLines(failure, colors)).map((line) => `    ${line}`);
    return [`  ${colors.red('✗')} ${what}${count}${listNames(ids)}`, ...lines].join('\n');
  });
  const hidden = groups.slice(MAX_BLOCKS).flatMap(({ ids }) => ids);
  return hidden.length === 0 ? shown : [...shown, `  ${colors.red('✗')} and ${countNoun(hidden.length, 'video')} more`];
}

function unknownBlocks({ unknown }: ApplyOutcome, { yellow, dim }: Colors): string[] {
  if (unknown.length === 0) return [];
  const shown = unknown.slice(0, MAX_BLOCKS);
  const more = unknown.length - shown.length;
  const example = escapeControls(shown[0]!.id);
  return [
    present([
      ...shown.map((video) => `  ${yellow('?')} ${escapeControls(video.id)}: ${whyUnknown(video)}`),
      more > 0 && `  ${yellow('?')} and ${countNoun(more, 'video')} more`,
      '    It is not requested again before you resolve it. `reelform resolve` shows what to look for',
      '    on the service; then run one of:',
      `      reelform resolve ${example} --session ID   ${dim('the service has the session')}`,
      `      reelform resolve ${example} --retry        ${dim('request again, even if it may be paid for twice')}`,
      `      reelform resolve ${example} --abandon      ${dim('forget the attempt')}`,
    ]).join('\n'),
  ];
}

function whyUnknown({ askedAt, session, code }: ApplyOutcome['unknown'][number]): string {
  const at = formatTime(escapeControls(askedAt));
  return `requested at ${at}, but ${unknownWords(code, session === null ? null : escapeControls(session))}`;
}

function leftBlocks({ inProgress }: ApplyOutcome, { yellow }: Colors): string[] {
  if (inProgress.length === 0) return [];
  const sessions = inProgress.map(({ id, session }) => `${id} (${session})`);
  const them = inProgress.length === 1 ? 'it' : 'them';
  return [`  ${yellow('…')} still running: ${listNames(sessions)}\n    \`reelform apply\` resumes ${them}.`];
}

/** Suggests the next command. Another apply does not fix a failure that is not retryable. */
function nextBlocks(outcome: ApplyOutcome): string[] {
  const { failed, undelivered, skipped, unknown, inProgress } = outcome;
  const mine = undelivered.length === 0 ? [] : ['`reelform apply` retries the deliveries without rendering again.'];
  if (failed.length + skipped.length + unknown.length + inProgress.length === 0) return mine;
  const recorded =
    outcome.rendered + (outcome.renderedByOtherRuns ?? 0) === 0 ? null : 'Rendered videos are in the lockfile';
  const lasting = failed.filter(({ failures }) => failures.some(({ retryable }) => !retryable)).length;
  const toRetry = failed.length + skipped.length - lasting;
  if (lasting > 0) {
    const rest = toRetry > 0 ? ', which continues with the rest' : '';
    return [
      ...mine,
      `${recorded === null ? '' : `${recorded}. `}Correct the failures, then run \`reelform apply\`${rest}.`,
    ];
  }
  if (recorded === null) return present([...mine, toRetry > 0 && '`reelform apply` tries again.']);
  return [...mine, `${recorded}${toRetry > 0 ? '; `reelform apply` continues with the rest' : ''}.`];
}

/** Not a failure, because the frames are identical. */
function restoredBlocks({ restored }: ApplyOutcome): string[] {
  if (restored === undefined || restored.differing === 0) return [];
  const has = restored.differing === 1 ? 'restored file has' : 'restored files have';
  return [
    `${formatCount(restored.differing)} ${has} different bytes than recorded in the lockfile, because this machine encodes the same frames differently.`,
  ];
}

/**
 * Returns the question before a run. Repeats the totals of the plan, because a long plan scrolls them away.
 *
 * @param plan null for a run that renders nothing
 */
export function approvalQuestion(plan: PlanDocument | null): string {
  const totals =
    plan === null
      ? 'Nothing is rendered.'
      : `${countWords(plan)
          .map(({ words }) => words)
          .join(', ')} · ${estimateWords(plan)}.`;
  return `\n${totals}\nApply these changes? Type "yes" to approve: `;
}

/** Asks whether to pay for videos that the unsearched history of the lockfile may have. */
export function unsearchedQuestion(count: number): string {
  const videos = countNoun(count, 'video');
  return `\nThe history of the lockfile was not searched completely, so ${videos} may be paid for a second time.\nRender anyway? Type "yes" to approve: `;
}

/**
 * Confirms a request to stop.
 *
 * @param isAttended whether a person waits; otherwise running videos are soon left to the service
 * @param outlivesProcess whether the service continues running renders
 */
export function stoppingText(running: number, isAttended: boolean, outlivesProcess: boolean): string {
  const video = running === 1 ? 'the running video is' : `the ${formatCount(running)} running videos are`;
  const away = outlivesProcess ? 'left to the service' : 'canceled';
  const work =
    running === 0 ? '' : `; ${video} ${isAttended ? 'waited for and recorded' : `${away} after a few seconds`}`;
  return `Stopping: no new renders are started${work}. Interrupt again to exit immediately; ${nextApply(outlivesProcess)}.\n`;
}

/** Confirms an immediate exit. */
export function exitText(running: number, outlivesProcess: boolean): string {
  const work =
    running === 0 ? 'Nothing was running' : `${countNoun(running, 'video')} ${running === 1 ? 'was' : 'were'} running`;
  return `Exited. ${work}; rendered videos are in the lockfile, and ${nextApply(outlivesProcess)}.\n`;
}

function nextApply(outlivesProcess: boolean): string {
  return `the next apply ${outlivesProcess ? 'resumes renders on the service' : 'renders the videos that are missing'}`;
}

/** Reports what `--prune` removed; empty if nothing was. */
export function prunedFilesText(files: number): string {
  return files === 0 ? '' : `Removed ${countNoun(files, 'file')} of earlier renderings from renders/\n`;
}
