import { describe, expect, it } from 'vitest';
import type { Journal } from '../../../src/reconciler/lock/journal.ts';
import { type JournalFile, openJournalFile } from '../../../src/reconciler/lock/journal-file.ts';
import { emptyLock } from '../../../src/reconciler/lock/lock.ts';
import type { InterfaceService } from '../../support/interface-service.ts';
import { run, world } from '../../support/run-world.ts';
import { textVideo } from '../../support/text-video.ts';

const POST = 'POST /v2/render_sessions';
const LOOK = 'GET /v2/render_sessions/{id}';

const keys = (service: InterfaceService): unknown[] =>
  service.seen.filter(({ method }) => method === 'POST').map(({ headers }) => headers['idempotency-key']);

describe('applyPlan() after a run that died', () => {
  it('waits for the requested session instead of requesting another', async () => {
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

  it('takes a finished rendering from the journal without a request', async () => {
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

describe('applyPlan() for a requested re-render', () => {
  const requested = (): boolean => true;

  it("renders again although the journal still has the lockfile's rendering", async () => {
    const here = await world();
    // A run killed before it compacts the journal leaves this state.
    await run(here, [textVideo('a')]);
    for (const session of ['session-2', 'session-3']) {
      const { outcome, actions } = await run(here, [textVideo('a')], { requested });
      expect(actions).toEqual(['update']);
      expect(outcome).toMatchObject({ rendered: 1, recorded: 0 });
      expect(here.lock.value.videos.get('a')).toMatchObject({ session });
    }
  });

  it('waits for the session of a killed run although the journal has an earlier rendering', async () => {
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

describe('applyPlan() with a service whose queue is full', () => {
  const full = (status: number, code: string) =>
    ({ kind: 'answer', status, headers: {}, body: JSON.stringify({ code, detail: 'Too many wait' }) }) as const;

  it.each([
    [429, 'queue_full'],
    [503, 'service_full'],
  ])('waits for capacity without a limit and warns once: %i %s', async (status, code) => {
    const here = await world();
    here.service.force(POST, ...Array.from({ length: 50 }, () => full(status, code)));
    const { outcome, events } = await run(here, [textVideo('a')]);
    expect(outcome).toMatchObject({ rendered: 1, failed: [], unknown: [] });
    const warnings = events.filter(({ kind }) => kind === 'video-warned');
    expect(warnings).toMatchObject([{ id: 'a', warning: { code, message: 'Too many wait' } }]);
    expect(here.service.count(POST)).toBe(51);
  });

  it('lets one video poll on behalf of all waiting ones', async () => {
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

  it('skips the video if the run is interrupted while waiting, and leaves no attempt behind', async () => {
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

  it('stops waiting at the deadline', async () => {
    const here = await world();
    here.service.force(POST, ...Array.from({ length: 500 }, () => full(503, 'service_full')));
    const { outcome } = await run(here, [textVideo('a')], { deadlineMs: 60_000 });
    expect(outcome).toMatchObject({ skipped: ['a'], endedBy: 'deadline', unknown: [] });
  });
});

describe('applyPlan() without a response', () => {
  it('reports the attempt as unknown if the service keeps no keys, renders the others, and never repeats the request', async () => {
    const here = await world();
    here.service.force(POST, { kind: 'cut', afterDoing: true });
    const videos = ['a', 'b', 'c'].map((id) => textVideo(id));
    const first = await run(here, videos);
    expect(first.outcome).toMatchObject({ rendered: 2, unknown: [{ id: 'a' }], failed: [] });
    const second = await run(here, videos);
    expect(second.outcome).toMatchObject({ rendered: 0, unknown: [{ id: 'a', askedAt: expect.any(String) }] });
    expect(here.service.count(POST)).toBe(3);
  });

  it('renders changed content of the same video, which was never requested', async () => {
    const here = await world();
    here.service.force(POST, { kind: 'cut', afterDoing: true });
    await run(here, [textVideo('a')]);
    expect((await run(here, [textVideo('a', 'other')])).outcome).toMatchObject({ rendered: 1, unknown: [] });
  });

  it('repeats the request with the same key and bytes if the service keeps keys, and gets the same session', async () => {
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

  it('does not repeat a request whose key has expired', async () => {
    const here = await world({ keepsKeys: true });
    await run(here, [textVideo('warm')]);
    here.service.force(POST, ...Array.from({ length: 20 }, () => ({ kind: 'cut', afterDoing: true }) as const));
    await run(here, [textVideo('warm'), textVideo('a')]);
    here.service.force(POST);
    await here.clock.wait(25 * 3_600_000);
    const late = await run(here, [textVideo('warm'), textVideo('a')]);
    expect(late.outcome).toMatchObject({ rendered: 0, unknown: [{ id: 'a' }] });
  });

  it('repeats the request once after a person allows it', async () => {
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

describe('applyPlan() with a service that answers 404 for a session', () => {
  const many = Array.from({ length: 20 }, (_, index) => textVideo(`v${index}`));

  it('waits through five seconds of 404 and pays for no running video twice', async () => {
    const here = await world({ looks: 4 });
    const startedAt = here.clock.now();
    here.service.hides = () => Math.abs(here.clock.now() - startedAt - 3_500) < 2_500;
    const { outcome } = await run(here, many);
    expect(outcome).toMatchObject({ rendered: 20, failed: [], unknown: [] });
    expect(here.service.count(LOOK)).toBeGreaterThan(20 * 4);
    expect(here.service.sessions.size).toBe(20);
  });

  it('waits for a new session that is not readable yet', async () => {
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

  it('waits for the session of an earlier run, however old', async () => {
    const here = await world({ looks: 1_000 });
    await run(here, many, { deadlineMs: 10_000 });
    await here.clock.wait(3_600_000);
    here.service.finish();
    const resumedAt = here.clock.now();
    here.service.hides = () => here.clock.now() - resumedAt < 5_000;
    expect((await run(here, many)).outcome).toMatchObject({ rendered: 20, failed: [] });
    expect(here.service.sessions.size).toBe(20);
  });

  it('keeps a missing session in the journal, looks for it again, then leaves the decision to the user', async () => {
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

  it('continues with a session that reappears, with full patience again', async () => {
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

  it('reports it as in progress at the deadline', async () => {
    const here = await world({ looks: 1_000 });
    await run(here, [textVideo('a')], { deadlineMs: 1_000 });
    here.service.hides = () => true;
    const { outcome } = await run(here, [textVideo('a')], { deadlineMs: 1_000 });
    expect(outcome).toMatchObject({ endedBy: 'deadline', inProgress: [{ id: 'a', session: 'session-1' }] });
  });
});

describe('applyPlan() with a signed video_url', () => {
  it('records the URL unchanged and warns', async () => {
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
  it('posts nothing if the intent cannot be written', async () => {
    const here = await world();
    const full = (): Promise<never> => Promise.reject(new Error('ENOSPC'));
    await expect(run(here, [textVideo('a')], { journal: () => ({ begin: full }) })).rejects.toThrow('ENOSPC');
    expect(here.service.count(POST)).toBe(0);
  });

  it('names the session that it could not record and requests no other', async () => {
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

  it('records that the service refused a request, and sends a new one in the next run', async () => {
    const here = await world();
    here.service.force(POST, { kind: 'answer', status: 422, body: '{}' });
    const first = await run(here, [textVideo('a')]);
    expect(first.outcome.failed).toHaveLength(1);
    expect((await run(here, [textVideo('a')])).outcome).toMatchObject({ rendered: 1 });
    expect(new Set(keys(here.service)).size).toBe(2);
  });

  it('records how long the service keeps keys and how long its renders take', async () => {
    const here = await world({ keepsKeys: true });
    const { state } = await run(here, [textVideo('a'), textVideo('b')]);
    const facts = state.services.get(new URL(here.service.url).origin);
    expect(facts?.keyLifetimeMs).toBeGreaterThan(3_600_000);
    expect(facts?.durationsMs.get('tsv_1')?.length).toBeGreaterThan(0);
  });
});

describe('applyPlan() when asked to stop', () => {
  it('leaves running sessions at the deadline for the next run', async () => {
    const here = await world({ looks: 1_000 });
    const first = await run(here, [textVideo('a'), textVideo('b')], { deadlineMs: 10_000 });
    expect(first.outcome).toMatchObject({
      rendered: 0,
      failed: [],
      skipped: [],
      endedBy: 'deadline',
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

  it('leaves running sessions when detached, and posts nothing after the first signal', async () => {
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
