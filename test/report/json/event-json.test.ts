import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import type { ApplyEvent, ApplyOutcome, VideoFailure } from '../../../src/reconciler/apply/events.ts';
import type { VideoId } from '../../../src/reconciler/definition/video.ts';
import { planDocument } from '../../../src/reconciler/plan/plan-document.ts';
import { eventJson, type ShardReport, type StreamEvent } from '../../../src/report/json/event-json.ts';
import { everyAction } from '../example-plans.ts';

const schema = JSON.parse(
  await readFile(new URL('../../../schemas/reelform-events.schema.json', import.meta.url), 'utf8'),
);
const isEvent = new Ajv({
  allErrors: true,
  strict: true,
  strictRequired: false,
  strictTypes: false,
  formats: { 'date-time': true },
}).compile(schema);

const id = 'berlin' as VideoId;
const failure: VideoFailure = { code: 'session_failed', message: 'No\nvideo', retryable: false };
const outcome: ApplyOutcome = {
  rendered: 1,
  renderedByOtherRuns: 1,
  restored: { videos: 1, differing: 1 },
  recorded: 2,
  failed: [{ id, failures: [failure] }],
  delivered: 3,
  undelivered: [{ id, failures: [failure] }],
  unknown: [{ id, askedAt: '2026-01-01T10:00:03.000Z', session: null, code: 'session_unknown' }],
  inProgress: [{ id, session: 'rs_1' }],
  skipped: [id],
  endedBy: 'deadline',
  elapsedMs: 65_000,
};
const run: readonly ApplyEvent[] = [
  { kind: 'run-started', ids: [id], concurrency: 2 },
  { kind: 'video-recorded', id, action: 'move', previousId: 'old' as VideoId, videoUrl: null },
  { kind: 'video-started', id, action: 'create', begin: 'posted' },
  { kind: 'video-submitted', id, session: 'rs_1' },
  { kind: 'video-progressed', id, percent: 42 },
  { kind: 'video-warned', id, warning: { ...failure, hint: 'look', editable: 't_01', source: 'images/a.png' } },
  { kind: 'video-delivering', id, to: ['s3://videos/berlin.mp4'] },
  {
    kind: 'video-rendered',
    id,
    videoUrl: 'renders/berlin.mp4',
    deliveries: [{ to: 's3://videos/berlin.mp4', url: 'https://cdn.example.com/berlin.mp4' }],
    restored: { isIdentical: false },
    byOtherRun: true,
    elapsedMs: 1200,
  },
  { kind: 'video-undelivered', id, failures: [failure] },
  { kind: 'video-failed', id, failures: [failure], elapsedMs: 400 },
  { kind: 'video-unknown', id, failure, askedAt: '2026-01-01T10:00:03.000Z', session: 's1' },
  { kind: 'video-left', id, session: 'rs_1' },
  { kind: 'video-skipped', id, reason: 'interrupted' },
  { kind: 'run-finished', outcome },
];
const NO_CHANGE = { decisions: [], change: { recorded: [], removed: [] } };
const report: ShardReport = {
  index: 2,
  count: 3,
  failed: [{ id, failures: [failure] }],
  elapsedMs: 400,
  segments: { total: 7, share: 2, rendered: 1, reused: 1 },
  files: { total: 2, share: 1, rendered: 1, reused: 0 },
};
const stream: readonly StreamEvent[] = [
  { kind: 'version', toolVersion: '0.1.0' },
  { kind: 'planned', document: planDocument(everyAction(), '0.1.0', []) },
  ...run,
  { kind: 'lock-published', published: { kind: 'closed', pull: 'https://github.com/a/b/pull/1', ...NO_CHANGE } },
  { kind: 'shard-finished', report },
  { kind: 'outcome', outcome, diagnostics: [] },
];

