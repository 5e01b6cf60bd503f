import { type ClientRequest, request } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { JOB_SCHEMA } from '../../src/server/queue/install-jobs.ts';
import { openDatabase } from '../../src/server/store/open-database.ts';
import { describeOnDatabases, pgliteDatabases, SILENT } from '../support/databases.ts';
import { startService } from '../support/running-service.ts';
import { OTHER, startApp, TOKENS } from '../support/service-app.ts';
import { smallAnimation, solidPng } from '../support/small-package.ts';
import { ACME, instantRenderer, openSmallSessions, smallRequest, smallTemplates } from '../support/small-sessions.ts';
import { smallZip } from './templates/open-style-versions.ts';

const PACKAGES = { path: '/v2/template_style_versions', type: 'application/zip' };
const SOURCES = { path: '/v2/source_uploads', type: 'image/png' };

/** Begins an upload that never sends the rest of its body; resolves when the service has its headers. */
async function stalledUpload(url: string, token: string, { path, type }: typeof SOURCES): Promise<ClientRequest> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': type, 'content-length': '1000' };
  const upload = request(url + path, { method: 'POST', headers: { ...headers, expect: '100-continue' } });
  upload.on('error', () => undefined);
  onTestFinished(() => void upload.destroy());
  await new Promise((resolve) => upload.on('continue', resolve));
  upload.write('x');
  return upload;
}

/** Another package for each name. */
function packageNamed(name: string): Uint8Array {
  return smallZip({ 'animation.json': JSON.stringify({ ...smallAnimation(), nm: name }) });
}

it.each([
  { lane: PACKAGES, bytes: packageNamed('other') },
  { lane: SOURCES, bytes: solidPng('#ff0000') },
])(
  'POST $lane.path of one tenant is answered while another one has as many under way as it may',
  async ({ lane, bytes }) => {
    const service = await startService(await pgliteDatabases.address(), { maxWaiting: 3 });
    const [acme, other] = [await service.client('acme'), await service.client('other')];
    const headers = { 'content-type': lane.type };
    // Four of the eight places, and three that wait.
    const stalled = await Promise.all(Array.from({ length: 7 }, () => stalledUpload(service.url, acme.token, lane)));
    const refused = await acme.api('POST', lane.path, { body: bytes, headers });
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(refused.headers.get('retry-after')).toBe('2');
    for (let count = 0; count < 3; count++) {
      const answer = await other.api('POST', lane.path, { body: bytes, headers });
      expect([200, 201]).toContain(answer.status);
      expect(answer.headers.get('retry-after')).toBeNull();
    }
    // What is given up makes room for what waits.
    for (const upload of stalled) upload.destroy();
    const again = async (): Promise<number> => (await acme.api('POST', lane.path, { body: bytes, headers })).status;
    await expect.poll(again, { timeout: 5_000 }).toBe(201);
  },
);

it('packages of one tenant are read while those of another wait', async () => {
  const service = await startService(await pgliteDatabases.address());
  const [acme, other] = [await service.client('acme'), await service.client('other')];
  const answered: string[] = [];
  const upload = async ({ api }: typeof acme, name: string): Promise<void> => {
    const { status } = await api('POST', PACKAGES.path, {
      body: packageNamed(name),
      headers: { 'content-type': PACKAGES.type },
    });
    expect(status).toBe(201);
    answered.push(name);
  };
  const many = Array.from({ length: 12 }, (_, number) => upload(acme, `acme ${number}`));
  await upload(other, 'other');
  expect(answered.length).toBeLessThan(6);
  await Promise.all(many);
}, 60_000);

it('a dry run of one tenant is answered while another one has as many under way as it may', async () => {
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
  // Four of the eight places, three that wait, and one more.
  const many = Array.from({ length: 8 }, () => ask(TOKENS.acme));
  expect(await Promise.race(many)).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
  expect((await ask(TOKENS.other)).status).toBe(200);
  release();
  const statuses = (await Promise.all(many)).map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array.from({ length: 7 }, () => 200), 429]);
});

describeOnDatabases('still cuts', (databases, kind) => {
  it.runIf(kind === 'postgres')('take turns by the tenant that uploaded the package', async () => {
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
