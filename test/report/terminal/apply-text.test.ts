import { describe, expect, it } from 'vitest';
import { type ApplyOutcome, NOTHING_DONE, type VideoFailure } from '../../../src/reconciler/apply/events.ts';
import type { VideoId } from '../../../src/reconciler/definition/video.ts';
import type { PlanDocument } from '../../../src/reconciler/plan/plan-document.ts';
import { approvalQuestion, exitText, outcomeText, stoppingText } from '../../../src/report/terminal/apply-text.ts';

const id = (text: string): VideoId => text as VideoId;
const outcome: ApplyOutcome = { ...NOTHING_DONE, rendered: 2, elapsedMs: 65_000 };
const failure: VideoFailure = {
  code: 'asset_unreachable',
  message: 'GET https://a/b.png returned 404',
  editable: 'photo',
  source: 'images/b.png',
  retryable: false,
  hint: 'look',
};
const refused: VideoFailure = {
  code: 'service_unauthorized',
  message: 'The service rejected the token, or the token lacks a scope',
  retryable: false,
};
const many = (count: number, name: string): VideoId[] =>
  Array.from({ length: count }, (_, index) => id(`${name}-${index}`));

describe('outcomeText()', () => {
  it.each<[string, Partial<ApplyOutcome>]>([
    ['success', {}],
    ['records', { recorded: 3 }],
    ['videos of another run', { rendered: 0, renderedByOtherRuns: 2 }],
    ['restores', { restored: { videos: 1, differing: 0 } }],
    ['restores with other bytes', { restored: { videos: 2, differing: 2 } }],
    ['a failure', { failed: [{ id: id('oslo'), failures: [failure] }] }],
    [
      'a refused token once',
      {
        rendered: 0,
        failed: [...many(12, 'store'), id('oslo')].map((each) => ({
          id: each,
          failures: [each === 'oslo' ? failure : { ...refused, message: `${refused.message} (${each})` }],
        })),
      },
    ],
    ['an interruption', { skipped: [id('rome')], endedBy: 'interrupted' }],
    [
      'a deadline',
      {
        inProgress: ['a', 'b', 'c', 'd', 'e'].map((name) => ({ id: id(name), session: `rs_${name}` })),
        skipped: many(1200, 'x'),
        endedBy: 'deadline',
      },
    ],
    ['what ended at the first failure', { failed: [{ id: id('oslo'), failures: [failure] }], endedBy: 'failure' }],
    [
      'what is not known',
      {
        unknown: [
          { id: id('berlin'), askedAt: '2026-01-01T10:00:03.123Z', session: null, code: 'session_unknown' },
          { id: id('rome'), askedAt: '2026-01-01T10:00:03.123Z', session: 'session-7', code: 'session_gone' },
        ],
      },
    ],
  ])('reports %s', (_, change) => {
    expect(outcomeText({ ...outcome, ...change }, { color: false })).toMatchSnapshot();
  });

  const transient: VideoFailure = { code: 'service_unreachable', message: 'No answer', retryable: true };
  it.each<[string, Partial<ApplyOutcome>, string]>([
    [
      'a failure that lasts',
      { failed: [{ id: id('a'), failures: [failure] }] },
      'Correct the failures, then run `reelform apply`.',
    ],
    [
      'one of several that lasts',
      { failed: [{ id: id('a'), failures: [transient, failure] }] },
      'Correct the failures, then run `reelform apply`.',
    ],
    ['one that may pass', { failed: [{ id: id('a'), failures: [transient] }] }, '`reelform apply` tries again.'],
    ['videos that were not begun', { skipped: [id('a')] }, '`reelform apply` tries again.'],
    [
      'a failure that lasts beside others',
      {
        failed: [
          { id: id('a'), failures: [failure] },
          { id: id('b'), failures: [transient] },
        ],
      },
      'Correct the failures, then run `reelform apply`, which continues with the rest.',
    ],
    [
      'a failure that lasts, and a rendered video',
      { rendered: 1, failed: [{ id: id('a'), failures: [failure] }] },
      'Rendered videos are in the lockfile. Correct the failures, then run `reelform apply`.',
    ],
    [
      'one that may pass, and a rendered video',
      { rendered: 1, failed: [{ id: id('a'), failures: [transient] }] },
      'Rendered videos are in the lockfile; `reelform apply` continues with the rest.',
    ],
  ])('suggests the next command after %s', (_, change, expected) => {
    const text = outcomeText({ ...NOTHING_DONE, ...change }, { color: false });
    expect(text.trimEnd().split('\n').at(-1)).toBe(expected);
  });

  it('lists the largest groups of many failures and counts the rest', () => {
    const failed = many(40, 'v').map((each, index) => ({
      id: each,
      failures: [{ ...failure, message: `reason ${index % 20}` }],
    }));
    const text = outcomeText({ ...outcome, failed }, { color: false });
    expect(text.match(/reason/g)).toHaveLength(8);
    expect(text).toContain('✗ and 24 videos more');
  });

  it('escapes text that could control a terminal', () => {
    const hostile = '\x1b[2J';
    const text = outcomeText(
      {
        ...outcome,
        failed: [{ id: id(hostile), failures: [{ code: hostile, message: hostile, hint: hostile, retryable: false }] }],
        unknown: [{ id: id(hostile), askedAt: hostile, session: hostile, code: hostile }],
        inProgress: [{ id: id(hostile), session: hostile }],
      },
      { color: false },
    );
    expect(text).not.toContain('\x1b');
  });
});

describe('approvalQuestion()', () => {
  it('names the accepted answer, and repeats the totals of the plan', () => {
    const plan = {
      summary: { create: 3, noop: 2 },
      estimate: { renders: 3, seconds_of_video: 12 },
      changes: [],
    } as unknown as PlanDocument;
    expect(approvalQuestion(plan)).toBe(
      '\n3 to create, 2 unchanged · 3 renders, 12 s of video.\nApply these changes? Type "yes" to approve: ',
    );
    expect(approvalQuestion(null)).toContain('Nothing is rendered.');
  });
});

describe('stoppingText()', () => {
  it.each([
    [0, true, true, 'Stopping: no new renders are started. Interrupt again'],
    [1, true, true, 'started; the running video is waited for and recorded. Interrupt again'],
    [1200, false, true, '; the 1,200 running videos are left to the service after a few seconds. Interrupt again'],
    [2, false, false, '; the 2 running videos are canceled after a few seconds. Interrupt again'],
    [1, true, true, 'immediately; the next apply resumes renders on the service.'],
    [1, true, false, 'immediately; the next apply renders the videos that are missing.'],
  ])('with %i running, attended: %s, on a service that outlives it: %s', (running, isAttended, outlives, words) => {
    expect(stoppingText(running, isAttended, outlives)).toContain(words);
  });
});

describe('exitText()', () => {
  it.each([
    [0, true, 'Nothing was running;'],
    [1, true, '1 video was running;'],
    [2, true, '2 videos were running; rendered videos are in the lockfile, and the next apply resumes renders'],
    [2, false, '2 videos were running; rendered videos are in the lockfile, and the next apply renders the videos'],
  ])('counts %i running videos, on a service that outlives it: %s', (running, outlives, words) => {
    expect(exitText(running, outlives)).toContain(words);
  });
});
