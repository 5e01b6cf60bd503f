import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { RenderSession } from '../../../src/contract/wire/render-session.ts';
import type { RunClock } from '../../../src/reconciler/apply/session-watcher.ts';
import { type JournalRecord, journalText, parseJournal } from '../../../src/reconciler/lock/journal.ts';
import { openJournalFile } from '../../../src/reconciler/lock/journal-file.ts';
import { answerScenario, newAnswerFigures } from '../../support/answer-faults.ts';
import type { InterfaceService } from '../../support/interface-service.ts';
import { run, type World, world } from '../../support/run-world.ts';
import { textVideo } from '../../support/text-video.ts';

const POST = 'POST /v2/render_sessions';
const LOOK = 'GET /v2/render_sessions/{id}';
const LIST = 'GET /v2/render_sessions';
const many = (count: number) => Array.from({ length: count }, (_, index) => textVideo(`v${index}`));

/** Ids of the recorded videos whose session was created for another title. */
function wrong({ lock, service }: World): string[] {
  return [...lock.value.videos]
    .filter(([id, { session }]) => service.sessions.get(session)?.title !== id)
    .map(([id]) => id);
}

describe('applyPlan() with a rendered session whose URL is not known yet', () => {
  it('waits some seconds for the URL, records it, and pays once', async () => {
    const here = await world();
    here.service.end = { video_url: null, thumbnails: [] };
    const startedAt = here.clock.now();
    here.service.alters = (_, session) => {
      if (here.clock.now() - startedAt > 20_000) here.service.end = {};
      return session;
    };
    const { outcome } = await run(here, many(3));
    expect(outcome).toMatchObject({ rendered: 3, failed: [], unknown: [] });
    expect(here.lock.value.videos.get('v1')?.video_url).toMatch(/\.mp4$/);
    expect(here.service.count(POST)).toBe(3);
  });

  it('keeps the session as missing after two minutes, reads it in each further run, and requests no other', async () => {
    const here = await world();
    here.service.end = { video_url: null };
    const first = await run(here, [textVideo('a')]);
    expect(first.outcome.failed).toMatchObject([
      { id: 'a', failures: [{ code: 'session_without_video', retryable: true }] },
    ]);
    expect([...first.state.attempts.values()]).toMatchObject([
      { state: 'missing', session: 'session-1', missing: 'session_without_video' },
    ]);
    const second = await run(here, [textVideo('a')]);
    expect(second.actions).toEqual(['adopt']);
    expect(second.outcome.unknown).toMatchObject([{ id: 'a', session: 'session-1', code: 'session_without_video' }]);
    here.service.end = {};
    expect((await run(here, [textVideo('a')])).outcome).toMatchObject({ rendered: 1 });
    expect(here.service.count(POST)).toBe(1);
  });

  it('waits for the URL of each further output', async () => {
    const here = await world();
    const outputs = [{ name: 'wide' }, { name: 'square' }];
    const file = (name: string, video_url: string | null) => ({ name, format: 'mp4', video_url }) as const;
    let looks = 0;
    here.service.alters = (kind, session) => {
      if (kind === 'get') looks += 1;
      const url = (name: string): string | null => (session.video_url === null ? null : `https://x.test/${name}`);
      return { ...session, outputs: [file('wide', url('wide')), file('square', looks < 6 ? null : url('square'))] };
    };
    const { outcome } = await run(here, [{ ...textVideo('a'), outputs: outputs as never }]);
    expect(outcome).toMatchObject({ rendered: 1, failed: [] });
    expect(here.lock.value.videos.get('a')?.outputs).toMatchObject([
      { name: 'square', video_url: 'https://x.test/square' },
    ]);
  });
});

