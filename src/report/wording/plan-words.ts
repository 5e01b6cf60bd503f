import { groupBy } from '../../kernel/group-by.ts';
import { isRecord } from '../../kernel/json.ts';
import type { LeftOutVideo, WaitingVideo } from '../../reconciler/definition/video.ts';
import type { Cost, SegmentCount } from '../../reconciler/plan/estimate-plan.ts';
import { ACTIONS, type Action, type Change } from '../../reconciler/plan/plan.ts';
import {
  type ChangeDocument,
  type PlanDocument,
  type SourceDocument,
  splitRestores,
} from '../../reconciler/plan/plan-document.ts';
import { displayUrl, joinTexts } from './display-text.ts';
import { countNoun, formatCount, formatDuration } from './quantities.ts';

/** Symbols that identify an action without colour. */
export const SYMBOLS: Readonly<Record<Action, string>> = {
  create: '+',
  update: '~',
  move: '→',
  adopt: '=',
  restore: '↻',
  relabel: '≈',
  deliver: '↑',
  forget: '-',
  noop: ' ',
};

/**
 * Counts changes by action, in the order of the actions: `1 to create`, …, `4 unchanged`. Counts videos that are merely
 * restored as unchanged.
 */
export function countWords(
  document: PlanDocument,
): { readonly action: Action; readonly count: number; readonly words: string }[] {
  const { summary } = document;
  const restores = splitRestores(document).restores.length;
  const shifts: Partial<Record<Action, number>> = { restore: -restores, noop: restores };
  return ACTIONS.flatMap((action) => {
    const count = (summary[action] ?? 0) + (shifts[action] ?? 0);
    const words = `${formatCount(count)} ${action === 'noop' ? 'unchanged' : `to ${action}`}`;
    return count > 0 ? [{ action, count, words }] : [];
  });
}

/** Formats the estimate: `2 renders, 24 s of video, 4 of 12 segments, bytes vary (nvenc), about €1.20, 2 deliveries`, or that there is nothing to render. */
export function estimateWords(document: PlanDocument): string {
  const { estimate, deliveries = 0 } = document;
  const { renders, seconds_of_video: seconds, cost, restores, segments, bytes_vary: encoder } = estimate;
  const sent = deliveries === 0 ? '' : `, ${countNoun(deliveries, 'delivery', 'deliveries')}`;
  // Restores that also change a title or a destination count as changes.
  const isRestoring = (restores?.videos ?? 0) > splitRestores(document).restores.length;
  if (renders === 0) return `nothing ${isRestoring ? 'new ' : ''}to render${sent}`;
  const length = seconds === null ? '' : `, ${formatDuration(seconds * 1000)} of video`;
  const segmentCount = segments === undefined ? '' : `, ${segmentWords(segments)}`;
  const varies = encoder === undefined ? '' : `, bytes vary (${encoder})`;
  return `${countNoun(renders, 'render')}${length}${segmentCount}${varies}${cost === undefined ? '' : `, ${costWords(cost)}`}${sent}`;
}

/** Formats a count of segments: `2 of 6 segments`, those to render of all. */
function segmentWords({ render, total }: SegmentCount): string {
  return `${formatCount(render)} of ${countNoun(total, 'segment')}`;
}

/** Formats the segments of several changes together. Returns an empty string if none were counted. */
export function changeSegmentWords(changes: readonly ChangeDocument[]): string {
  const counts = changes.flatMap(({ segments }) => segments ?? []);
  const sum = (of: keyof SegmentCount): number => counts.reduce((total, count) => total + count[of], 0);
  return counts.length === 0 ? '' : segmentWords({ render: sum('render'), total: sum('total') });
}

/** `about €1.20`. Amounts below 0.1 get two significant digits instead of cents. */
export function costWords({ amount, currency }: Cost): string {
  if (amount === null) return 'at an unknown price';
  const isSmall = amount > 0 && amount < 0.1;
  const digits = isSmall ? { maximumSignificantDigits: 2 } : {};
  return `about ${new Intl.NumberFormat('en-GB', { style: 'currency', currency, ...digits }).format(amount)}`;
}

/** Returns whether errors prevented planning, so that the document does not cover any video. */
function isUnplanned({ changes, summary, complete, diagnostics }: PlanDocument): boolean {
  if (changes.length > 0 || complete || Object.keys(summary).length > 0) return false;
  return diagnostics.some((entry) => isRecord(entry) && entry.severity === 'error');
}

/** Describes a plan without changes. */
export function emptyWords(document: PlanDocument): string {
  const { summary, complete } = document;
  if (isUnplanned(document)) return 'Correct these errors to plan.';
  const count = Object.values(summary).reduce((sum, videos) => sum + videos, 0);
  const hasNone =
    complete && [document.left_out_videos, document.waiting_videos].every((videos) => videos === undefined);
  if (count === 0) return hasNone ? 'No changes. There are no videos.' : 'No changes.';
  const state = splitRestores(document).restores.length > 0 ? 'unchanged' : 'up to date';
  return `No changes. ${countNoun(count, 'video')} ${count === 1 ? 'is' : 'are'} ${state}.`;
}