describe('eventJson()', () => {
  test('writes one line per event except the end of the run, which the outcome covers', () => {
    const text = stream.map((event) => eventJson(event, 1_767_225_600_000)).join('');
    const lines = text.trimEnd().split('\n');
    expect(lines).toHaveLength(stream.length - 1);
    for (const line of lines) {
      const event = JSON.parse(line);
      expect(event.at).toBe('2026-01-01T00:00:00.000Z');
      expect(isEvent(event), `${line} ${JSON.stringify(isEvent.errors)}`).toBe(true);
    }
    const events = lines.slice(2, -1).map((line) => line.replace('"at":"2026-01-01T00:00:00.000Z",', ''));
    expect(events.join('\n')).toMatchInlineSnapshot(`
      "{"type":"run_started","ids":["berlin"],"concurrency":2}
      {"type":"video_recorded","id":"berlin","action":"move","previous_id":"old","video_url":null,"deliveries":[]}
      {"type":"video_started","id":"berlin","action":"create","begin":"posted"}
      {"type":"video_submitted","id":"berlin","session":"rs_1"}
      {"type":"video_progressed","id":"berlin","percent":42}
      {"type":"video_warned","id":"berlin","warning":{"code":"session_failed","message":"No\\nvideo","hint":"look","editable":"t_01","source":"images/a.png","retryable":false}}
      {"type":"video_delivering","id":"berlin","to":["s3://videos/berlin.mp4"]}
      {"type":"video_rendered","id":"berlin","video_url":"renders/berlin.mp4","deliveries":[{"to":"s3://videos/berlin.mp4","url":"https://cdn.example.com/berlin.mp4"}],"by_other_run":true,"elapsed_ms":1200,"restored":{"identical":false}}
      {"type":"video_undelivered","id":"berlin","failures":[{"code":"session_failed","message":"No\\nvideo","hint":null,"editable":null,"source":null,"retryable":false}]}
      {"type":"video_failed","id":"berlin","failures":[{"code":"session_failed","message":"No\\nvideo","hint":null,"editable":null,"source":null,"retryable":false}],"elapsed_ms":400}
      {"type":"video_unknown","id":"berlin","failure":{"code":"session_failed","message":"No\\nvideo","hint":null,"editable":null,"source":null,"retryable":false},"asked_at":"2026-01-01T10:00:03.000Z","session":"s1"}
      {"type":"video_left","id":"berlin","session":"rs_1"}
      {"type":"video_skipped","id":"berlin","reason":"interrupted"}
      {"type":"lock_published","result":"closed","commit":null,"pull_request":"https://github.com/a/b/pull/1"}
      {"type":"shard_finished","shard":2,"shards":3,"segments":{"total":7,"share":2,"rendered":1,"reused":1},"files":{"total":2,"share":1,"rendered":1,"reused":0},"failed":[{"id":"berlin","failures":[{"code":"session_failed","message":"No\\nvideo","hint":null,"editable":null,"source":null,"retryable":false}]}],"elapsed_ms":400}"
    `);
  });

  test('counts the segments of a video that is rendered in segments', () => {
    const segments = { done: 4, total: 6, reused: 3 };
    const event = JSON.parse(
      eventJson({ kind: 'video-progressed', id: 'berlin' as VideoId, percent: 42, segments }, 0),
    );
    expect(event).toMatchObject({ percent: 42, segments });
    expect(isEvent(event)).toBe(true);
    expect(isEvent({ ...event, segments: { done: 4 } })).toBe(false);
  });

  test('lists the action and reason of each video of a plan', () => {
    const { changes, plan_id, summary } = JSON.parse(eventJson(stream[1]!, 0));
    expect(changes).toContainEqual({ id: 'berlin', action: 'update', reason: 'input_changed' });
    expect(summary).toMatchObject({ adopt: 1 });
    expect(plan_id).toMatch(/^sha256:/);
  });

  test('ends with the outcome', () => {
    expect(JSON.parse(eventJson(stream.at(-1)!, 0))).toMatchObject({
      type: 'outcome',
      format_version: '1.0',
      unknown: [{ id: 'berlin', asked_at: '2026-01-01T10:00:03.000Z' }],
      in_progress: [{ id: 'berlin', session: 'rs_1' }],
      ended_by: 'deadline',
    });
  });
});

describe('schemas/reelform-events.schema.json', () => {
  test('covers every type of event', () => {
    const known: string[] = schema.allOf.flatMap((rule: { if: { properties: { type: { const?: string } } } }) => {
      return rule.if.properties.type.const ?? [];
    });
    const written = stream.map((event) => eventJson(event, 0)).filter((line) => line !== '');
    expect(known.sort()).toEqual([...new Set(written.map((line) => JSON.parse(line).type as string))].sort());
  });

  test('accepts a later minor version', () => {
    expect(isEvent({ type: 'video_applauded', id: 'berlin', at: '2026-01-01T00:00:00.000Z' })).toBe(true);
    expect(isEvent({ type: 'version', at: '', format_version: '1.4', tool_version: '9', more: 1 })).toBe(true);
  });

  test.each([
    ['another major version', { type: 'version', at: '', format_version: '2.0', tool_version: '9' }],
    ['a video without id', { type: 'video_left', at: '', session: 'rs_1' }],
    ['an event without time', { type: 'video_left', id: 'a', session: 'rs_1' }],
    ['a failure without code', { type: 'video_warned', at: '', id: 'a', warning: { message: 'x' } }],
  ])('refuses %s', (_, wrong) => {
    expect(isEvent(wrong)).toBe(false);
  });
});
