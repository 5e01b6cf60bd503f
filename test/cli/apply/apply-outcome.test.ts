import { describe, expect, it } from 'vitest';
import { type ApplyOutcome, NOTHING_DONE } from '../../../src/apply/events.ts';
import { applyExitCode } from '../../../src/cli/apply/apply-outcome.ts';
import type { VideoId } from '../../../src/definition/video.ts';

const id = 'rome' as VideoId;
const DONE: ApplyOutcome = { ...NOTHING_DONE, rendered: 1, elapsedMs: 1 };
const failed = (code: string) => [{ id, failures: [{ code, message: '', retryable: false }] }];
const inProgress = [{ id, session: 's' }];

describe('applyExitCode()', () => {
  it.each<[string, Partial<ApplyOutcome>, number]>([
    ['all was done', {}, 0],
    ['it was interrupted, and nothing was left out', { endedBy: 'interrupted' }, 0],
    ['the token was refused', { failed: failed('service_unauthorized'), endedBy: 'failure', skipped: [id] }, 3],
    ['something failed', { failed: failed('session_failed') }, 4],
    ['something failed before it was interrupted', { failed: failed('x'), endedBy: 'interrupted', skipped: [id] }, 4],
    ['something is unknown', { unknown: [{ id, askedAt: '', session: null }] }, 4],
    ['it was interrupted before all was begun', { endedBy: 'interrupted', skipped: [id] }, 8],
    ['it was interrupted, and left something at work', { endedBy: 'interrupted', inProgress }, 8],
    ['the time was over', { endedBy: 'deadline', inProgress }, 9],
    ['another run is at work on something', { inProgress }, 9],
  ])('when %s', (_, outcome, expected) => {
    expect(applyExitCode({ ...DONE, ...outcome })).toBe(expected);
  });
});
