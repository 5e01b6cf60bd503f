import { expect, it } from 'vitest';
import { ServiceError } from '../../../../src/contract/service-error.ts';
import { createSessionTable } from '../../../../src/service/server/store/session-table.ts';
import type { SessionQuery } from '../../../../src/service/sessions/ports.ts';
import { describeOnDatabases, type TestDatabases } from '../../../support/databases.ts';
import { ACME, makeClaim, makeInput, makeSession, makeStored, NOW, OTHER } from './sessions.ts';

async function openTable(databases: TestDatabases, now = () => NOW) {
  const { database, ...address } = await databases.open();
  const queued: string[] = [];
  const table = createSessionTable({
    database,
    now,
    async onStatus(_, { session }) {
      if (session.status === 'preview_rendering') queued.push(session.id);
    },
  });
  return { table, database, queued, ...address };
}

const ALL: SessionQuery = {
  limit: 100,
  cursor: null,
  status: null,
  styleVersionId: null,
  createdSince: null,
  createdBefore: null,
  metadata: {},
};

describeOnDatabases('createSessionTable()', (databases) => {
  it('returns created sessions unchanged', async () => {
    const { table } = await openTable(databases);
    const stored = makeStored({ title: 'z\u0000\ud800 é', fonts: ['b', 'a'] });
    const resources = stored.session.mapping.resources;
    Object.defineProperty(resources, '__proto__', { value: { source: { text: 'x' } }, enumerable: true });
    expect(await table.create(stored, null)).toEqual({ value: stored.session, isReplay: false });
    const found = await table.get(ACME, stored.session.id);
    expect(found).toEqual(stored);
    expect(JSON.stringify(found?.session)).toBe(JSON.stringify(stored.session));
  });

  it('hides a session from other tenants', async () => {
    const { table } = await openTable(databases);
    const { session } = makeStored();
    await table.create(makeStored(session), null);
    expect(await table.get(OTHER, session.id)).toBeNull();
    expect((await table.list(OTHER, ALL)).sessions).toEqual([]);
    expect(await table.change(OTHER, session.id, null, (before) => before)).toBeNull();
    expect(await table.remove(OTHER, session.id)).toBe(false);
    expect(await table.remove(ACME, session.id)).toBe(true);
    expect(await table.get(ACME, session.id)).toBeNull();
  });

  it('rejects ids with invalid text with a 400', async () => {
    const { table } = await openTable(databases);
    await expect(table.get(ACME, 'a\0')).rejects.toBeInstanceOf(ServiceError);
  });

  it('queues sessions to render, but not drafts', async () => {
    const { table, queued } = await openTable(databases);
    const draft = makeStored({ status: 'draft' });
    const preview = makeStored();
    await table.create(draft, null);
    await table.create(preview, null);
    expect(queued).toEqual([preview.session.id]);
    const start = () =>
      table.change(ACME, draft.session.id, null, (session) => ({ ...session, status: 'preview_rendering' }));
    expect(await start()).toMatchObject({ isReplay: false, value: { status: 'preview_rendering' } });
    await start();
    expect(queued).toEqual([preview.session.id, draft.session.id]);
  });

  it('reports each status change once with the current session', async () => {
    const { database } = await databases.open();
    const told: unknown[] = [];
    const table = createSessionTable({
      database,
      now: () => NOW,
      async onStatus(_, { tenant, session }) {
        told.push([tenant, session.status, session.title]);
      },
    });
    const stored = makeStored({ status: 'draft' });
    const { id, title } = stored.session;
    await table.create(stored, null);
    await table.change(ACME, id, null, (session) => ({ ...session, title: 'x' }));
    await table.change(ACME, id, null, (session) => ({ ...session, status: 'preview_rendering' }));
    const taken = await table.begin(id);
    await table.record(id, taken!.attempt, { ...taken!.session, render_progress: 50 });
    await table.record(id, taken!.attempt, { ...taken!.session, status: 'preview_rendered' }, makeInput('a'));
    expect(await table.record(id, taken!.attempt, { ...taken!.session, status: 'preview_failed' })).toBe(false);
    expect(told).toEqual([
      [ACME, 'draft', title],
      [ACME, 'preview_rendering', 'x'],
      [ACME, 'preview_rendered', 'x'],
    ]);
  });

  it('stores nothing for a session that cannot be queued', async () => {
    const { database } = await openTable(databases);
    const table = createSessionTable({ database, now: () => NOW, onStatus: () => Promise.reject(new Error('full')) });
    const stored = makeStored();
    await expect(table.create(stored, makeClaim('k'))).rejects.toThrow('full');
    expect(await table.get(ACME, stored.session.id)).toBeNull();
    expect(await database.query('select * from reelform.claims')).toEqual([]);
  });

  it('replays the first answer for the same key and request although the session has changed', async () => {
    const { table, queued } = await openTable(databases);
    const first = makeStored();
    await table.create(first, makeClaim('k'));
    await table.begin(first.session.id);
    await table.record(first.session.id, 1, { ...first.session, render_progress: 50 });
    expect(await table.create(makeStored(), makeClaim('k'))).toEqual({ isReplay: true, value: first.session });
    await expect(table.create(makeStored(), makeClaim('k', 'other'))).rejects.toMatchObject({
      status: 422,
      code: 'idempotency_key_reused',
    });
    expect(queued).toEqual([first.session.id]);
    expect(await table.create(makeStored({}, OTHER), makeClaim('k', 'other'))).toMatchObject({ isReplay: false });
  });

  it('accepts an expired key again', async () => {
    let now = NOW;
    const { table } = await openTable(databases, () => now);
    await table.create(makeStored(), makeClaim('k', 'one', NOW + 1000));
    now = NOW + 1000;
    const second = makeStored();
    expect(await table.create(second, makeClaim('k', 'two', NOW + 2000))).toEqual({
      isReplay: false,
      value: second.session,
    });
    expect(await table.create(makeStored(), makeClaim('k', 'two', NOW + 2000))).toMatchObject({ isReplay: true });
  });

  it('replays a change and forgets the key of one that threw or found nothing', async () => {
    const { table } = await openTable(databases);
    const { session } = makeStored({ status: 'draft' });
    await table.create(makeStored(session), null);
    const cancel = (before: typeof session) => {
      if (before.status === 'preview_canceled') throw new ServiceError(409, 'wrong_state', 'It is canceled');
      return { ...before, status: 'preview_canceled' };
    };
    expect(await table.change(ACME, 'rs_none', makeClaim('k'), cancel)).toBeNull();
    expect(await table.change(ACME, session.id, makeClaim('k'), cancel)).toMatchObject({ isReplay: false });
    expect(await table.change(ACME, session.id, makeClaim('k'), cancel)).toMatchObject({
      isReplay: true,
      value: { status: 'preview_canceled' },
    });
    await expect(table.change(ACME, session.id, makeClaim('l'), cancel)).rejects.toMatchObject({ status: 409 });
    expect(await table.change(ACME, session.id, makeClaim('l'), (before) => before)).toMatchObject({ isReplay: false });
  });

  it('lists newest first in pages without repetitions or gaps', async () => {
    const { table } = await openTable(databases);
    const at = (ms: number): string => new Date(NOW + ms).toISOString();
    // Several are created in the same millisecond.
    const sessions = [5, 3, 3, 3, 1, 1, 0].map((ms, index) => makeSession({ id: `rs_${index}`, created_at: at(ms) }));
    for (const session of sessions) await table.create(makeStored(session), null);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof table.list>> = await table.list(ACME, { ...ALL, limit: 2, cursor });
      seen.push(...page.sessions.map(({ session }) => session.id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual(['rs_0', 'rs_3', 'rs_2', 'rs_1', 'rs_5', 'rs_4', 'rs_6']);
  });

  it('lists by status and style version', async () => {
    const { table } = await openTable(databases);
    const mapping = { id: 'm', template_style_version_id: 'tsv_2', resources: {} };
    await table.create(makeStored({ id: 'rs_a', status: 'draft' }), null);
    await table.create(makeStored({ id: 'rs_b', mapping }), null);
    const ids = async (query: Partial<SessionQuery>) =>
      (await table.list(ACME, { ...ALL, ...query })).sessions.map(({ session }) => session.id);
    expect(await ids({ status: 'draft' })).toEqual(['rs_a']);
    expect(await ids({ styleVersionId: 'tsv_2' })).toEqual(['rs_b']);
    expect(await ids({ status: 'draft', styleVersionId: 'tsv_2' })).toEqual([]);
  });

  it('rejects a foreign cursor', async () => {
    const { table } = await openTable(databases);
    await expect(table.list(ACME, { ...ALL, cursor: 'x' })).rejects.toMatchObject({ status: 400 });
  });

  it('lets only the newest attempt write, and only until the session has ended', async () => {
    const { table } = await openTable(databases);
    const { session } = makeStored();
    await table.create(makeStored(session), null);
    expect(await table.begin('rs_none')).toBeNull();
    expect((await table.begin(session.id))?.attempt).toBe(1);
    expect(await table.begin(session.id)).toMatchObject({ attempt: 2, session });
    const done = { ...session, status: 'preview_rendered', render_progress: 100, video_url: 'http://x' };
    expect(await table.record(session.id, 1, done, makeInput('a'))).toBe(false);
    expect(await table.record(session.id, 2, done, makeInput('a'))).toBe(true);
    expect(await table.record(session.id, 2, session)).toBe(false);
    expect(await table.begin(session.id)).toBeNull();
    expect(await table.get(ACME, session.id)).toMatchObject({ session: done, inputDigest: makeInput('a'), attempt: 2 });
    await table.remove(ACME, session.id);
    expect(await table.record(session.id, 2, done)).toBe(false);
  });

  it('never decreases progress', async () => {
    const { table } = await openTable(databases);
    const { session } = makeStored();
    await table.create(makeStored(session), null);
    const progress = async () => (await table.get(ACME, session.id))?.session.render_progress;
    await table.begin(session.id);
    await table.record(session.id, 1, { ...session, render_progress: 60 });
    await table.record(session.id, 1, { ...session, render_progress: 40 });
    expect(await progress()).toBe(60);
    expect((await table.begin(session.id))?.session.render_progress).toBe(60);
    const changed = await table.change(ACME, session.id, null, (before) => ({ ...before, render_progress: 1 }));
    expect(changed).toMatchObject({ value: { render_progress: 60 } });
    expect(await progress()).toBe(60);
  });

  it('finds an output from its rendering until its retention ends', async () => {
    let now = NOW;
    const { table } = await openTable(databases, () => now);
    const stored = makeStored();
    const { session, outputName } = stored;
    await table.create(stored, null);
    await table.begin(session.id);
    await table.record(session.id, 1, session, makeInput('a'));
    expect(await table.findOutput({ outputName })).toBeNull();
    const expires_at = new Date(NOW + 1000).toISOString();
    await table.record(session.id, 1, { ...session, status: 'preview_rendered', expires_at });
    for (const place of [{ outputName }, { sessionId: session.id }]) {
      expect(await table.findOutput(place)).toEqual({ inputDigest: makeInput('a'), title: 'Summer' });
    }
    // The id is not a secret and must not open the output that the name opens.
    expect(await table.findOutput({ outputName: session.id })).toBeNull();
    now = NOW + 1000;
    expect(await table.findOutput({ outputName })).toBeNull();
    expect(await table.findOutput({ outputName: 'out_none' })).toBeNull();
  });
});
