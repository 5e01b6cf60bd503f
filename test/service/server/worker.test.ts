import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { JOB_SCHEMA } from '../../../src/service/server/queue/queues.ts';
import type { Settings } from '../../../src/service/server/settings/settings-table.ts';
import { type RunningWorker, startWorker } from '../../../src/service/server/start-worker.ts';
import { openDatabase } from '../../../src/service/server/store/open-database.ts';
import { describeOnDatabases, SILENT } from '../../support/databases.ts';
import { sessionBody, startService } from '../../support/running-service.ts';
import { TEST_SETTINGS } from '../../support/test-settings.ts';

function start(settings: Partial<Settings>, listens = false): Promise<RunningWorker> {
  const options = { version: '0.0.0-test', log: { write() {} }, now: () => Date.now() };
  return startWorker({ ...options, listens, settings: { ...TEST_SETTINGS, ...settings } });
}

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reelform-worker-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describeOnDatabases('startWorker()', (databases, kind) => {
  if (kind === 'pglite') {
    it('rejects a database that it cannot share and an empty set of duties', async () => {
      await expect(start({})).rejects.toMatchObject({
        code: 'settings_invalid',
        message: expect.stringContaining('PostgreSQL'),
      });
      const nothing = { databaseUrl: 'postgres://x/y', concurrency: 0 };
      await expect(start(nothing)).rejects.toMatchObject({
        code: 'settings_invalid',
        message: expect.stringContaining('needs a concurrency of at least 1'),
      });
    });
    return;
  }

  it('changes nothing where no service has been started', async () => {
    const { url } = await databases.address();
    const database = await openDatabase({ url, directory: '', log: SILENT });
    onTestFinished(() => database.close());
    for (const schema of ['reelform', JOB_SCHEMA]) await database.query(`drop schema ${schema} cascade`);
    const folder = await emptyFolder();
    await expect(start({ databaseUrl: url, dataDirectory: folder })).rejects.toMatchObject({
      code: 'settings_invalid',
      message: expect.stringContaining('No service'),
    });
    const schemas = `select nspname from pg_namespace where nspname in ('reelform', '${JOB_SCHEMA}')`;
    expect(await database.query(schemas)).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });

  it('renders the sessions of a service without renderers and is listed as its worker until it ends', async () => {
    const address = await databases.address();
    const shared = { databaseUrl: address.url };
    const alone = { ...shared, dataDirectory: await emptyFolder() };
    await expect(start(alone)).rejects.toMatchObject({
      code: 'settings_invalid',
      message: expect.stringContaining('No service'),
    });
    const service = await startService(address, { concurrency: 0 });
    await expect(start(alone)).rejects.toMatchObject({
      code: 'settings_invalid',
      message: expect.stringContaining('storage'),
    });

    const ready = async (url: string) => {
      const answer = await fetch(`${url}/readyz`);
      return { status: answer.status, ...((await answer.json()) as { checks: { worker: boolean } }).checks };
    };
    expect(await ready(service.url)).toMatchObject({ status: 200, worker: false });
    const worker = await start({ ...shared, dataDirectory: service.dataDirectory, port: 0 }, true);
    onTestFinished(() => worker.close({ now: true }));
    expect(worker.publicUrl).toBe(service.url);
    await vi.waitUntil(async () => (await ready(service.url)).worker, { timeout: 40_000 });
    expect(await ready(worker.url!)).toMatchObject({ status: 200, worker: true });
    expect((await fetch(`${worker.url}/v2/render_sessions`)).status).toBe(404);

    const { api } = await service.client();
    const { body } = await api('POST', '/v2/render_sessions', { body: sessionBody(service.styleVersion) });
    const path = `/v2/render_sessions/${body.render_session.id}`;
    const session = async () => (await api('GET', path)).body.render_session;
    await vi.waitUntil(async () => (await session()).terminal, { timeout: 40_000, interval: 50 });
    const { status, video_url } = await session();
    expect(status).toBe('preview_rendered');
    expect(video_url).toContain(`${service.url}/outputs/`);
    expect((await fetch(video_url)).headers.get('content-type')).toBe('video/mp4');

    const metrics = await (await fetch(`${worker.url}/metrics`)).text();
    expect(metrics).toMatch(/^reelform_workers 1$/m);
    expect(metrics).toMatch(/^reelform_queue_depth\{queue="render"\} 0$/m);
    await worker.close();
    await vi.waitUntil(async () => !(await ready(service.url)).worker, { timeout: 40_000 });
  });
});
