import { describe, expect, it } from 'vitest';
import { applyExitCode, PartialOutcome } from '../../../src/cli/apply/apply-outcome.ts';
import { type ApplyOutcome, NOTHING_DONE } from '../../../src/reconciler/apply/events.ts';
import type { VideoId } from '../../../src/reconciler/definition/video.ts';

const id = 'rome' as VideoId;
const DONE: ApplyOutcome = { ...NOTHING_DONE, rendered: 1, elapsedMs: 1 };
const failed = (code: string) => [{ id, failures: [{ code, message: '', retryable: false }] }];
const inProgress = [{ id, session: 's' }];

describe('applyExitCode()', () => {
  it.each<[string, Partial<ApplyOutcome>, number]>([
    ['everything succeeded', {}, 0],
    ['it was interrupted after everything was done', { endedBy: 'interrupted' }, 0],
    ['the token was refused', { failed: failed('service_unauthorized'), endedBy: 'failure', skipped: [id] }, 3],
    ['a video failed', { failed: failed('session_failed') }, 4],
    ['a video failed before an interruption', { failed: failed('x'), endedBy: 'interrupted', skipped: [id] }, 4],
    ['the outcome of an attempt is unknown', { unknown: [{ id, askedAt: '', session: null, code: '' }] }, 4],
    ['it was interrupted before every video started', { endedBy: 'interrupted', skipped: [id] }, 8],
    ['it was interrupted and left a video running', { endedBy: 'interrupted', inProgress }, 8],
    ['it timed out', { endedBy: 'deadline', inProgress }, 9],
    ['another run is rendering a video', { inProgress }, 9],
  ])('when %s', (_, outcome, expected) => {
    expect(applyExitCode({ ...DONE, ...outcome })).toBe(expected);
  });
});

describe('PartialOutcome', () => {
  it('lists videos in the order of their ids, whichever ends first', () => {
    const outcome = new PartialOutcome();
    const ids = ['rome', 'oslo', 'berlin', 'paris'] as VideoId[];
    outcome.take({ kind: 'run-started', ids, concurrency: 2 });
    for (const left of ['oslo', 'berlin'] as VideoId[]) outcome.take({ kind: 'video-left', id: left, session: 's' });
    const { inProgress, skipped } = outcome.interrupted(1);
    expect(inProgress.map((video) => video.id)).toEqual(['berlin', 'oslo']);
    expect(skipped).toEqual(['paris', 'rome']);
  });
});
