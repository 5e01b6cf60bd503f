import { type Change, type Plan, renders } from '../plan/plan.ts';
import { countActions, estimatePlan } from '../plan/plan-document.ts';
import { formatDuration } from './duration.ts';

/** One mark for each action, told apart without colour. */
export const SYMBOLS: Readonly<Record<Change['action'], string>> = {
  create: '+',
  update: '~',
  move: '→',
  restore: '↻',
  relabel: '≈',
  forget: '-',
  noop: ' ',
};

/** A number as people read it: `1,204`. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `1 video`, `1,204 videos`. */
export function formatVideos(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'video' : 'videos'}`;
}

/** What is done to how many, in the order of the actions: `1 to create`, …, `4 unchanged`. */
export function countWords(plan: Plan): { readonly action: Change['action']; readonly words: string }[] {
  return Object.entries(countActions(plan)).map(([name, count]) => {
    const action = name as Change['action'];
    return { action, words: `${formatCount(count)} ${action === 'noop' ? 'unchanged' : `to ${action}`}` };
  });
}

/** `2 renders, 24 s of video`, or that there is nothing to render. */
export function estimateWords(plan: Plan): string {
  const { renders, seconds_of_video: seconds } = estimatePlan(plan);
  if (renders === 0) return 'nothing to render';
  const length = seconds === null ? '' : `, ${formatDuration(seconds * 1000)} of video`;
  return `${formatCount(renders)} ${renders === 1 ? 'render' : 'renders'}${length}`;
}

/** What a plan that changes nothing says. */
export function emptyWords(plan: Plan): string {
  const count = plan.changes.length;
  if (count === 0) return 'No changes. There are no videos.';
  return `No changes. ${formatVideos(count)} ${count === 1 ? 'is' : 'are'} up to date.`;
}

/** Why the change is there, in words that follow the name of a file. Ids in it are as they came, not escaped. */
export function reasonWords(change: Change): string {
  const was = change.previousId === null ? '' : `was ${change.previousId}, `;
  switch (change.action) {
    case 'move':
      return `${was}not rendered again`;
    case 'relabel':
      return 'not rendered again';
    case 'forget':
      return change.before.protect
        ? 'protected, and no definition has it any more'
        : 'no definition has it any more; its video stays where it is';
    case 'noop':
      return 'unchanged';
    default:
      return `${was}${renderReason(change)}`;
  }
}

function renderReason(change: Change): string {
  const { reason } = change;
  const many = change.inputs.length > 1;
  const template = change.desired?.template;
  switch (reason) {
    case 'new':
      return 'new';
    case 'input_changed':
      return many ? 'values changed' : 'a value changed';
    case 'asset_changed':
      return many ? 'files changed' : 'a file changed';
    case 'template_changed':
      return change.fields.some(({ field }) => field === 'template')
        ? 'another template'
        : `template ${template} changed`;
    case 'style_version_changed':
      return `another version of template ${template}`;
    case 'output_changed':
      return 'other output settings';
    case 'service_changed':
      return 'another service';
    case 'engine_changed':
      return 'the rendering engine changed';
    case 'output_missing':
      return 'its video is missing';
    case 'url_lost':
      return 'its video cannot be fetched any more';
    case 'requested':
      return 'asked for';
    case 'previous_failed':
      return 'the last rendering failed';
    case null:
      return renders(change) ? 'rendered again' : 'not rendered again';
  }
}
