import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isOutage, serviceError } from '../../../src/contract/service-error.ts';
import { DISK_ERRORS, watchDiskSpace } from '../../../src/service/server/data-folder.ts';
import { createDiskStorage } from '../../../src/service/server/storage/object-storage.ts';
import { untilEnded } from '../../support/api.ts';
import { describeOnDatabases, putDatabase } from '../../support/databases.ts';
import { sessionBody, startService } from '../../support/running-service.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'reelform-room-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe('watchDiskSpace()', () => {
  it.each(Object.keys(DISK_ERRORS))(
    'turns %s into an outage and reports no room until that size fits',
    async (code) => {
      const room = watchDiskSpace(folder());
      expect(await room.hasRoom()).toBe(true);
      const refused = (): Promise<never> => Promise.reject(Object.assign(new Error('no'), { code }));
      const error: unknown = await room.guard(refused).catch((thrown: unknown) => thrown);
      expect(isOutage(error)).toBe(true);
      expect(error).toMatchObject({ code: 'unavailable', message: DISK_ERRORS[code] });
      expect(await room.hasRoom()).toBe(false);
      await expect(room.require()).rejects.toMatchObject({ code: 'unavailable' });
      await room.guard(refused, 10).catch(() => undefined);
      expect(await room.hasRoom()).toBe(true);
    },
  );

  it('rethrows any other error and leaves no files behind', async () => {
    const path = folder();
    const room = watchDiskSpace(path);
    await expect(room.guard(() => Promise.reject(new TypeError('no')))).rejects.toThrow(TypeError);
    await expect(room.guard(() => Promise.reject(serviceError('internal')))).rejects.toMatchObject({
      code: 'internal',
    });
    expect(await room.guard(async () => 5)).toBe(5);
    expect(await room.hasRoom()).toBe(true);
    expect(readdirSync(path)).toEqual([]);
  });

  it('reports no room in a missing directory', async () => {
    expect(await watchDiskSpace(join(folder(), 'gone')).hasRoom()).toBe(false);
  });

  it('detects a full and a read-only disk', async (context) => {
    const disk = mountSmallDisk(2);
    if (disk === null) return context.skip();
    const { directory } = disk;
    const storage = createDiskStorage(directory);
    await storage.put('a/kept', new Uint8Array(1000));
    const write = (): Promise<void> => watchDiskSpace(directory).guard(() => writeFile(join(directory, 'new'), 'x'));
    disk.fill();
    expect(await watchDiskSpace(directory).hasRoom()).toBe(false);
    await expect(write()).rejects.toMatchObject({ status: 503, message: 'The disk of the service is full' });
    await expect(storage.put('a/new', new Uint8Array(200_000))).rejects.toMatchObject({ status: 503 });
    await expect(storage.put('a/kept', new Uint8Array(200_000))).rejects.toMatchObject({ status: 503 });
    rmSync(join(directory, 'new'), { force: true });
    disk.free();
    expect(await storage.list('a/')).toMatchObject([{ name: 'kept' }]);
    expect(await storage.stat('a/kept')).toEqual({ size: 1000 });
    expect(readdirSync(join(directory, '.unfinished'))).toEqual([]);
    disk.setReadOnly(true);
    expect(await watchDiskSpace(directory).hasRoom()).toBe(false);
    await expect(write()).rejects.toMatchObject({ message: 'The disk of the service is read-only' });
    disk.setReadOnly(false);
    expect(await watchDiskSpace(directory).hasRoom()).toBe(true);
  });
});

describeOnDatabases('the service on a full disk', (databases, kind) => {
  it('queues sessions while the disk is full, reports it in /readyz, and renders them later', async (context) => {
    const disk = mountSmallDisk(kind === 'pglite' ? 200 : 8);
    if (disk === null) return context.skip();
    const directory = join(disk.directory, 'data');
    if (kind === 'pglite') await putDatabase(directory);
    const { url } = kind === 'pglite' ? { url: null } : await databases.address();
    const service = await startService({ url, directory }, { concurrency: 1 });
    const { api } = await service.client();
    const readiness = async () => (await api('GET', '/readyz')) as { status: number; body: { checks: object } };
    expect(await readiness()).toMatchObject({ status: 200, body: { checks: { disk: true } } });

    disk.fill();
    const made = await api('POST', '/v2/render_sessions', { body: sessionBody(service.styleVersion) });
    // The service checks its disk every two seconds, and a database on the same disk cannot store the session either.
    expect([201, 503]).toContain(made.status);
    await vi.waitUntil(async () => (await readiness()).status === 503, { timeout: 40_000, interval: 200 });
    expect(await readiness()).toMatchObject({ body: { checks: { disk: false } } });
    if (made.status === 201) {
      const waits = (): boolean =>
        service.log.some((line) => line.includes('a component is unreachable; job requeued'));
      await vi.waitUntil(waits, { timeout: 40_000, interval: 100 });
      const waiting = await api('GET', `/v2/render_sessions/${made.body.render_session.id}`);
      expect(waiting.body.render_session).toMatchObject({ status: 'preview_rendering', errors: [] });
    }
    const body = sessionBody(service.styleVersion);
    const refused = await api('POST', '/v2/render_sessions', { body });
    expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(refused.headers.get('retry-after')).toBe('5');
    const upload = { body: Buffer.alloc(100_000), headers: { 'content-type': 'application/zip' } };
    expect((await api('POST', '/v2/template_style_versions', upload)).status).toBe(503);

    disk.free();
    await vi.waitUntil(async () => (await readiness()).status === 200, { timeout: 40_000, interval: 200 });
    const again = await api('POST', '/v2/render_sessions', {
      body: sessionBody(service.styleVersion, { t_01: { source: { text: 'Again' } } }),
    });
    for (const { status, body } of [made, again]) {
      if (status !== 201) continue;
      expect(await untilEnded(api, body.render_session.id)).toMatchObject({ status: 'preview_rendered', errors: [] });
    }
    expect(readdirSync(join(directory, 'objects', '.unfinished'))).toEqual([]);
    expect(service.log.join('')).not.toContain('session failed');
  });
});