/** Describes what a plan does not cover: videos that were not selected or not checked by lint. Empty for a complete plan. */
export function incompleteWords(document: PlanDocument): string {
  return joinTexts([selectionWords(document), uncheckedWords(document)], ' ');
}

function selectionWords(document: PlanDocument): string {
  const { complete, left_out: leftOut } = document;
  if (complete || isUnplanned(document)) return '';
  if (leftOut === undefined) return 'Partial plan: not all videos were compared.';
  if (leftOut === 0) return 'Partial plan: only selected videos. The other videos are up to date.';
  const need = leftOut === 1 ? 'needs' : 'need';
  return `Partial plan: only selected videos. ${countNoun(leftOut, 'other video')} also ${need} changes.`;
}

function uncheckedWords({ lint }: PlanDocument): string {
  const countOf = (reason: string): number => lint?.left_out.filter((video) => video.reason === reason).length ?? 0;
  const reasons = [
    [countOf('budget'), 'because a plan checks at most 80 videos. `reelform lint` checks all'],
    [countOf('remote'), 'because the template is on the service'],
    [countOf('lfs_pointer'), 'because of Git LFS pointers'],
    [
      countOf('length_unknown'),
      'because the length of a sound is not known yet. `reelform plan --refresh` measures it',
    ],
    [countOf('engine_missing'), 'because @reelform/engine is not installed. `reelform lint` prints how to install it'],
  ] as const;
  return reasons
    .filter(([count]) => count > 0)
    .map(([count, why]) => `${countNoun(count, 'video')} ${count === 1 ? 'was' : 'were'} not checked by lint, ${why}.`)
    .join(' ');
}

const RENDERING: ReadonlySet<Action> = new Set(['create', 'update', 'restore']);

/** Returns the reason of a change, worded to follow a file name. Ids in it are not escaped. */
export function reasonWords(change: ChangeDocument): string {
  const was = change.previous_id === null ? '' : `was ${change.previous_id}, `;
  switch (change.action) {
    case 'move':
      return `${was}not rendered again`;
    case 'relabel':
      return 'not rendered again';
    case 'deliver':
      return `${renderReason(change)}, not rendered again`;
    case 'forget':
      return `${change.protected ? 'protected, but ' : ''}${forgetReason(change)}${change.protected ? '' : '; the video is not deleted'}`;
    case 'noop':
      return 'unchanged';
    case 'adopt':
      return `${was}${withReason(change, sourceWords(change.source))}`;
    default:
      return `${was}${renderReason(change)}`;
  }
}

function forgetReason({ left_out: [leftOut] = [] }: ChangeDocument): string {
  return leftOut === undefined ? 'its definition was removed' : `left out: ${leftOut.reason}`;
}

/** Returns the reason for a group of changes, without the id of any of them. */
export function groupReasonWords(change: ChangeDocument): string {
  if (change.action === 'adopt') return withReason(change, groupSourceWords(change.source));
  return reasonWords({ ...change, previous_id: null });
}

function withReason(change: ChangeDocument, source: string): string {
  return change.reason === null ? source : `${renderReason(change)}; ${source}`;
}

/** Describes where an adopted rendering comes from. */
export function sourceWords(source: SourceDocument | null): string {
  switch (source?.kind) {
    case 'video':
      return `the same as ${source.id}`;
    case 'planned':
      return `rendered with ${source.id} in this plan`;
    case 'history':
      return `rendered at commit ${source.commit?.slice(0, 7)} as ${source.id}`;
    case 'journal':
      return source.video_url === null
        ? `already requested: session ${source.session} of an earlier run`
        : `already rendered: session ${source.session} of an earlier run${deliveredWords(source)}`;
    default:
      return 'already rendered';
  }
}

function deliveredWords({ delivered: [first, ...rest] = [] }: SourceDocument): string {
  if (first === undefined) return '';
  const more = rest.length === 0 ? '' : ` and ${countNoun(rest.length, 'other destination')}`;
  return `, which delivered it to ${displayUrl(first)}${more}`;
}

function groupSourceWords(source: SourceDocument | null): string {
  switch (source?.kind) {
    case 'video':
      return 'the same as other videos';
    case 'planned':
      return 'rendered with other videos in this plan';
    case 'history':
      return 'rendered at earlier commits';
    case 'journal':
      return source.video_url === null ? 'already requested by earlier runs' : 'already rendered by earlier runs';
    default:
      return 'already rendered';
  }
}

