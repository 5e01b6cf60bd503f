import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type ApplyInput, applyPlan } from '../../src/apply/apply-plan.ts';
import type { ApplyEvent } from '../../src/apply/events.ts';
import type { Clock } from '../../src/apply/ports.ts';
import type { Video } from '../../src/definition/video.ts';
import { sha256 } from '../../src/digest.ts';
import type { Journal } from '../../src/lock/journal.ts';
import { type JournalFile, openJournalFile } from '../../src/lock/journal-file.ts';
import { emptyLock, type Lock } from '../../src/lock/lock.ts';
import { desiredVideo } from '../../src/plan/desired-video.ts';
import { planVideos } from '../../src/plan/plan-videos.ts';
import { createHttpService } from '../../src/service/http-service.ts';
import {
  type InterfaceService,
  type InterfaceServiceOptions,
  startInterfaceService,
} from '../support/interface-service.ts';
import { simulatedClock } from '../support/simulated-clock.ts';
import { textVideo } from '../support/text-video.ts';

const POST = 'POST /v2/render_sessions';
const LOOK = 'GET /v2/render_sessions/{id}';
const folder = mkdtempSync(join(tmpdir(), 'reelform-resume-'));
const open: { close(): Promise<void> }[] = [];
afterEach(async () => void (await Promise.all(open.splice(0).map((one) => one.close()))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** One repository and one service: what outlives a run. */
async function world(options: InterfaceServiceOptions = {}) {
  const service = await startInterfaceService(options);
  open.push(service);
  const path = join(folder, `${randomUUID()}.ndjson`);
  return { service, path, clock: simulatedClock(), lock: { value: emptyLock as Lock } };
}

type World = Awaited<ReturnType<typeof world>>;

interface Run extends Partial<Pick<ApplyInput, 'detach' | 'signal' | 'deadlineMs'>> {
  readonly requested?: (id: string) => boolean;
  readonly onEvent?: (event: ApplyEvent) => void;
  readonly journal?: (file: JournalFile) => Partial<Journal>;
  readonly clock?: Clock;
}

/** Plans and applies as the command does. */
async function run({ service, path, clock, lock }: World, videos: readonly Video[], more: Run = {}) {
  const file = await openJournalFile(path, { file: 'journal.ndjson' });
  const http = createHttpService({
    url: service.url,
    token: service.token,
    keyLifetimeMs: file.state.services.get(new URL(service.url).origin)?.keyLifetimeMs ?? null,
    now: () => clock.now(),
    wait: (milliseconds) => clock.wait(milliseconds),
    random: () => 0.5,
    timeoutMs: 2_000,
  });
  const context = {
    ...{ service: http.name, styleVersion: 'tsv_1', renderEpoch: null, measures: null },
    assetDigest: () => sha256(''),
  };
  const plan = planVideos({
    desired: videos.map((one) => desiredVideo(one, { ...context, durationSeconds: null })),
    lock: lock.value,
    observations: { missingOutputs: new Set(), journal: file.state },
    requested: more.requested ?? (() => false),
  });
  const events: ApplyEvent[] = [];
  const outcome = await applyPlan({
    plan,
    videos: new Map(videos.map((one) => [one.id, one])),
    digestOf: () => undefined,
    service: http,
    concurrency: 4,
    signal: more.signal ?? new AbortController().signal,
    detach: more.detach ?? new AbortController().signal,
    deadlineMs: more.deadlineMs ?? null,
    failFast: false,
    run: randomUUID(),
    onEvent(event) {
      events.push(event);
      more.onEvent?.(event);
    },
    ports: {
      updateLock: async (change) => {
        lock.value = change(lock.value);
      },
      journal: {
        state: file.state,
        isShared: false,
        begin: (intent, insteadOf) => file.begin(intent, insteadOf),
        append: (record) => file.append(record),
        refresh: () => file.refresh(),
        ...more.journal?.(file),
      },
      ensureStyleVersion: async () => undefined,
      lookAtUrl: async () => ({ kind: 'there', validator: null }),
      readFile: async () => Buffer.alloc(0),
      clock,
      newKey: randomUUID,
    },
  }).finally(() => file.close());
  return { outcome, events, actions: plan.changes.map(({ action }) => action), state: file.state };
}

const keys = (service: InterfaceService): unknown[] =>
  service.seen.filter(({ method }) => method === 'POST').map(({ headers }) => headers['idempotency-key']);

describe('applyPlan() after a run that died', () => {
  it('asks for nothing that was asked for: it waits for the session', async () => {
    const here = await world();
    const crash = new Error('killed');
    const dying = run(here, [textVideo('a')], {
      onEvent: ({ kind }) => {
        if (kind === 'video-submitted') throw crash;
      },
    });
    await expect(dying).rejects.toBe(crash);
    const { actions, outcome } = await run(here, [textVideo('a')]);
    expect(actions).toEqual(['adopt']);
    expect(outcome).toMatchObject({ rendered: 1, recorded: 0 });
    expect(here.service.count(POST)).toBe(1);
  });

  it('takes what was rendered from the journal, without a request', async () => {
    const here = await world();
    const dying = run(here, [textVideo('a')], {
      onEvent: ({ kind }) => {
        if (kind === 'video-rendered') throw new Error('killed');
      },
    });
    await expect(dying).rejects.toThrow('killed');
    here.lock.value = emptyLock;
    const before = here.service.seen.length;
    const { outcome, actions } = await run(here, [textVideo('a')]);
    expect(actions).toEqual(['adopt']);
    expect(outcome).toMatchObject({ rendered: 0, recorded: 1 });
    expect(here.service.seen).toHaveLength(before);
    expect(here.lock.value.videos.get('a')).toMatchObject({ session: 'session-1', title: 'a' });
  });
});

describe('applyPlan() of a video to render again', () => {
  const requested = (): boolean => true;

  it('renders it where the journal still has the renderings of the lockfile', async () => {
    const here = await world();
    // A run that is killed before it compacts the journal leaves it like this.
    await run(here, [textVideo('a')]);
    for (const session of ['session-2', 'session-3']) {
      const { outcome, actions } = await run(here, [textVideo('a')], { requested });
      expect(actions).toEqual(['update']);
      expect(outcome).toMatchObject({ rendered: 1, recorded: 0 });
      expect(here.lock.value.videos.get('a')).toMatchObject({ session });
    }
  });

  it('waits for the session that a killed run asked for, although the journal has an earlier rendering', async () => {
    const here = await world();
    await run(here, [textVideo('a')]);
    const dying = run(here, [textVideo('a')], {
      requested,
      onEvent: ({ kind }) => {
        if (kind === 'video-submitted') throw new Error('killed');
      },
    });
    await expect(dying).rejects.toThrow('killed');
    const { actions } = await run(here, [textVideo('a')], { requested });
    expect(actions).toEqual(['adopt']);
    expect(here.lock.value.videos.get('a')).toMatchObject({ session: 'session-2' });
    expect(here.service.count(POST)).toBe(2);
  });
});

describe('applyPlan() at a service whose queue is full', () => {
  const full = (status: number, code: string) =>
    ({ kind: 'answer', status, headers: {}, body: JSON.stringify({ code, detail: 'Too many wait' }) }) as const;

  it.each([
    [429, 'queue_full'],
    [503, 'service_full'],
  ])('waits for room, however long that takes, and says so once: %i %s', async (status, code) => {
    const here = await world();
    here.service.force(POST, ...Array.from({ length: 50 }, () => full(status, code)));
    const { outcome, events } = await run(here, [textVideo('a')]);
    expect(outcome).toMatchObject({ rendered: 1, failed: [], unknown: [] });
    const warnings = events.filter(({ kind }) => kind === 'video-warned');
    expect(warnings).toMatchObject([{ id: 'a', warning: { code, message: 'Too many wait' } }]);
    expect(here.service.count(POST)).toBe(51);
  });

  it('lets one video ask for all that wait', async () => {
    const here = await world();
    here.service.force(POST, ...Array.from({ length: 20 }, () => full(429, 'queue_full')));
    const { outcome } = await run(
      here,
      ['a', 'b', 'c'].map((id) => textVideo(id)),
    );
    expect(outcome).toMatchObject({ rendered: 3, failed: [] });
    const titles = here.service.seen
      .filter(({ method }) => method === 'POST')
      .map(({ body }) => JSON.parse(body.toString()).title);
    expect(titles).toEqual(['a', 'b', 'c', ...Array.from({ length: 18 }, () => 'a'), 'b', 'c']);
  });

  it('begins nothing when the run is to end meanwhile, and has asked for nothing', async () => {
    const here = await world();
    here.service.force(POST, ...Array.from({ length: 50 }, () => full(429, 'queue_full')));
    const stop = new AbortController();
    const { outcome } = await run(here, [textVideo('a')], {
      signal: stop.signal,
      onEvent: ({ kind }) => void (kind === 'video-warned' && stop.abort()),
    });
    expect(outcome).toMatchObject({ skipped: ['a'], endedBy: 'interrupted', failed: [], unknown: [] });
    here.service.force(POST);
    expect((await run(here, [textVideo('a')])).outcome).toMatchObject({ rendered: 1 });
  });

  it('leaves when the time is over', async () => {
    const here = await world();
    here.service.force(POST, ...Array.from({ length: 500 }, () => full(503, 'service_full')));
    const { outcome } = await run(here, [textVideo('a')], { deadlineMs: 60_000 });
    expect(outcome).toMatchObject({ skipped: ['a'], endedBy: 'deadline', unknown: [] });
  });
});

describe('applyPlan() when no answer comes', () => {
  it('calls it unknown at a service without keys, does the rest, and asks no second time', async () => {
    const here = await world();
    here.service.force(POST, { kind: 'cut', afterDoing: true });
    const videos = ['a', 'b', 'c'].map((id) => textVideo(id));
    const first = await run(here, videos);
    expect(first.outcome).toMatchObject({ rendered: 2, unknown: [{ id: 'a' }], failed: [] });
    const second = await run(here, videos);
    expect(second.outcome).toMatchObject({ rendered: 0, unknown: [{ id: 'a', askedAt: expect.any(String) }] });
    expect(here.service.count(POST)).toBe(3);
  });

  it('renders what another definition wants of the same video, since that was never asked for', async () => {
    const here = await world();
    here.service.force(POST, { kind: 'cut', afterDoing: true });
    await run(here, [textVideo('a')]);
    expect((await run(here, [textVideo('a', 'other')])).outcome).toMatchObject({ rendered: 1, unknown: [] });
  });

  it('sends the same key and bytes again where keys are known to be kept, and gets the same session', async () => {
    const here = await world({ keepsKeys: true });
    await run(here, [textVideo('warm')]);
    here.service.force(POST, ...Array.from({ length: 20 }, () => ({ kind: 'cut', afterDoing: true }) as const));
    const first = await run(here, [textVideo('warm'), textVideo('a')]);
    here.service.force(POST);
    const second = await run(here, [textVideo('warm'), textVideo('a')]);
    expect([first.outcome.rendered, second.outcome.rendered]).toEqual([0, 1]);
    expect(here.service.sessions.size).toBe(2);
    const posts = here.service.seen.filter(({ method }) => method === 'POST').slice(1);
    expect(new Set(posts.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(new Set(posts.map(({ body }) => body.toString())).size).toBe(1);
  });

  it('does not trust a key that has come to its end', async () => {
    const here = await world({ keepsKeys: true });
    await run(here, [textVideo('warm')]);
    here.service.force(POST, ...Array.from({ length: 20 }, () => ({ kind: 'cut', afterDoing: true }) as const));
    await run(here, [textVideo('warm'), textVideo('a')]);
    here.service.force(POST);
    await here.clock.wait(25 * 3_600_000);
    const late = await run(here, [textVideo('warm'), textVideo('a')]);
    expect(late.outcome).toMatchObject({ rendered: 0, unknown: [{ id: 'a' }] });
  });

  it('sends it again when a person allowed it, once', async () => {
    const here = await world();
    here.service.force(POST, { kind: 'cut', afterDoing: true }, { kind: 'cut', afterDoing: true });
    const { state } = await run(here, [textVideo('a')]);
    const [key = ''] = state.attempts.keys();
    const allow = async (): Promise<void> => {
      const journal = await openJournalFile(here.path, { file: 'journal.ndjson' });
      await journal.append({ type: 'retry', key, at: '2026-01-01T00:00:00.000Z' });
      await journal.close();
    };
    await allow();
    expect((await run(here, [textVideo('a')])).outcome).toMatchObject({ unknown: [{ id: 'a' }] });
    expect((await run(here, [textVideo('a')])).outcome).toMatchObject({ unknown: [{ id: 'a' }] });
    expect(here.service.count(POST)).toBe(2);
    await allow();
    expect((await run(here, [textVideo('a')])).outcome).toMatchObject({ rendered: 1 });
    expect(new Set(keys(here.service)).size).toBe(1);
  });
});

describe('applyPlan() at a service that answers 404 for a session', () => {
  const many = Array.from({ length: 20 }, (_, index) => textVideo(`v${index}`));

  it('waits through five seconds of it, and pays for no running video twice', async () => {
    const here = await world({ looks: 4 });
    const startedAt = here.clock.now();
    here.service.hides = () => Math.abs(here.clock.now() - startedAt - 3_500) < 2_500;
    const { outcome } = await run(here, many);
    expect(outcome).toMatchObject({ rendered: 20, failed: [], unknown: [] });
    expect(here.service.count(LOOK)).toBeGreaterThan(20 * 4);
    expect(here.service.sessions.size).toBe(20);
  });

  it('waits through it for a session that was just made, and is not readable yet', async () => {
    const here = await world({ looks: 1 });
    const madeAt = new Map<string, number>();
    here.service.hides = (title) => here.clock.now() - (madeAt.get(title) ?? here.clock.now()) < 800;
    const { outcome, events } = await run(here, many.slice(0, 2), {
      onEvent: (event) => void (event.kind === 'video-submitted' && madeAt.set(event.id, here.clock.now())),
    });
    expect(outcome).toMatchObject({ rendered: 2, failed: [] });
    expect(events.filter(({ kind }) => kind === 'video-failed')).toEqual([]);
    expect(here.service.sessions.size).toBe(2);
  });

  it('waits through it for a session that an earlier run made, however long ago', async () => {
    const here = await world({ looks: 1_000 });
    await run(here, many, { deadlineMs: 10_000 });
    await here.clock.wait(3_600_000);
    here.service.finish();
    const resumedAt = here.clock.now();
    here.service.hides = () => here.clock.now() - resumedAt < 5_000;
    expect((await run(here, many)).outcome).toMatchObject({ rendered: 20, failed: [] });
    expect(here.service.sessions.size).toBe(20);
  });

  it('keeps a session that stays away in the journal, looks for it again, then asks', async () => {
    const here = await world({ looks: 1_000 });
    here.service.hides = () => true;
    const first = await run(here, [textVideo('a')]);
    expect(first.outcome).toMatchObject({
      failed: [{ id: 'a', failures: [{ code: 'session_gone', retryable: true }] }],
    });
    expect([...first.state.attempts.values()]).toMatchObject([{ state: 'missing', session: 'session-1' }]);
    const looks = here.service.count(LOOK);
    for (let again = 0; again < 2; again += 1) {
      const { outcome, events, actions } = await run(here, [textVideo('a')]);
      expect(actions).toEqual(['adopt']);
      expect(outcome).toMatchObject({ failed: [], unknown: [{ id: 'a', session: 'session-1' }] });
      expect(events).toContainEqual(
        expect.objectContaining({
          kind: 'video-unknown',
          failure: expect.objectContaining({
            code: 'session_gone',
            hint: expect.stringContaining('reelform resolve a --session ID, --retry or --abandon'),
          }),
        }),
      );
    }
    expect(here.service.count(LOOK)).toBeGreaterThan(looks);
    expect(here.service.count(POST)).toBe(1);
  });

  it('goes on with a session that is back, and has patience with it again', async () => {
    const here = await world({ looks: 1_000 });
    here.service.hides = () => true;
    await run(here, [textVideo('a')]);
    here.service.hides = () => false;
    const left = await run(here, [textVideo('a')], { deadlineMs: 5_000 });
    expect(left.outcome.inProgress).toEqual([{ id: 'a', session: 'session-1' }]);
    expect([...left.state.attempts.values()]).toMatchObject([{ state: 'created' }]);
    here.service.finish();
    expect((await run(here, [textVideo('a')])).outcome).toMatchObject({ rendered: 1 });
    expect(here.service.count(POST)).toBe(1);
  });

  it('leaves it at the deadline as one that is at work', async () => {
    const here = await world({ looks: 1_000 });
    await run(here, [textVideo('a')], { deadlineMs: 1_000 });
    here.service.hides = () => true;
    const { outcome } = await run(here, [textVideo('a')], { deadlineMs: 1_000 });
    expect(outcome).toMatchObject({ endedBy: 'deadline', inProgress: [{ id: 'a', session: 'session-1' }] });
  });
});

describe('applyPlan() and a video_url', () => {
  it('records one that is signed as it came, and warns', async () => {
    const here = await world();
    const signed = 'https://cdn.example.com/a.mp4?X-Amz-Expires=3600&X-Amz-Signature=abc';
    here.service.end = { video_url: signed };
    const { events } = await run(here, [textVideo('a')]);
    expect(here.lock.value.videos.get('a')?.video_url).toBe(signed);
    expect(events).toContainEqual(expect.objectContaining({ kind: 'video-warned', id: 'a' }));
    expect(events.find(({ kind }) => kind === 'video-warned')).toMatchObject({ warning: { code: 'signed_url' } });
  });
});

describe('applyPlan() and its journal', () => {
  it('posts nothing when the intent cannot be written', async () => {
    const here = await world();
    const full = (): Promise<never> => Promise.reject(new Error('ENOSPC'));
    await expect(run(here, [textVideo('a')], { journal: () => ({ begin: full }) })).rejects.toThrow('ENOSPC');
    expect(here.service.count(POST)).toBe(0);
  });

  it('names the session that it could not write down, and asks for no other', async () => {
    const here = await world();
    const journal = (file: JournalFile): Partial<Journal> => ({
      append: (record) => (record.type === 'created' ? Promise.reject(new Error('ENOSPC')) : file.append(record)),
    });
    const videos = Array.from({ length: 20 }, (_, index) => textVideo(`v${index}`));
    await expect(run(here, videos, { journal })).rejects.toMatchObject({
      code: 'write_failed',
      hint: expect.stringMatching(/resolve v\d+ --session session-\d+/),
    });
    expect(here.service.count(POST)).toBeLessThanOrEqual(4);
  });

  it('writes down what the service certainly did not make, and asks anew in the next run', async () => {
    const here = await world();
    here.service.force(POST, { kind: 'answer', status: 422, body: '{}' });
    const first = await run(here, [textVideo('a')]);
    expect(first.outcome.failed).toHaveLength(1);
    expect((await run(here, [textVideo('a')])).outcome).toMatchObject({ rendered: 1 });
    expect(new Set(keys(here.service)).size).toBe(2);
  });

  it('remembers how long the service keeps keys and how long its renders take', async () => {
    const here = await world({ keepsKeys: true });
    const { state } = await run(here, [textVideo('a'), textVideo('b')]);
    const facts = state.services.get(new URL(here.service.url).origin);
    expect(facts?.keyLifetimeMs).toBeGreaterThan(3_600_000);
    expect(facts?.durationsMs.get('tsv_1')?.length).toBeGreaterThan(0);
  });
});

describe('applyPlan() that is asked to end', () => {
  it('leaves what is at work at the deadline, and the next run waits for it', async () => {
    const here = await world({ looks: 1_000 });
    const first = await run(here, [textVideo('a'), textVideo('b')], { deadlineMs: 10_000 });
    expect(first.outcome).toMatchObject({
      ...{ rendered: 0, failed: [], skipped: [], endedBy: 'deadline' },
      inProgress: [
        { id: 'a', session: 'session-1' },
        { id: 'b', session: 'session-2' },
      ],
    });
    const second = await run(here, [textVideo('a'), textVideo('b')], { deadlineMs: 10_000 });
    expect(second.actions).toEqual(['adopt', 'adopt']);
    expect(second.events.filter(({ kind }) => kind === 'video-started')).toMatchObject([
      { begin: 'resumed' },
      { begin: 'resumed' },
    ]);
    expect(here.service.count(POST)).toBe(2);
    expect(here.service.count(LOOK)).toBeGreaterThanOrEqual(2);
  });

  it('leaves what is at work when it is told to go, and posts nothing after the first word', async () => {
    const here = await world({ looks: 1_000 });
    const [stop, detach] = [new AbortController(), new AbortController()];
    const videos = Array.from({ length: 10 }, (_, index) => textVideo(`v${index}`));
    const { outcome } = await run(here, videos, {
      signal: stop.signal,
      detach: detach.signal,
      onEvent({ kind }) {
        if (kind !== 'video-submitted') return;
        stop.abort();
        setImmediate(() => detach.abort());
      },
    });
    expect(outcome).toMatchObject({ rendered: 0, failed: [], endedBy: 'interrupted' });
    expect(outcome.inProgress.length + outcome.skipped.length).toBe(10);
    expect(here.service.count(POST)).toBe(outcome.inProgress.length);
  });
});
