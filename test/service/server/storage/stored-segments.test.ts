import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type Sha256, sha256 } from '../../../../src/kernel/digest.ts';
import { SCOPES } from '../../../../src/service/server/ports.ts';
import type { Settings } from '../../../../src/service/server/settings/settings-table.ts';
import { type RunningServer, startServer } from '../../../../src/service/server/start-server.ts';
import { createDiskStorage } from '../../../../src/service/server/storage/object-storage.ts';
import { createStoredSegments, sweepSegments } from '../../../../src/service/server/storage/stored-segments.ts';
import type { TenantId } from '../../../../src/service/sessions/ports.ts';
import { packRecord } from '../../../../src/service/sessions/segments/segment-cache.ts';
import { parseTemplatePackage } from '../../../../src/template/parse-template-package.ts';
import { openApi, untilEnded } from '../../../support/api.ts';
import { describeOnDatabases, SILENT, type TestDatabases } from '../../../support/databases.ts';
import { keptRenderPool } from '../../../support/kept-render-pools.ts';
import { sessionBody } from '../../../support/running-service.ts';
import { smallAnimation, smallPackageFiles } from '../../../support/small-package.ts';
import { TEST_SETTINGS } from '../../../support/test-settings.ts';

const NOW = Date.parse('2026-11-24T00:00:00Z');
const HOUR = 3_600_000;
const key = (text: string): Sha256 => sha256(text);