function renderReason(change: ChangeDocument): string {
  const { reason } = change;
  const many = change.inputs.length > 1;
  switch (reason) {
    case 'new':
      return 'new';
    case 'input_changed':
      return many ? 'values changed' : 'a value changed';
    case 'asset_changed':
      // The definitions are unchanged: a refresh found other bytes at a URL.
      if (change.before?.fingerprint === change.after?.fingerprint) return 'the content of a URL changed';
      return many ? 'files changed' : 'a file changed';
    case 'template_changed':
      return change.fields.some(({ field }) => field === 'template' || /^scenes\..+\.template$/.test(field))
        ? 'different template'
        : `${templateWords(change)} changed`;
    case 'style_version_changed':
      return `different version of ${templateWords(change)}`;
    case 'scenes_changed':
      return 'scenes changed';
    case 'timeline_changed':
      return 'timeline changed';
    case 'output_changed':
      return 'different output settings';
    case 'service_changed':
      return 'different service';
    case 'engine_changed':
      return 'the rendering engine changed';
    case 'output_missing':
      return 'its video is missing';
    case 'output_damaged':
      return 'its local file is damaged';
    case 'url_lost':
      return 'its video can no longer be fetched';
    case 'requested':
      return 'requested';
    case 'previous_failed':
      return 'the last rendering failed';
    case 'destination_changed':
      return 'destination changed';
    case 'not_delivered':
      return 'not yet delivered';
    case null:
      return RENDERING.has(change.action) ? 'rendered again' : 'not rendered again';
    default:
      // Written by a later version: show its reason code.
      return reason.replaceAll('_', ' ');
  }
}

/** Names the templates with another version: `template card`, `templates card and intro`. */
function templateWords({ template, fields, scenes = [] }: ChangeDocument): string {
  const changed = scenes.filter(({ id }) => fields.some(({ field }) => field === `scenes.${id}.style_version`));
  const names = [...new Set(changed.map((scene) => scene.template))];
  if (names.length < 2) return `template ${names[0] ?? template}`;
  return `templates ${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** Videos of which a plan says the same, by id. */
export interface VideoGroup {
  /** Such as `its video is missing`. */
  readonly words: string;
  readonly ids: readonly string[];
}

/** Summarizes restores: `3 videos to restore, 36 s of video: …`; empty if a plan restores nothing. */
export function restoreWords(document: PlanDocument): string {
  const { restores } = splitRestores(document);
  if (restores.length === 0) return '';
  const { videos, seconds_of_video: seconds } = document.estimate.restores ?? { videos: 0, seconds_of_video: null };
  // The estimate also includes restores that are part of another change.
  const length = seconds === null || videos !== restores.length ? '' : `, ${formatDuration(seconds * 1000)} of video`;
  const damaged = restores.filter(({ reason }) => reason === 'output_damaged').length;
  const missing = restores.length - damaged;
  const both = missing > 0 && damaged > 0;
  const lacks =
    missing === 0
      ? []
      : [
          `this clone lacks the files${both ? ` of ${formatCount(missing)}` : ''}, because renders/ is normally not in git`,
        ];
  const damage = damaged === 0 ? [] : [`the files${both ? ` of ${formatCount(damaged)}` : ''} are damaged`];
  const cause = [...lacks, ...damage].join('; ');
  return `${countNoun(restores.length, 'video')} to restore${length}: ${cause}. reelform apply renders them again; --ignore-missing-outputs skips them.`;
}

/** Groups merely restored videos by reason. */
export function restoreGroups(document: PlanDocument): VideoGroup[] {
  const groups = groupBy(splitRestores(document).restores, reasonWords);
  return [...groups].map(([words, changes]) => ({ words, ids: changes.map(({ id }) => id) }));
}

/** Returns whether a plan does more than restore local files. */
export function hasChanges(document: Pick<PlanDocument, 'changes'>): boolean {
  return splitRestores(document).changes.length > 0;
}

/** Returns the plan without mere restores: the part that needs review. */
export function withoutRestores(
  document: PlanDocument,
): PlanDocument & { readonly changes: readonly ChangeDocument[] } {
  return { ...document, changes: splitRestores(document).changes };
}

/** State of a video against the lockfile, as `reelform list` reports it. */
const STATES = {
  create: 'new',
  update: 'changed',
  move: 'moved',
  adopt: 'rendered elsewhere',
  restore: 'file missing',
  relabel: 'renamed',
  deliver: 'not delivered',
  forget: 'no definition',
  noop: 'up to date',
} as const satisfies Record<Action, string>;

type VideoState = (typeof STATES)[Action];

/** State of a video that its condition leaves out. */
const LEFT_OUT_STATE = 'left out';

/** Returns the state of a video that is left out, or that waits. */
export function unplannedState(video: LeftOutVideo | WaitingVideo): typeof LEFT_OUT_STATE | 'waiting' {
  return 'missing' in video ? 'waiting' : LEFT_OUT_STATE;
}

/** Returns the state of a video. */
export function videoState(change: Change): VideoState | 'file damaged' | typeof LEFT_OUT_STATE {
  const { action, reason } = change;
  if (action === 'restore' && reason === 'output_damaged') return 'file damaged';
  return action === 'forget' && change.leftOut !== undefined ? LEFT_OUT_STATE : STATES[action];
}

/** Returns the URL of the recorded video; null if none is recorded. */
export function recordedUrl({ before }: Pick<Change, 'before'>): string | null {
  return before?.video_url ?? null;
}