describe('applyPlan() after a failed session', () => {
  const errors = [{ code: 'render_crashed', title: 'crashed' }] as unknown as RenderSession['errors'];

  it('reads the session again and takes it when the service has mended it', async () => {
    const here = await world();
    here.service.end = { status: 'preview_failed', video_url: null, errors };
    const first = await run(here, [textVideo('a')]);
    expect(first.outcome.failed).toMatchObject([{ id: 'a', failures: [{ code: 'render_crashed' }] }]);
    here.service.end = {};
    const second = await run(here, [textVideo('a')]);
    expect(second.outcome).toMatchObject({ rendered: 1, failed: [] });
    expect(here.service.count(POST)).toBe(1);
    expect(here.lock.value.videos.get('a')).toMatchObject({ session: 'session-1' });
  });

  it('requests a new session when the old one is still failed, or gone', async () => {
    const here = await world();
    here.service.end = { status: 'preview_failed', video_url: null, errors };
    await run(here, [textVideo('a')]);
    const second = await run(here, [textVideo('a')]);
    expect(second.outcome.failed).toHaveLength(1);
    expect(here.service.count(POST)).toBe(2);
    here.service.hides = () => here.service.count(POST) < 3;
    here.service.end = {};
    expect((await run(here, [textVideo('a')])).outcome).toMatchObject({ rendered: 1 });
    expect(here.service.count(POST)).toBe(3);
    expect(here.lock.value.videos.get('a')).toMatchObject({ session: 'session-3' });
  });

  it('requests no new session while it cannot read the old one', async () => {
    const here = await world();
    here.service.end = { status: 'preview_failed', video_url: null, errors };
    await run(here, [textVideo('a')]);
    here.service.end = {};
    here.service.force(LOOK, ...Array.from({ length: 5 }, () => ({ kind: 'answer', status: 503 }) as const));
    expect((await run(here, [textVideo('a')])).outcome.failed).toHaveLength(1);
    expect((await run(here, [textVideo('a')])).outcome).toMatchObject({ rendered: 1 });
    expect(here.service.count(POST)).toBe(1);
  });
});

/** Ways in which an answer is about something else than the request. */
const OTHERS: readonly (readonly [name: string, change: (session: RenderSession) => unknown])[] = [
  ['another title', (session) => ({ ...session, title: 'somebody else' })],
  [
    'another style version',
    (session) => ({ ...session, mapping: { ...session.mapping, template_style_version_id: 'tsv_2' } }),
  ],
  [
    'another text',
    (session) => ({ ...session, mapping: { ...session.mapping, resources: { t_01: { source: { text: 'other' } } } } }),
  ],
];
const OTHER_ID = ['another id', (session: RenderSession) => ({ ...session, id: 'session-99' })] as const;

