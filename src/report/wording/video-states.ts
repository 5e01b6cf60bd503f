import type { Action, Change } from '../../plan/plan.ts';

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

export type VideoState = (typeof STATES)[Action];

/** Returns the state of a video. */
export function videoState({ action, reason }: Pick<Change, 'action' | 'reason'>): VideoState | 'file damaged' {
  return action === 'restore' && reason === 'output_damaged' ? 'file damaged' : STATES[action];
}

/** Returns the URL of the recorded video; null if none is recorded. */
export function recordedUrl({ before }: Pick<Change, 'before'>): string | null {
  return before?.video_url ?? null;
}
