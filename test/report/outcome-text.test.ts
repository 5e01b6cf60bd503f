import { describe, expect, it } from 'vitest';
import { type ApplyOutcome, type Failure, NOTHING_DONE } from '../../src/apply/events.ts';
import type { VideoId } from '../../src/definition/video.ts';
import { outcomeText } from '../../src/report/outcome-text.ts';

const id = (text: string): VideoId => text as VideoId;
const outcome: ApplyOutcome = { ...NOTHING_DONE, rendered: 2, elapsedMs: 65_000 };
const failure: Failure = {
  code: 'asset_unreachable',
  message: 'GET https://a/b.png answered 404',
  editable: 'photo',
  source: 'images/b.png',
  retryable: false,
  hint: 'look',
};
const refused: Failure = {
  code: 'service_unauthorized',
  message: 'The service does not take the token',
  retryable: false,
};
const many = (count: number, name: string): VideoId[] =>
  Array.from({ length: count }, (_, index) => id(`${name}-${index}`));

describe('outcomeText()', () => {
  it.each<[string, Partial<ApplyOutcome>]>([
    ['success', {}],
    ['records', { recorded: 3 }],
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
          { id: id('berlin'), askedAt: '2026-01-01T10:00:03.123Z', session: null },
          { id: id('rome'), askedAt: '2026-01-01T10:00:03.123Z', session: 'session-7' },
        ],
      },
    ],
  ])('tells %s', (_, change) => {
    expect(outcomeText({ ...outcome, ...change }, { color: false })).toMatchSnapshot();
  });

  it('tells the largest groups of many failures, and counts the rest', () => {
    const failed = many(40, 'v').map((each, index) => ({
      id: each,
      failures: [{ ...failure, message: `reason ${index % 20}` }],
    }));
    const text = outcomeText({ ...outcome, failed }, { color: false });
    expect(text.match(/reason/g)).toHaveLength(8);
    expect(text).toContain('✗ and 24 videos more');
  });

  it('cannot be made to command a terminal', () => {
    const hostile = '\x1b[2J';
    const text = outcomeText(
      {
        ...outcome,
        failed: [{ id: id(hostile), failures: [{ code: hostile, message: hostile, hint: hostile, retryable: false }] }],
        unknown: [{ id: id(hostile), askedAt: hostile, session: hostile }],
        inProgress: [{ id: id(hostile), session: hostile }],
      },
      { color: false },
    );
    expect(text).not.toContain('\x1b');
  });
});
