import { type ClientRequest, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { JOB_SCHEMA } from '../../../src/service/server/queue/queues.ts';
import { openDatabase } from '../../../src/service/server/store/open-database.ts';
import { untilEnded } from '../../support/api.ts';
import { describeOnDatabases, pgliteDatabases, SILENT } from '../../support/databases.ts';
import { keptRenderPool } from '../../support/kept-render-pools.ts';
import { type SessionBody, sessionBody, startService } from '../../support/running-service.ts';
import { OTHER, startApp, TOKENS } from '../../support/service-app.ts';
import { smallAnimation, solidPng } from '../../support/small-package.ts';
import {
  ACME,
  instantRenderer,
  openSmallSessions,
  smallRequest,
  smallTemplates,
} from '../../support/small-sessions.ts';
import { smallZip } from './templates/open-style-versions.ts';
import { openReceiver } from './webhooks/open-test-webhooks.ts';

const PACKAGES = { path: '/v2/template_style_versions', type: 'application/zip' };
const SOURCES = { path: '/v2/source_uploads', type: 'image/png' };

/** Starts an upload that never sends the rest of its body. Resolves when the service has read its headers. */
async function stalledUpload(url: string, token: string, { path, type }: typeof SOURCES): Promise<ClientRequest> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': type, 'content-length': '1000' };
  const upload = request(url + path, { method: 'POST', headers: { ...headers, expect: '100-continue' } });
  upload.on('error', () => undefined);
  onTestFinished(() => void upload.destroy());
  await new Promise((resolve) => upload.on('continue', resolve));
  upload.write('x');
  return upload;
}

/** A different package for each name. */
function packageNamed(name: string): Uint8Array {
  return smallZip({ 'animation.json': JSON.stringify({ ...smallAnimation(), nm: name }) });
}

it.each([
  { lane: PACKAGES, bytes: packageNamed('other') },
  { lane: SOURCES, bytes: solidPng('#ff0000') },
])('POST $lane.path succeeds for one tenant while another has reached its limit', async ({ lane, bytes }) => {
  const service = await startService(await pgliteDatabases.address(), { maxWaiting: 3 });
  const [acme, other] = [await service.client('acme'), await service.client('other')];
  const headers = { 'content-type': lane.type };
  // Four running in the eight slots, and three waiting.
  const stalled = await Promise.all(Array.from({ length: 7 }, () => stalledUpload(service.url, acme.token, lane)));
  const refused = await acme.api('POST', lane.path, { body: bytes, headers });
  expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
  expect(refused.headers.get('retry-after')).toBe('2');
  for (let count = 0; count < 3; count++) {
    const answer = await other.api('POST', lane.path, { body: bytes, headers });
    expect([200, 201]).toContain(answer.status);
    expect(answer.headers.get('retry-after')).toBeNull();
  }
  // Aborted uploads free their slots.
  for (const upload of stalled) upload.destroy();
  const again = async (): Promise<number> => (await acme.api('POST', lane.path, { body: bytes, headers })).status;
  await expect.poll(again).toBe(201);
});

it('packages of one tenant are read while those of another wait', async () => {
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let held = 0;
  const service = await startService(await pgliteDatabases.address(), {}, onTestFinished, (options) => {
    const pool = keptRenderPool(options);
    return {
      ...pool,
      async run(kind, input, given) {
        if (given?.owner === 'other') begin();
        if (kind === 'package' && given?.owner === 'acme') {
          held += 1;
          await begun;
        }
        return pool.run(kind, input, given);
      },
    };
  });
  const [acme, other] = [await service.client('acme'), await service.client('other')];
  const upload = async ({ api }: typeof acme, name: string): Promise<number> => {
    const headers = { 'content-type': PACKAGES.type };
    return (await api('POST', PACKAGES.path, { body: packageNamed(name), headers })).status;
  };
  // Two of them hold half of the slots until the other tenant's package is read.
  const many = Array.from({ length: 12 }, (_, number) => upload(acme, `acme ${number}`));
  await expect.poll(() => held).toBe(2);
  expect(await upload(other, 'other')).toBe(201);
  expect(await Promise.all(many)).toEqual(Array.from({ length: 12 }, () => 201));
});