describe('applyPlan() with an answer about something else', () => {
  it.each(OTHERS)('to its POST, with %s, records nothing and reports it as unknown', async (_, change) => {
    const here = await world();
    here.service.alters = (kind, session) => (kind === 'post' && session.title === 'v1' ? change(session) : session);
    for (let again = 0; again < 2; again += 1) {
      const { outcome } = await run(here, many(3));
      expect(outcome).toMatchObject({
        rendered: again === 0 ? 2 : 0,
        failed: [],
        unknown: [{ id: 'v1', session: null }],
      });
    }
    expect(here.lock.value.videos.has('v1')).toBe(false);
    expect(here.service.count(POST)).toBe(3);
  });

  it.each([...OTHERS, OTHER_ID])('to its GET, with %s, records nothing and asks again', async (_, change) => {
    const here = await world();
    here.service.alters = (kind, session) => (kind === 'get' && session.title === 'v1' ? change(session) : session);
    for (let again = 0; again < 2; again += 1) {
      const { outcome } = await run(here, many(3));
      expect(outcome).toMatchObject({ rendered: again === 0 ? 2 : 0, failed: [] });
      expect(outcome.unknown).toMatchObject([{ id: 'v1', session: 'session-2', code: 'session_differs' }]);
    }
    expect(here.lock.value.videos.has('v1')).toBe(false);
    here.service.alters = (_kind, session) => session;
    expect((await run(here, many(3))).outcome).toMatchObject({ rendered: 1, unknown: [] });
    expect(wrong(here)).toEqual([]);
    expect(here.service.count(POST)).toBe(3);
  });

  it.each([...OTHERS, OTHER_ID])('once, with %s, reads the session again', async (_, change) => {
    const here = await world();
    let left = 2;
    here.service.alters = (kind, session) => (kind === 'get' && left-- > 0 ? change(session) : session);
    expect((await run(here, many(3))).outcome).toMatchObject({ rendered: 3, failed: [], unknown: [] });
    expect(wrong(here)).toEqual([]);
  });

  it.each(OTHERS)('in a list, with %s, reads the session by itself', async (_, change) => {
    const here = await world({ lists: true, looks: 12 });
    here.service.alters = (kind, session) =>
      kind === 'list' ? { ...(change(session) as object), video_url: 'https://x.test/other.mp4' } : session;
    expect((await run(here, many(8))).outcome).toMatchObject({ rendered: 8, failed: [], unknown: [] });
    expect(here.service.count(LIST)).toBeGreaterThan(0);
    expect([...here.lock.value.videos.values()].filter(({ video_url }) => video_url.includes('other'))).toEqual([]);
  });

  it('records no session for two videos, even if the answers carry nothing but its id', async () => {
    const here = await world();
    here.service.alters = (kind, { title, mapping, ...session }) => ({
      ...session,
      id: kind === 'post' && title === 'v1' ? 'session-1' : session.id,
    });
    const { outcome } = await run(here, many(3));
    expect(outcome).toMatchObject({ rendered: 2, unknown: [{ id: 'v1', code: 'session_differs' }] });
    // A later run finds the session in the lockfile.
    here.service.alters = (_kind, { title: _title, mapping: _mapping, ...session }) => ({
      ...session,
      id: 'session-1',
    });
    const next = await run(here, [...many(3), textVideo('late')]);
    expect(next.outcome.unknown.map(({ id }) => id)).toEqual(expect.arrayContaining(['v1', 'late']));
    expect(new Set([...here.lock.value.videos.values()].map(({ session }) => session)).size).toBe(2);
  });

  it('accepts what the interface document leaves to a service', async () => {
    const here = await world();
    const title = `A${' very'.repeat(30)} long title `;
    here.service.alters = (kind, session) => ({
      ...session,
      title: kind === 'list' ? undefined : `${title.slice(0, 70)}…`,
      mapping: {
        ...session.mapping,
        resources: { t_01: { id: 7, source: { text: 'Hello  World', kind: 'text' } }, t_02: {} },
      },
    });
    const video = { ...textVideo('a', ' hello world\n'), title };
    expect((await run(here, [video])).outcome).toMatchObject({ rendered: 1, unknown: [] });
    here.service.alters = (_kind, { id, status, video_url }) => ({ id, status, video_url });
    expect((await run(here, [textVideo('b')])).outcome).toMatchObject({ rendered: 1, unknown: [] });
  });
});

