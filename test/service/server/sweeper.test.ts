import { mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { ObjectStorage } from '../../../src/service/server/ports.ts';
import { createDiskStorage } from '../../../src/service/server/storage/object-storage.ts';
import { createSessionTable } from '../../../src/service/server/store/session-table.ts';
import { createTokenTable } from '../../../src/service/server/store/token-table.ts';
import { createSweeper, sweep } from '../../../src/service/server/sweeper.ts';
import { describeOnDatabases, SILENT, type TestDatabases } from '../../support/databases.ts';
import { ACME, makeClaim, makeInput, makeStored, NOW } from './store/sessions.ts';

const HOUR = 3_600_000;

async function openAll(databases: TestDatabases) {
  const { database } = await databases.open();
  const table = createSessionTable({ database, now: () => NOW, async onStatus() {} });
  const directory = await mkdtemp(join(tmpdir(), 'reelform-objects-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const storage = createDiskStorage(directory);
  /** Stores a rendering of the input with this modification time. */
  const add = async (seed: string, modifiedAt = NOW - HOUR): Promise<string> => {
    const name = makeInput(seed);
    await storage.put(`renderings/${name}/video.mp4`, new Uint8Array(1));
    await utimes(join(directory, 'renderings', name), modifiedAt / 1000, modifiedAt / 1000);
    return name;
  };
  const names = async (): Promise<string[]> => (await storage.list('renderings/')).map(({ name }) => name);
  const limits: number[] = [];
  const sources = {
    async prune(maxBytes: number) {
      limits.push(maxBytes);
      return 0;
    },
  };
  return { database, table, add, names, storage, limits, options: { database, storage, sources, now: () => NOW } };
}

describeOnDatabases('sweep()', (databases) => {
  it('ends each abandoned draft once and no other session', async () => {
    const { database } = await databases.open();
    const told: string[] = [];
    const store = createSessionTable({
      database,
      now: () => NOW,
      onStatus: async (_tx, { session }) => void told.push(`${session.id} ${session.status}`),
    });
    const { options } = await openAll(databases);
    const at = (ms: number): string => new Date(NOW + ms).toISOString();
    const old = { created_at: at(-9 * HOUR), updated_at: at(-8 * HOUR) };
    const abandoned = makeStored({ ...old, status: 'draft', missing_editables: ['t_01'] });
    const kept = [
      makeStored({ ...old, status: 'draft', updated_at: at(-8 * HOUR + 1) }),
      makeStored({ ...old, status: 'preview_rendering' }),
      makeStored({ ...old, status: 'preview_rendered' }),
    ];
    for (const stored of [abandoned, ...kept]) await store.create(stored, null);
    told.length = 0;
    const sweeping = { ...options, database, drafts: { store, afterMs: 8 * HOUR, retentionMs: HOUR } };
    expect((await sweep(sweeping)).drafts).toBe(1);
    const ended = (await store.get(ACME, abandoned.session.id))!.session;
    expect(ended).toMatchObject({
      status: 'preview_canceled',
      terminal: true,
      expires_at: at(HOUR),
      errors: [{ code: 'draft_expired', severity: 'error', retryable: false }],
    });
    expect(ended).not.toHaveProperty('missing_editables');
    expect(told).toEqual([`${ended.id} preview_canceled`]);
    for (const { session } of kept) expect((await store.get(ACME, session.id))!.session).toEqual(session);
    expect((await sweep(sweeping)).drafts).toBe(0);
  });

  it('removes expired sessions and keys', async () => {
    const { database, table, options } = await openAll(databases);
    const at = (ms: number): string => new Date(NOW + ms).toISOString();
    const over = makeStored({ status: 'preview_rendered', expires_at: at(0) });
    const upload = { to: 's3://videos/a.mp4', status: 'uploading', remote_id: null, url: null, error: null } as const;
    const kept = [
      makeStored({ status: 'preview_rendered', expires_at: at(1) }),
      makeStored({ status: 'draft', expires_at: null }),
      makeStored({ status: 'preview_rendered', expires_at: at(0), external_uploads: [upload] }),
    ];
    await table.create(over, makeClaim('over', 'body', NOW));
    await table.create(kept[0]!, makeClaim('kept', 'body', NOW + 1));
    await table.create(kept[1]!, null);
    await table.create(kept[2]!, null);
    expect(await sweep(options)).toEqual({
      drafts: 0,
      sessions: 1,
      claims: 1,
      messages: 0,
      renderings: 0,
      segments: 0,
    });
    expect(await table.get(ACME, over.session.id)).toBeNull();
    for (const { session } of kept) expect(await table.get(ACME, session.id)).not.toBeNull();
    expect(await database.query('select key from reelform.claims')).toEqual([{ key: 'kept' }]);
    expect(await sweep(options)).toEqual({
      drafts: 0,
      sessions: 0,
      claims: 0,
      messages: 0,
      renderings: 0,
      segments: 0,
    });
  });

  it('removes expired issued tokens but no operator tokens', async () => {
    const { database, options } = await openAll(databases);
    const tokens = createTokenTable({ database, now: () => NOW - HOUR });
    const at = (ms: number): string => new Date(NOW + ms).toISOString();
    const { record } = await tokens.create({ tenant: ACME, name: '', scopes: [], expiresAt: at(0) });
    const other = await tokens.create({ tenant: ACME, name: '', scopes: [], expiresAt: null });
    for (const expiresAt of [at(0), at(1)]) {
      await tokens.issue({ clientId: other.record.id, scopes: [], expiresAt, sessionId: null });
    }
    await sweep(options);
    const kept = await database.query<{ id: string; expires_at: string | null }>(
      'select id, expires_at from reelform.tokens',
    );
    expect(kept.map(({ expires_at }) => expires_at).sort()).toEqual([at(0), at(1), null]);
    expect(kept.map(({ id }) => id)).toEqual(expect.arrayContaining([record.id, other.record.id]));
  });

  it('prunes fetched sources to 10 GB', async () => {
    const { limits, options } = await openAll(databases);
    await sweep(options);
    expect(limits).toEqual([10e9]);
  });

  it('removes renderings that are an hour old and unreferenced', async () => {
    const { table, storage, names, add, options } = await openAll(databases);
    const used = async (seed: string, status: string) => {
      const stored = makeStored();
      await table.create(stored, null);
      await table.begin(stored.session.id);
      await table.record(stored.session.id, 1, { ...stored.session, status }, makeInput(seed));
    };
    await used('rendered', 'preview_rendered');
    await used('at work', 'preview_rendering');
    await used('failed', 'preview_failed');
    const kept = [await add('rendered'), await add('at work'), await add('young', NOW - HOUR + 1000)];
    await storage.put('renderings/not-a-digest/file', new Uint8Array(1));
    await add('failed');
    await add('nobody');
    expect(await sweep(options)).toEqual({
      drafts: 0,
      sessions: 0,
      claims: 0,
      messages: 0,
      renderings: 2,
      segments: 0,
    });
    expect(await names()).toEqual([...kept, 'not-a-digest'].sort());
  });

  it('keeps a rendering that a session starts to use meanwhile', async () => {
    const { table, names, add, storage, options } = await openAll(databases);
    const stored = makeStored();
    await table.create(stored, null);
    await table.begin(stored.session.id);
    const name = await add('a');
    const slow: ObjectStorage = {
      ...storage,
      async list(prefix) {
        const listed = await storage.list(prefix);
        await table.record(stored.session.id, 1, stored.session, makeInput('a'));
        return listed;
      },
    };
    expect(await sweep({ ...options, storage: slow })).toMatchObject({ renderings: 0 });
    expect(await names()).toEqual([name]);
  });

  it('allows concurrent sweeps', async () => {
    const { add, options, names } = await openAll(databases);
    for (let index = 0; index < 20; index++) await add(`input ${index}`);
    await Promise.all([sweep(options), sweep(options), sweep(options)]);
    expect(await names()).toEqual([]);
  });
});

describeOnDatabases('createSweeper()', (databases) => {
  it('sweeps at once and continues after a failure', async () => {
    const { add, names, storage, options } = await openAll(databases);
    await add('a');
    const errors: unknown[] = [];
    let fails = true;
    const flaky: ObjectStorage = {
      ...storage,
      list(prefix) {
        if (!fails) return storage.list(prefix);
        fails = false;
        return Promise.reject(new Error('the disk is gone'));
      },
    };
    const sweeper = createSweeper({
      ...options,
      storage: flaky,
      everyMs: 10,
      log: { ...SILENT, error: (fields) => void errors.push(fields) },
    });
    await expect.poll(names).toEqual([]);
    await sweeper.stop();
    expect(errors).toEqual([{ error: 'the disk is gone' }]);
  });
});
