import { describe, expect, it } from 'vitest';
import type { ApplyEvent, ApplyOutcome } from '../../src/apply/events.ts';
import type { VideoId } from '../../src/definition/video.ts';
import { ApplyLines, outcomeText } from '../../src/report/apply-text.ts';

const id = (text: string): VideoId => text as VideoId;
const failures = [
  {
    code: 'asset_unreachable',
    message: 'GET https://a/b.png answered 404',
    editable: 'photo',
    retryable: false,
    hint: 'look',
  },
];
const outcome: ApplyOutcome = { rendered: 2, recorded: 0, failed: [], skipped: [], elapsedMs: 65_000 };

describe('ApplyLines', () => {
  it('names the video in every line and counts what is done', () => {
    const lines = new ApplyLines({ color: false });
    const events: ApplyEvent[] = [
      { kind: 'run-started', ids: [id('berlin'), id('oslo')], concurrency: 2 },
      { kind: 'video-recorded', id: id('moved'), action: 'move', previousId: id('old') },
      { kind: 'video-started', id: id('berlin'), action: 'create' },
      { kind: 'video-started', id: id('oslo'), action: 'update' },
      { kind: 'video-progressed', id: id('berlin'), percent: 50 },
      { kind: 'video-rendered', id: id('berlin'), videoUrl: 'renders/berlin-1.mp4', elapsedMs: 6200 },
      { kind: 'video-failed', id: id('oslo'), failures, elapsedMs: 400 },
    ];
    expect(events.flatMap((event) => lines.linesOf(event)).join('\n')).toMatchInlineSnapshot(`
      "✓ moved   moved from old
      … berlin  rendering
      … oslo    rendering
      ✓ berlin     6.2 s  renders/berlin-1.mp4  (1 of 2)
      ✗ oslo    failed after 0.4 s  (2 of 2)
          asset_unreachable: photo: GET https://a/b.png answered 404
          hint: look"
    `);
  });

  it('escapes what a service says', () => {
    const lines = new ApplyLines({ color: false });
    const event: ApplyEvent = {
      kind: 'video-failed',
      id: id('a'),
      failures: [{ code: 'internal', message: 'red \x1b[31m and\nnew line', retryable: false }],
      elapsedMs: 0,
    };
    expect(lines.linesOf(event)[1]).toBe('    internal: red \\u001b[31m and⏎new line');
  });
});

describe('outcomeText()', () => {
  it.each<[string, Partial<ApplyOutcome>, boolean]>([
    ['success', {}, false],
    ['a failure', { failed: [{ id: id('oslo'), failures }] }, false],
    ['an interruption', { skipped: [id('rome')] }, true],
  ])('tells %s', (_, change, interrupted) => {
    expect(outcomeText({ ...outcome, ...change }, { color: false, interrupted })).toMatchSnapshot();
  });
});