describe('applyPlan() and the account of an idempotency key', () => {
  const lose = (service: InterfaceService): void =>
    service.force(POST, ...Array.from({ length: 20 }, () => ({ kind: 'cut', afterDoing: true }) as const));
  const at = (clock: RunClock, offsetMs: number): RunClock => ({ ...clock, now: () => clock.now() + offsetMs });
  const DAY = 86_400_000;

  interface Killed {
    readonly clock?: (clock: RunClock) => RunClock;
    readonly onEvent?: () => void;
  }

  /** A service that keeps keys, and a run that was killed after its request for `a`. */
  async function killed({ onEvent, ...more }: Killed = {}) {
    const here = await world({ keepsKeys: true, otherTokens: ['rf_other'] });
    await run(here, [textVideo('warm')]);
    lose(here.service);
    const clock = more.clock?.(here.clock);
    const videos = [textVideo('warm'), textVideo('a')];
    const { outcome } = await run(here, videos, { ...(clock && { clock }), ...(onEvent && { onEvent }) });
    expect(outcome.failed).toMatchObject([{ id: 'a', failures: [{ code: 'session_unknown', retryable: true }] }]);
    here.service.force(POST);
    const posts = here.service.count(POST);
    return { here, videos, newPosts: () => here.service.count(POST) - posts };
  }

  it('repeats a request under the same token, and says so before', async () => {
    const { here, videos } = await killed();
    expect((await run(here, videos)).outcome).toMatchObject({ rendered: 1, unknown: [] });
    expect(here.service.sessions.size).toBe(2);
  });

  it('does not send the key under another token', async () => {
    const { here, videos, newPosts } = await killed();
    const { outcome, state } = await run(here, videos, { token: 'rf_other' });
    expect(outcome).toMatchObject({ rendered: 0, unknown: [{ id: 'a', code: 'session_unknown' }] });
    expect([...state.attempts.values()].at(-1)).toMatchObject({ state: 'unknown' });
    // Only a person decides from then on.
    expect((await run(here, videos)).outcome).toMatchObject({ rendered: 0, unknown: [{ id: 'a' }] });
    expect([newPosts(), here.service.sessions.size]).toEqual([0, 2]);
  });

  it('sends the key under another token after a person allowed it, and then remembers that token', async () => {
    const { here, videos } = await killed();
    await run(here, videos, { token: 'rf_other' });
    const journal = await openJournalFile(here.path, { file: 'journal.ndjson' });
    const key = [...journal.state.attempts.keys()].at(-1)!;
    await journal.append({ type: 'retry', key, at: new Date(here.clock.now()).toISOString() });
    await journal.close();
    lose(here.service);
    await run(here, videos, { token: 'rf_other' });
    here.service.force(POST);
    expect((await run(here, videos)).outcome).toMatchObject({ unknown: [{ id: 'a' }] });
    expect(here.service.sessions.size).toBe(3);
  });

  it('does not send a key that is dated in the future', async () => {
    const { here, videos, newPosts } = await killed({ clock: (clock) => at(clock, 3 * DAY) });
    await here.clock.wait(2 * DAY);
    expect((await run(here, videos)).outcome).toMatchObject({ rendered: 0, unknown: [{ id: 'a' }] });
    await here.clock.wait(1.5 * DAY);
    expect((await run(here, videos)).outcome).toMatchObject({ rendered: 0, unknown: [{ id: 'a' }] });
    expect(newPosts()).toBe(0);
  });

  it('does not send a key that has expired, although its intent is dated later: a clock was ahead', async () => {
    const { here, videos, newPosts } = await killed({ clock: (clock) => at(clock, 1.5 * DAY) });
    await here.clock.wait(2 * DAY);
    expect((await run(here, videos)).outcome).toMatchObject({ rendered: 0, unknown: [{ id: 'a' }] });
    expect([newPosts(), here.service.sessions.size]).toEqual([0, 2]);
  });

  it.each([-3, -0.5, 0.5, 3])('sends a key again after minutes, when a clock was %s days wrong', async (days) => {
    const { here, videos, newPosts } = await killed({ clock: (clock) => at(clock, days * DAY) });
    await here.clock.wait(600_000);
    expect((await run(here, videos)).outcome).toMatchObject({ rendered: 1, unknown: [] });
    expect([newPosts(), here.service.sessions.size]).toEqual([1, 2]);
  });

  it('does not send a key that has expired by the clock of the service, when the clock is behind now', async () => {
    const { here, videos, newPosts } = await killed();
    await here.clock.wait(2 * DAY);
    const { outcome } = await run(here, videos, { clock: at(here.clock, -1.5 * DAY) });
    expect(outcome).toMatchObject({ rendered: 0, unknown: [{ id: 'a' }] });
    expect([newPosts(), here.service.sessions.size]).toEqual([0, 2]);
  });

  it('does not send a key after the clock jumped during the run that sent it first', async () => {
    let aheadMs = 0;
    const { here, videos, newPosts } = await killed({
      clock: (clock) => ({ ...clock, now: () => clock.now() + aheadMs }),
      onEvent: () => {
        aheadMs = 1.5 * DAY;
      },
    });
    await here.clock.wait(2 * DAY);
    expect((await run(here, videos)).outcome).toMatchObject({ rendered: 0, unknown: [{ id: 'a' }] });
    expect([newPosts(), here.service.sessions.size]).toEqual([0, 2]);
  });

  it('leaves the decision to a person where the service sends no Date', async () => {
    const here = await world({ keepsKeys: true, sendsDate: false });
    await run(here, [textVideo('warm')]);
    lose(here.service);
    const videos = [textVideo('warm'), textVideo('a')];
    expect((await run(here, videos)).outcome).toMatchObject({ failed: [], unknown: [{ id: 'a' }] });
    here.service.force(POST);
    expect((await run(here, videos)).outcome).toMatchObject({ rendered: 0, unknown: [{ id: 'a' }] });
    expect(here.service.sessions.size).toBe(2);
  });

  it('does not send a key again if its journal does not have the time of the service', async () => {
    const { here, videos, newPosts } = await killed();
    const { records } = parseJournal(readFileSync(here.path), 'journal.ndjson');
    const old = records.map(({ service_at: _, ...record }: JournalRecord & { service_at?: string }) => record);
    writeFileSync(here.path, journalText(old as JournalRecord[]));
    expect((await run(here, videos)).outcome).toMatchObject({ rendered: 0, unknown: [{ id: 'a' }] });
    expect(newPosts()).toBe(0);
  });

  it('does not send a key that was reported as unknown, after the clock went back', async () => {
    const { here, videos, newPosts } = await killed();
    const askedAt = here.clock.now();
    await here.clock.wait(3 * DAY);
    expect((await run(here, videos)).outcome).toMatchObject({ rendered: 0, unknown: [{ id: 'a' }] });
    here.serviceClock.now = () => askedAt;
    expect((await run(here, videos, { clock: at(here.clock, -3 * DAY) })).outcome).toMatchObject({
      rendered: 0,
      unknown: [{ id: 'a' }],
    });
    expect([newPosts(), here.service.sessions.size]).toEqual([0, 2]);
  });

  it('does not send a key of which an earlier version recorded no token', async () => {
    const { here, videos, newPosts } = await killed();
    const journal = await openJournalFile(here.path, { file: 'journal.ndjson' });
    const [key, attempt] = [...journal.state.attempts].at(-1)!;
    const { account: _, ...intent } = attempt.intent;
    await journal.append({ type: 'not_created', key, at: intent.at });
    await journal.append({ type: 'intent', ...intent, key: 'old' });
    await journal.close();
    expect((await run(here, videos)).outcome).toMatchObject({ rendered: 0, unknown: [{ id: 'a' }] });
    expect(newPosts()).toBe(0);
  });

  it('records no digest that two attempts share', async () => {
    const here = await world();
    const { state } = await run(here, many(3));
    const accounts = [...state.attempts.values()].map(({ intent }) => intent.account);
    expect(accounts).toEqual(accounts.map(() => expect.stringMatching(/^[0-9a-f]{16}$/)));
    expect(new Set(accounts).size).toBe(3);
  });
});

describe('applyPlan() in five runs with late, wrong and missing answers', () => {
  it.each([0, 1, 2, 3, 4, 5, 6, 7])('pays once and records no other session (seed %i)', async (seed) => {
    expect(await answerScenario(seed, newAnswerFigures())).toEqual([]);
  });
});