async function open(databases: TestDatabases) {
  const { database } = await databases.open();
  const directory = await mkdtemp(join(tmpdir(), 'reelform-segments-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const storage = createDiskStorage(directory);
  const warnings: object[] = [];
  const log = { ...SILENT, warn: (fields: object) => void warnings.push(fields) };
  const at = (nowMs: number, changes = {}) =>
    createStoredSegments({ database, storage: { ...storage, ...changes }, log, now: () => nowMs });
  const kept = async (): Promise<string[]> => (await storage.list('segments/')).map(({ name }) => name).sort();
  return { database, storage, at, kept, warnings, path: (of: Sha256) => join(directory, 'segments', of, 'segment') };
}

describeOnDatabases('createStoredSegments()', (databases) => {
  it('returns what was stored, and null for what is missing', async () => {
    const { at } = await open(databases);
    const record = packRecord({ first: 0, bytes: new Uint8Array([1, 2]) });
    await at(NOW).put(key('a'), record);
    expect(Buffer.compare((await at(NOW).get(key('a')))!, record)).toBe(0);
    expect([await at(NOW).has(key('a')), await at(NOW).has(key('b')), await at(NOW).get(key('b'))]).toEqual([
      true,
      false,
      null,
    ]);
  });

  it('returns null for a damaged segment, which can be stored again', async () => {
    const { at, path, warnings } = await open(databases);
    const record = packRecord({ first: 0 });
    await at(NOW).put(key('a'), record);
    await writeFile(path(key('a')), record.subarray(0, record.length - 1));
    expect(await at(NOW).get(key('a'))).toBeNull();
    expect(warnings).toEqual([{ segment: key('a') }]);
    await at(NOW).put(key('a'), record);
    expect(await at(NOW).get(key('a'))).not.toBeNull();
  });

  it('counts every failure of the storage as a missing segment', async () => {
    const { at, warnings } = await open(databases);
    const down = () => Promise.reject(new Error('down'));
    const store = at(NOW, { read: down, stat: down, put: down });
    await store.put(key('a'), packRecord({}));
    expect([await store.get(key('a')), await store.has(key('a'))]).toEqual([null, false]);
    expect(warnings).toHaveLength(3);
  });
});

describeOnDatabases('sweepSegments()', (databases) => {
  it('removes segments that were not used for too long', async () => {
    const { database, storage, at, kept } = await open(databases);
    await at(NOW - 5 * HOUR).put(key('unused'), packRecord(1));
    await at(NOW - 5 * HOUR).put(key('used'), packRecord(2));
    await at(NOW - 2 * HOUR).get(key('used'));
    const retention = { afterMs: 4 * HOUR, maxBytes: 1e9 };
    expect(await sweepSegments({ database, storage }, retention, NOW)).toBe(1);
    expect(await kept()).toEqual([key('used')]);
    expect(await sweepSegments({ database, storage }, retention, NOW)).toBe(0);
  });

  it('removes the least recently used segments beyond the size', async () => {
    const { database, storage, at, kept } = await open(databases);
    const record = packRecord('x'.repeat(100));
    for (const [index, name] of ['a', 'b', 'c'].entries()) await at(NOW - index * HOUR).put(key(name), record);
    const retention = { afterMs: 100 * HOUR, maxBytes: record.length * 2 };
    expect(await sweepSegments({ database, storage }, retention, NOW)).toBe(1);
    expect(await kept()).toEqual([key('a'), key('b')].sort());
  });
});

/** Eight seconds in four segments. Only the second one shows the headline. */
const FILES = (() => {
  const animation = smallAnimation();
  const times = { headline: { ip: 25, op: 35 } } as Readonly<Record<string, object>>;
  const layers = (animation.layers as { nm: string }[]).map((layer) => ({ ...layer, op: 80, ...times[layer.nm] }));
  return smallPackageFiles({ 'animation.json': JSON.stringify({ ...animation, op: 80, layers }) });
})();

describeOnDatabases('segments of a service', (databases) => {
  async function start(address: { url: string | null; directory: string }, settings: Partial<Settings> = {}) {
    const parsed = parseTemplatePackage('templates/long', FILES);
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.diagnostics));
    const server = await startServer({
      settings: { ...TEST_SETTINGS, dataDirectory: address.directory, databaseUrl: address.url, ...settings },
      version: '0.0.0-test',
      packages: [{ files: FILES }],
      log: { write() {} },
      createRenderPool: keptRenderPool,
      now: () => Date.now(),
    });
    onTestFinished(() => server.close({ now: true }));
    return { server, render: renderer(server, parsed.value.spec.id) };
  }

  function renderer(server: RunningServer, template: string) {
    return async (tenant: string, text: string) => {
      const before = await counts(server);
      const grant = { tenant: tenant as TenantId, name: '', scopes: SCOPES, expiresAt: null };
      const api = openApi(server.url, (await server.tokens.create(grant)).text);
      const { body } = await api('POST', '/v2/render_sessions', {
        body: sessionBody(template, { t_01: { source: { text } } }),
      });
      const session = await untilEnded(api, body.render_session.id);
      expect(session.status).toBe('preview_rendered');
      const after = await counts(server);
      const video = Buffer.from(await (await fetch(session.video_url)).arrayBuffer());
      return { reused: after.reused - before.reused, rendered: after.rendered - before.rendered, video };
    };
  }

  async function counts({ url }: RunningServer) {
    const text = await (await fetch(`${url}/metrics`)).text();
    const count = (outcome: string): number =>
      Number(new RegExp(`^reelform_segments_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
    return { reused: count('reused'), rendered: count('rendered') };
  }

  it('are reused by later sessions of the tenant on any process, and by no other tenant', async () => {
    const address = await databases.address();
    const directory = address.directory || (await mkdtemp(join(tmpdir(), 'reelform-data-')));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const first = await start({ ...address, directory });
    expect(await first.render('acme', 'One')).toMatchObject({ reused: 0, rendered: 4 });
    await first.server.close({ now: true });

    const { render } = await start({ ...address, directory });
    expect(await render('acme', 'Two')).toMatchObject({ reused: 3, rendered: 1 });
    const other = await render('other', 'Two');
    expect(other).toMatchObject({ reused: 0, rendered: 4 });

    const segments = join(directory, 'objects/segments');
    for (const name of await readdir(segments)) {
      const path = join(segments, name, 'segment');
      const bytes = await readFile(path);
      bytes[bytes.length - 1]! ^= 1;
      await writeFile(path, bytes);
    }
    const damaged = await render('acme', 'Three');
    expect(damaged).toMatchObject({ reused: 0, rendered: 4 });
    const whole = await render('third', 'Three');
    expect(Buffer.compare(damaged.video, whole.video)).toBe(0);
  });

  it('are not kept with segment_days: 0', async () => {
    const address = await databases.address();
    const directory = address.directory || (await mkdtemp(join(tmpdir(), 'reelform-data-')));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const { render } = await start({ ...address, directory }, { segmentDays: 0 });
    await render('acme', 'One');
    await expect(readdir(join(directory, 'objects/segments'))).rejects.toThrow('ENOENT');
  });
});
