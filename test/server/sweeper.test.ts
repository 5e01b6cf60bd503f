import { Readable } from 'node:stream';
import { expect, it, vi } from 'vitest';
import type { ObjectStorage } from '../../src/server/ports.ts';
import { createSessionTable } from '../../src/server/store/session-table.ts';
import { createSweeper, sweep } from '../../src/server/sweeper.ts';
import { describeOnDatabases, SILENT, type TestDatabases } from '../support/databases.ts';
import { ACME, makeClaim, makeScene, makeStored, NOW } from './store/sessions.ts';

const HOUR = 3_600_000;

/** What the sweeper sees of a storage: names below `renderings/` and when they were written. */
function makeStorage(files: Map<string, number>): ObjectStorage {
  return {
    async put() {},
    stat: async () => null,
    read: async () => null,
    stream: () => Readable.from([]),
    async remove(prefix) {
      files.delete(prefix);
    },
    list: async (prefix) => [...files].map(([key, modifiedAt]) => ({ name: key.slice(prefix.length, -1), modifiedAt })),
  };
}

async function openAll(databases: TestDatabases) {
  const { database } = await databases.open();
  const table = createSessionTable({ database, now: () => NOW, async enqueue() {} });
  const files = new Map<string, number>();
  const add = (scene: string, modifiedAt = NOW - HOUR): string => {
    const key = `renderings/${makeScene(scene)}/`;
    files.set(key, modifiedAt);
    return key;
  };
  return { database, table, files, add, options: { database, storage: makeStorage(files), now: () => NOW } };
}

describeOnDatabases('sweep()', (databases) => {
  it('removes sessions and keys that have had their time', async () => {
    const { database, table, options } = await openAll(databases);
    const at = (ms: number): string => new Date(NOW + ms).toISOString();
    const over = makeStored({ status: 'preview_rendered', expires_at: at(0) });
    const kept = [
      makeStored({ status: 'preview_rendered', expires_at: at(1) }),
      makeStored({ status: 'draft', expires_at: null }),
    ];
    await table.create(over, makeClaim('over', 'body', NOW));
    await table.create(kept[0]!, makeClaim('kept', 'body', NOW + 1));
    await table.create(kept[1]!, null);
    expect(await sweep(options)).toEqual({ sessions: 1, claims: 1, renderings: 0 });
    expect(await table.get(ACME, over.session.id)).toBeNull();
    for (const { session } of kept) expect(await table.get(ACME, session.id)).not.toBeNull();
    expect(await database.query('select key from reelform.claims')).toEqual([{ key: 'kept' }]);
    expect(await sweep(options)).toEqual({ sessions: 0, claims: 0, renderings: 0 });
  });

  it('removes renderings that no session refers to, and that are an hour old', async () => {
    const { table, files, add, options } = await openAll(databases);
    const used = async (scene: string, status: string) => {
      const stored = makeStored();
      await table.create(stored, null);
      await table.begin(stored.session.id);
      await table.record(stored.session.id, 1, { ...stored.session, status }, makeScene(scene));
    };
    await used('rendered', 'preview_rendered');
    await used('at work', 'preview_rendering');
    await used('failed', 'preview_failed');
    const kept = [add('rendered'), add('at work'), add('young', NOW - HOUR + 1)];
    files.set('renderings/not-a-scene/', 0);
    add('failed');
    add('nobody');
    expect(await sweep(options)).toEqual({ sessions: 0, claims: 0, renderings: 2 });
    expect([...files.keys()]).toEqual([...kept, 'renderings/not-a-scene/']);
  });

  it('leaves a rendering to a session that takes it up in the meantime', async () => {
    const { table, files, add, options } = await openAll(databases);
    const stored = makeStored();
    await table.create(stored, null);
    await table.begin(stored.session.id);
    const key = add('a');
    const list = options.storage.list;
    options.storage.list = async (prefix) => {
      const names = await list(prefix);
      await table.record(stored.session.id, 1, stored.session, makeScene('a'));
      return names;
    };
    expect(await sweep(options)).toMatchObject({ renderings: 0 });
    expect(files.has(key)).toBe(true);
  });

  it('may run several times at once', async () => {
    const { add, options, files } = await openAll(databases);
    for (let index = 0; index < 20; index++) add(`scene ${index}`);
    await Promise.all([sweep(options), sweep(options), sweep(options)]);
    expect(files.size).toBe(0);
  });
});

describeOnDatabases('createSweeper()', (databases) => {
  it('sweeps at once, and goes on after a failure', async () => {
    const { add, files, options } = await openAll(databases);
    add('a');
    const errors: unknown[] = [];
    let fails = true;
    const list = options.storage.list;
    options.storage.list = (prefix) => {
      if (!fails) return list(prefix);
      fails = false;
      return Promise.reject(new Error('the disk is gone'));
    };
    const sweeper = createSweeper({
      ...options,
      everyMs: 10,
      log: { ...SILENT, error: (fields) => void errors.push(fields) },
    });
    await vi.waitUntil(() => files.size === 0);
    await sweeper.stop();
    expect(errors).toEqual([{ error: 'the disk is gone' }]);
  });
});