it('a dry run of one tenant succeeds while another has reached its limit', async () => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { sessions } = openSmallSessions(instantRenderer(), {
    templates: {
      async find(tenant, id) {
        if (tenant !== OTHER) await held;
        return smallTemplates.find(ACME, id);
      },
    },
  });
  const app = await startApp({ settings: { maxWaiting: 3 }, ports: { sessions } });
  onTestFinished(() => app.close());
  const ask = (token: string) => app.as(token)('POST', '/v2/render_sessions?dry_run=true', { body: smallRequest() });
  // Four running in the eight slots, three waiting, and one too many.
  const many = Array.from({ length: 8 }, () => ask(TOKENS.acme));
  expect(await Promise.race(many)).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
  expect((await ask(TOKENS.other)).status).toBe(200);
  release();
  const statuses = (await Promise.all(many)).map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array.from({ length: 7 }, () => 200), 429]);
});

/** A server that accepts requests and never answers. @returns its URL and its request count */
async function silentServer(): Promise<{ readonly url: string; readonly requests: () => number }> {
  let requests = 0;
  const server = createServer(() => {
    requests += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests: () => requests };
}

describeOnDatabases('slow servers of one tenant', (databases) => {
  it('do not delay renders of another tenant', async () => {
    const server = await silentServer();
    const service = await startService(await databases.address(), { concurrency: 2, allowSources: ['127.0.0.1:*'] });
    const [acme, other] = [await service.client('acme'), await service.client('other')];
    const render = async ({ api }: typeof acme, body: SessionBody): Promise<string> =>
      (await api('POST', '/v2/render_sessions', { body })).body.render_session.id;
    const stuck = (number: number): SessionBody =>
      sessionBody(service.styleVersion, {
        '(Footage)/USER/photo.png': { source: { remote_url: `${server.url}/${number}.png` } },
      });
    const quietAt = performance.now();
    await untilEnded(other.api, await render(other, sessionBody(service.styleVersion, {}, 'quiet')));
    const quietMs = performance.now() - quietAt;
    const ids: string[] = [];
    for (let number = 0; number < 12; number++) ids.push(await render(acme, stuck(number)));
    await expect.poll(server.requests).toBe(4);
    const text = { t_01: { source: { text: 'other' } } };
    const attackedAt = performance.now();
    const ended = await untilEnded(other.api, await render(other, sessionBody(service.styleVersion, text)));
    expect(ended.status).toBe('preview_rendered');
    // Its slot may be lent for one second. Behind the slow servers it would wait for 30.
    expect(performance.now() - attackedAt).toBeLessThan(2 * quietMs + 20_000);
    const states = await Promise.all(
      ids.map(async (id) => (await acme.api('GET', `/v2/render_sessions/${id}`)).body.render_session.status),
    );
    // Four at a time fail after 30 seconds.
    expect(states).toContain('preview_rendering');
  });

  it('do not delay webhooks of another tenant', async () => {
    const server = await silentServer();
    const service = await startService(await databases.address(), { allowWebhooks: ['127.0.0.1:*'] });
    const [acme, other] = [await service.client('acme'), await service.client('other')];
    const endpoint = async ({ api }: typeof acme, url: string): Promise<string> =>
      (await api('POST', '/v2/webhook_endpoints', { body: { url } })).body.webhook_endpoint.id;
    const test = ({ api }: typeof acme, id: string) => api('POST', `/v2/webhook_endpoints/${id}/test`, { body: {} });
    const receiver = await openReceiver();
    for (let count = 0; count < 6; count++) {
      const id = await endpoint(acme, `${server.url}/${count}`);
      for (let message = 0; message < 5; message++) expect((await test(acme, id)).status).toBe(202);
    }
    await expect.poll(server.requests).toBeGreaterThanOrEqual(4);
    await test(other, await endpoint(other, receiver.url));
    await expect.poll(() => receiver.arrived.length).toBe(1);
    expect(server.requests()).toBeLessThan(30);
  });
});

describeOnDatabases('still cuts', (databases, kind) => {
  it.runIf(kind === 'postgres')('alternate between the tenants that uploaded the packages', async () => {
    const address = await databases.address();
    const service = await startService(address, { concurrency: 0 });
    for (const name of ['acme 1', 'acme 2', 'acme 3', 'other 1']) {
      const { api } = await service.client(name.split(' ')[0]);
      const headers = { 'content-type': PACKAGES.type };
      expect((await api('POST', PACKAGES.path, { body: packageNamed(name), headers })).status).toBe(201);
    }
    const database = await openDatabase({ ...address, log: SILENT });
    onTestFinished(() => database.close());
    const jobs = await database.query<{ priority: number }>(
      `select j.priority from ${JOB_SCHEMA}.job j join reelform.style_versions v on v.id = j.data ->> 'id'
        where j.name = 'stillcuts' and v.tenant is not null order by j.created_on`,
    );
    expect(jobs.map(({ priority }) => priority)).toEqual([-1, -2, -3, -1]);
  });
});
