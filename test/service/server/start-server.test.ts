import { describe, expect, it, onTestFinished } from 'vitest';
import type { RenderPool, RenderPoolOptions } from '../../../src/service/sessions/processes/render-pool.ts';
import { anyDatabases, describeOnDatabases } from '../../support/databases.ts';
import { freePort } from '../../support/free-port.ts';
import { keptRenderPool } from '../../support/kept-render-pools.ts';
import { startService } from '../../support/running-service.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';

describe('metrics_port', () => {
  it('serves /metrics and the probes separately from the interface', async () => {
    const service = await startService(await anyDatabases.address(), { metricsPort: 0, concurrency: 0 });
    const { metricsUrl } = service.server;
    expect(metricsUrl).not.toBe(service.url);
    const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;
    expect(await statusOf(`${metricsUrl}/metrics`)).toBe(200);
    expect(await statusOf(`${metricsUrl}/healthz`)).toBe(200);
    expect(await statusOf(`${metricsUrl}/v2/render_sessions`)).toBe(404);
    expect(await statusOf(`${service.url}/metrics`)).toBe(404);
    expect(await statusOf(`${service.url}/healthz`)).toBe(200);
    await service.server.close();
    await expect(fetch(`${metricsUrl}/healthz`)).rejects.toThrow();
  });

  it('must differ from the port of the service', async () => {
    const port = await freePort();
    const started = startService({ url: null, directory: '' }, { port, metricsPort: port });
    await expect(started).rejects.toMatchObject({ code: 'settings_invalid' });
  });

  it('is rejected before anything is opened when the port is taken', async () => {
    const other = await startService(await anyDatabases.address(), { concurrency: 0 });
    const metricsPort = Number(new URL(other.url).port);
    const started = startService({ url: null, directory: '' }, { metricsPort });
    await expect(started).rejects.toMatchObject({ code: 'address_in_use' });
  });
});

describe('startServer()', () => {
  it.each([0, 3])('starts processes for %s renders before there is one', async (concurrency) => {
    const started: number[] = [];
    const createRenderPool = (options: RenderPoolOptions): RenderPool => {
      const pool = keptRenderPool(options);
      return { ...pool, warm: (tasks) => void started.push(tasks) };
    };
    await startService(await anyDatabases.address(), { concurrency }, onTestFinished, createRenderPool);
    expect(started).toEqual([concurrency]);
  });
});

describe('RunningServer.close()', () => {
  it('logs when it begins and when it has ended', async () => {
    const { server, log } = await startService(await anyDatabases.address(), { concurrency: 0, drainSeconds: 7 });
    await server.close();
    const lines = log.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.slice(-2)).toMatchObject([{ msg: 'stopping', drain_seconds: 7 }, { msg: 'stopped' }]);
  });
});

describeOnDatabases('/metrics', (databases, kind) => {
  it.runIf(kind === 'postgres')('answers while PostgreSQL is silent', async () => {
    const { url, directory } = await databases.address();
    const proxy = await startTcpProxy(url!.replace(/^postgres:/, 'http:'));
    onTestFinished(() => proxy.close());
    const through = Object.assign(new URL(url!), { host: new URL(proxy.url).host }).href;
    const service = await startService({ url: through, directory }, { concurrency: 0 });
    const text = async (): Promise<string> => (await fetch(`${service.url}/metrics`)).text();
    expect(await text()).toMatch(/^reelform_database_up 1$/m);
    proxy.cut();
    const without = await text();
    proxy.mend();
    expect(without).toMatch(/^reelform_database_up 0$/m);
    expect(without).toContain('process_resident_memory_bytes');
    // The queue figures may be up to a second old.
    expect(without).not.toMatch(/^reelform_webhook_pending/m);
  });
});
