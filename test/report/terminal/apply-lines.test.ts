import { describe, expect, it } from 'vitest';
import type { ApplyEvent } from '../../../src/reconciler/apply/events.ts';
import type { VideoId } from '../../../src/reconciler/definition/video.ts';
import { ApplyLines } from '../../../src/report/terminal/apply-lines.ts';

const id = (text: string): VideoId => text as VideoId;
const failures = [
  {
    code: 'asset_unreachable',
    message: 'GET https://a/b.png returned 404',
    editable: 'photo',
    retryable: false,
    hint: 'look',
  },
];
const refused = {
  code: 'service_unauthorized',
  message: 'The service rejected the token, or the token lacks a scope',
  retryable: false,
};

function linesOf(events: readonly ApplyEvent[]): string {
  const lines = new ApplyLines({ color: false });
  return events.flatMap((event) => lines.linesOf(event, 0)).join('\n');
}

describe('ApplyLines', () => {
  it('counts segments when a video is rendered, and those of running videos after a silence', () => {
    const lines = new ApplyLines({ color: false });
    lines.linesOf({ kind: 'run-started', ids: ['berlin', 'oslo'].map(id), concurrency: 2 }, 0);
    for (const [name, done] of [
      ['berlin', 4],
      ['oslo', 1],
    ] as const) {
      lines.linesOf({ kind: 'video-started', id: id(name), action: 'create', begin: 'posted' }, 0);
      const segments = { done, total: 6, reused: 1 };
      lines.linesOf({ kind: 'video-progressed', id: id(name), percent: 5, segments }, 0);
    }
    expect(lines.heartbeat(30_000)).toEqual(['  0 of 2 · 2 running · 5 of 12 segments, 2 reused']);
    const segments = { done: 6, total: 6, reused: 1 };
    lines.linesOf({ kind: 'video-progressed', id: id('berlin'), percent: 99, segments }, 0);
    expect(lines.linesOf({ kind: 'video-rendered', id: id('berlin'), videoUrl: 'a.mp4', elapsedMs: 1000 }, 0)).toEqual([
      '✓ berlin     1.0 s  a.mp4  (1 of 2, 6 of 6 segments, 1 reused)',
    ]);
  });

  it('names the video in every line and counts finished videos', () => {
    const events: ApplyEvent[] = [
      { kind: 'run-started', ids: ['berlin', 'oslo', 'rome', 'bonn', 'graz', 'linz'].map(id), concurrency: 2 },
      { kind: 'video-recorded', id: id('moved'), action: 'move', previousId: id('old'), videoUrl: null },
      { kind: 'video-recorded', id: id('copy'), action: 'adopt', previousId: null, videoUrl: 'renders/a.mp4' },
      { kind: 'video-started', id: id('berlin'), action: 'create', begin: 'posted' },
      { kind: 'video-submitted', id: id('berlin'), session: 'rs_1' },
      { kind: 'video-started', id: id('oslo'), action: 'update', begin: 'resumed' },
      { kind: 'video-started', id: id('rome'), action: 'update', begin: 'resent' },
      { kind: 'video-started', id: id('bonn'), action: 'update', begin: 'followed' },
      { kind: 'video-progressed', id: id('berlin'), percent: 50 },
      {
        kind: 'video-warned',
        id: id('berlin'),
        warning: { code: 'signed_url', message: 'The URL is signed', retryable: false },
      },
      { kind: 'video-rendered', id: id('berlin'), videoUrl: 'renders/berlin-1.mp4', elapsedMs: 6200 },
      { kind: 'video-failed', id: id('oslo'), failures, elapsedMs: 400 },
      {
        kind: 'video-unknown',
        id: id('rome'),
        failure: { code: 'session_unknown', message: 'POST https://x did not answer', retryable: false },
        askedAt: '2026-01-01T10:00:00.000Z',
        session: null,
      },
      { kind: 'video-left', id: id('bonn'), session: 'rs_4' },
      { kind: 'video-skipped', id: id('graz'), reason: 'interrupted' },
    ];
    expect(linesOf(events)).toMatchInlineSnapshot(`
      "✓ moved   moved from old
      ✓ copy    adopted, not rendered again  renders/a.mp4
      … berlin  begun
      … berlin  rendering as rs_1
      … oslo    resumed from an earlier run
      … rome    same request sent again
      … bonn    waiting for another run
      ! berlin
          signed_url: The URL is signed
      ✓ berlin     6.2 s  renders/berlin-1.mp4  (1 of 6)
      ✗ oslo    failed after 0.4 s  (2 of 6)
          asset_unreachable: photo: GET https://a/b.png returned 404
          hint: look
      ? rome    requested, but it is unknown whether the service accepted it  (3 of 6)
          session_unknown: POST https://x did not answer
      … bonn    still running on the service as rs_4  (4 of 6)"
    `);
  });

  it('prints a failure in full once and refers later videos to the first one', () => {
    const fail = (name: string): ApplyEvent => ({
      kind: 'video-failed',
      id: id(name),
      failures: [{ ...refused, message: `${refused.message} (${name})` }],
      elapsedMs: 0,
    });
    const events: ApplyEvent[] = [
      { kind: 'run-started', ids: ['a', 'b', 'c'].map(id), concurrency: 2 },
      fail('a'),
      fail('b'),
      fail('c'),
    ];
    expect(linesOf(events)).toMatchInlineSnapshot(`
      "✗ a  failed after 0.0 s  (1 of 3)
          service_unauthorized: The service rejected the token, or the token lacks a scope (a)
      ✗ b  failed after 0.0 s  service_unauthorized, as a  (2 of 3)
      ✗ c  failed after 0.0 s  service_unauthorized, as a  (3 of 3)"
    `);
  });

  it('keeps the query of a signed URL out of a log', () => {
    const url = 'https://videos.example.com/a.mp4?X-Amz-Signature=secret';
    const lines = linesOf([
      { kind: 'video-rendered', id: id('a'), videoUrl: url, elapsedMs: 0 },
      { kind: 'video-recorded', id: id('b'), action: 'adopt', previousId: null, videoUrl: url },
    ]);
    expect(lines.match(/a\.mp4\?…/g)).toHaveLength(2);
    expect(lines).not.toContain('secret');
  });

  it('escapes text of the service', () => {
    const event: ApplyEvent = {
      kind: 'video-failed',
      id: id('a'),
      failures: [{ code: 'internal', message: 'red \x1b[31m and\nnew line', retryable: false }],
      elapsedMs: 0,
    };
    expect(linesOf([event])).toContain('    internal: red \\u001b[31m and⏎new line');
  });

  it('prints a heartbeat after 30 seconds of silence while videos are running', () => {
    const lines = new ApplyLines({ color: false });
    const at = (seconds: number, event: ApplyEvent): void => void lines.linesOf(event, seconds * 1000);
    at(0, { kind: 'run-started', ids: ['a', 'b', 'c', 'd'].map(id), concurrency: 2 });
    expect(lines.heartbeat(60_000)).toEqual([]);
    at(0, { kind: 'video-started', id: id('a'), action: 'create', begin: 'posted' });
    at(0, { kind: 'video-started', id: id('b'), action: 'create', begin: 'posted' });
    expect(lines.heartbeat(29_999)).toEqual([]);
    expect(lines.heartbeat(30_000)).toEqual(['  0 of 4 · 2 running']);
    expect(lines.heartbeat(59_999)).toEqual([]);
    at(90, { kind: 'video-rendered', id: id('a'), videoUrl: 'a.mp4', elapsedMs: 90_000 });
    at(90, { kind: 'video-started', id: id('c'), action: 'create', begin: 'posted' });
    expect(lines.heartbeat(119_999)).toEqual([]);
    expect(lines.heartbeat(120_000)).toEqual(['  1 of 4 · 2 running · about 2 min left']);
  });
});
