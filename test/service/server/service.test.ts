import { statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseCredentials } from '../../../src/contract/destinations/parse-credentials.ts';
import { uploadsEnded } from '../../../src/contract/render-service.ts';
import { openDatabase } from '../../../src/service/server/store/open-database.ts';
import { type Api, untilEnded } from '../../support/api.ts';
import { type After, type DatabaseAddress, describeOnDatabases, SILENT } from '../../support/databases.ts';
import { type RunningService, sessionBody, startService } from '../../support/running-service.ts';
import { type S3Server, startS3Server } from '../../support/s3-server.ts';
import { solidPng } from '../../support/small-package.ts';

const PHOTO = '(Footage)/USER/photo.png';
/** Secret placed in a title, a text, an image and headers; only the session may store it. */
const CANARY = 'canary-7f3a9c';

async function post(api: Api, body: unknown, key?: string) {
  return api('POST', '/v2/render_sessions', {
    body,
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });
}

function textOf(text: string) {
  return { t_01: { source: { text } } };
}

/** Every row of every table as text. */
async function allRows(address: DatabaseAddress): Promise<string[]> {
  const database = await openDatabase({ ...address, log: SILENT });
  try {
    const tables = await database.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname like 'reelform%'`,
    );
    const rows = await Promise.all(
      tables.map(({ name }) => database.query<{ row: string }>(`select t::text as row from ${name} t`)),
    );
    return rows.flat().map(({ row }) => row);
  } finally {
    await database.close();
  }
}

describeOnDatabases('the whole service', (databases) => {
  // Shared by all tests without settings of their own. Each test draws its own text, since an input is rendered once.
  let service: RunningService;
  let bucket: S3Server;
  const undoing: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const after: After = (undo) => void undoing.unshift(undo);
    bucket = await startS3Server();
    after(() => bucket.close());
    const keys = await mkdtemp(join(tmpdir(), 'reelform-keys-'));
    after(() => rm(keys, { recursive: true, force: true }));
    await writeFile(join(keys, 'id'), bucket.env.AWS_ACCESS_KEY_ID!);
    await writeFile(join(keys, 'key'), bucket.env.AWS_SECRET_ACCESS_KEY!);
    const written = {
      main: {
        kind: 's3',
        endpoint: bucket.url,
        path_style: true,
        allow: ['s3://videos/'],
        tenants: ['acme', 'studio'],
        access_key_id_file: 'id',
        secret_access_key_file: 'key',
      },
    };
    const { credentials } = parseCredentials(written, { isServer: true, directory: keys });
    const defaultUploads = new Map([['studio', [{ to: 's3://videos/studio/', credential: 'main' }]]]);
    service = await startService(await databases.address(after), { credentials, defaultUploads }, after);
  });
  afterAll(async () => {
    for (const undo of undoing) await undo();
  });

  it.each(['objects', 'sources'])('makes %s private to its own user', (name) => {
    expect(statSync(join(service.dataDirectory, name)).mode & 0o777).toBe(0o700);
  });

  it('renders a session from an uploaded image and serves the video at a stable and a signed URL', async () => {
    const { styleVersion, client } = service;
    const { api } = await client();
    const upload = await api('POST', '/v2/source_uploads', {
      body: solidPng('#0000ff'),
      headers: { 'content-type': 'image/png' },
    });
    expect(upload.status).toBe(201);
    const created = await post(
      api,
      sessionBody(styleVersion, { [PHOTO]: { source: { remote_url: upload.body.remote_url } } }),
    );
    expect(created).toMatchObject({
      status: 201,
      body: { render_session: { status: 'preview_rendering', render_progress: 0, video_url: null } },
    });
    const session = await untilEnded(api, created.body.render_session.id);
    expect(session).toMatchObject({
      status: 'preview_rendered',
      render_progress: 100,
      source_uploads: [{ key: PHOTO, status: 'fetched', sha256: upload.body.sha256, width: 16, height: 16 }],
      usage: { frames: 10 },
    });
    for (const url of [session.video_url, session.download_url]) {
      const video = await fetch(url);
      expect(video.status).toBe(200);
      const bytes = Buffer.from(await video.arrayBuffer());
      expect([bytes.length, bytes.toString('latin1', 4, 8)]).toEqual([session.usage.bytes, 'ftyp']);
    }
    const part = await fetch(session.video_url, { headers: { range: 'bytes=4-7' } });
    expect([part.status, await part.text()]).toEqual([206, 'ftyp']);
    for (const url of session.thumbnails) expect((await fetch(url)).headers.get('content-type')).toBe('image/jpeg');
  });

  it('renders the files of several outputs, serves and delivers each', async () => {
    const { styleVersion, client } = service;
    const { api } = await client('acme');
    const fileOf = async (url: string): Promise<Buffer> => Buffer.from(await (await fetch(url)).arrayBuffer());
    const request = sessionBody(styleVersion, textOf('Several'));
    const outputs = [
      { name: 'master' },
      { name: 'small', format: 'gif', height: 18 },
      { name: 'poster', format: 'png' },
    ];
    const created = await post(api, {
      ...request,
      outputs,
      external_uploads: outputs.slice(1).map(({ name }) => ({
        to: `s3://videos/several/${name}.{extension}`,
        credential: 'main',
        output: name,
      })),
    });
    expect([created.status, created.body.render_session.outputs[2]]).toEqual([
      201,
      { name: 'poster', format: 'png', video_url: null },
    ]);
    const { id } = created.body.render_session;
    await untilEnded(api, id);
    let session = created.body.render_session;
    while (!uploadsEnded(session)) session = (await api('GET', `/v2/render_sessions/${id}`)).body.render_session;
    expect(session.outputs.map(({ name }: { name: string }) => name)).toEqual(['master', 'small', 'poster']);
    expect(session.outputs[0].video_url).toBe(session.video_url);
    for (const [index, { name, ...output }] of outputs.entries()) {
      const alone = await post(api, { ...request, output });
      const single = await untilEnded(api, alone.body.render_session.id);
      const { video_url, bytes, video_sha256 } = session.outputs[index];
      const file = await fileOf(video_url);
      expect(file.equals(await fileOf(single.video_url)), name).toBe(true);
      expect([bytes, video_sha256]).toEqual([file.length, single.video_sha256]);
      if (index === 0) continue;
      const key = `several/${name}.${output.format}`;
      expect(file.equals((await bucket.read('videos', key))!), key).toBe(true);
    }
    const wrong = [
      [{ output: {}, outputs }, '#/outputs'],
      [{ outputs: [{ name: 'a' }, { name: 'A' }] }, '#/outputs/1/name'],
      [{ outputs: [{ name: 'a', height: 4096 }] }, '#/outputs/0/height'],
      [
        { external_uploads: [{ to: 's3://videos/x', credential: 'main', output: 'gif' }] },
        '#/external_uploads/0/output',
      ],
    ] as const;
    for (const [fields, pointer] of wrong) {
      const refused = await post(api, { ...request, ...fields });
      expect([refused.status, refused.body.errors.map((one: { pointer: string }) => one.pointer)]).toEqual([
        422,
        [pointer],
      ]);
    }
  });

  it('renders identical work once for two URLs and removes the files with the last session', async () => {
    const { styleVersion, client, log } = service;
    const { api } = await client();
    const urls: string[] = [];
    const ids: string[] = [];
    for (const title of ['first', 'second']) {
      const { body } = await post(api, sessionBody(styleVersion, textOf('Twice'), title));
      const session = await untilEnded(api, body.render_session.id);
      urls.push(session.video_url);
      ids.push(session.id);
    }
    expect(new Set(urls).size).toBe(2);
    const ofThese = log.filter((line) => ids.some((id) => line.includes(id)));
    expect(ofThese.filter((line) => line.includes('"input-rendered"'))).toHaveLength(1);
    expect((await api('DELETE', `/v2/render_sessions/${ids[0]}`)).status).toBe(204);
    expect([(await fetch(urls[0]!)).status, (await fetch(urls[1]!)).status]).toEqual([404, 200]);
  });

  it('renders again for another tenant, to the same bytes', async () => {
    const { styleVersion, client, log } = service;
    const png = solidPng('#123456');
    const sessions = [];
    for (const tenant of ['first', 'second', 'first']) {
      const { api } = await client(tenant);
      const headers = { 'content-type': 'image/png' };
      const upload = await api('POST', '/v2/source_uploads', { body: png, headers });
      const photo = { [PHOTO]: { source: { remote_url: upload.body.remote_url } } };
      const created = await post(api, sessionBody(styleVersion, { ...textOf('Private'), ...photo }));
      sessions.push({ upload, ...(await untilEnded(api, created.body.render_session.id)) });
    }
    const renders = (id: string): number =>
      log.filter((line) => line.includes(id) && line.includes('"input-rendered"')).length;
    expect(sessions.map(({ id, upload }) => [upload.status, renders(id)])).toEqual([
      [201, 1],
      [201, 1],
      [200, 0],
    ]);
    const [first, second, again] = sessions.map((session) => Object.keys(session).sort());
    expect(second).toEqual(first);
    expect(again).toEqual(first);
    const videos = await Promise.all(
      sessions.map(async ({ video_url }) => Buffer.from(await (await fetch(video_url)).arrayBuffer())),
    );
    expect(Buffer.compare(videos[0]!, videos[1]!)).toBe(0);
  });

  it('renders identical inputs of two tenants concurrently', async () => {
    const { styleVersion, client, log } = service;
    const ids = await Promise.all(
      ['first', 'second', 'second'].map(async (tenant) => {
        const { api } = await client(tenant);
        const { body } = await post(api, sessionBody(styleVersion, textOf('At once')));
        return (await untilEnded(api, body.render_session.id)).id as string;
      }),
    );
    const rendered = log.filter((line) => line.includes('"input-rendered"') && ids.some((id) => line.includes(id)));
    expect(rendered).toHaveLength(2);
  });

  it('creates one session per key, replays it, and rejects the key for another request', async () => {
    const { styleVersion, client } = service;
    const { api } = await client();
    const body = sessionBody(styleVersion, textOf('Keyed'));
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(api, body, 'one')));
    expect(new Set(answers.map((answer) => answer.body.render_session.id)).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 201));
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(9);
    expect(await post(api, { ...body, title: 'Other' }, 'one')).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused' },
    });
  });

  it('fails only the session whose source cannot be fetched, with a clear error', async () => {
    const { styleVersion, client } = service;
    const { api } = await client();
    const remote_url = 'http://127.0.0.1:1/secret.png?signature=abc';
    const failing = await post(api, sessionBody(styleVersion, { [PHOTO]: { source: { remote_url } } }));
    const fine = await post(api, sessionBody(styleVersion, textOf('Fine')));
    const failed = await untilEnded(api, failing.body.render_session.id);
    expect(failed).toMatchObject({
      status: 'preview_failed',
      video_url: null,
      errors: [{ code: 'asset_forbidden_host', editable: PHOTO, retryable: false }],
    });
    expect(JSON.stringify(failed.errors)).not.toContain('signature');
    expect((await untilEnded(api, fine.body.render_session.id)).status).toBe('preview_rendered');
  });

  it('answers 404 for resources of another tenant in every call', async () => {
    const { styleVersion, client } = service;
    const { api: acme } = await client('acme');
    const { api: other } = await client('other');
    const upload = await acme('POST', '/v2/source_uploads', {
      body: solidPng('#00ffff'),
      headers: { 'content-type': 'image/png' },
    });
    const created = await post(acme, sessionBody(styleVersion, textOf('Apart')));
    const id = created.body.render_session.id;
    for (const [method, path] of [
      ['GET', `/v2/render_sessions/${id}`],
      ['POST', `/v2/render_sessions/${id}/cancel`],
      ['POST', `/v2/render_sessions/${id}/render`],
      ['DELETE', `/v2/render_sessions/${id}`],
    ] as const) {
      expect({ method, path, status: (await other(method, path)).status }).toEqual({ method, path, status: 404 });
    }
    expect((await other('GET', '/v2/render_sessions')).body.render_sessions).toEqual([]);
    const stolen = await post(
      other,
      sessionBody(styleVersion, { [PHOTO]: { source: { remote_url: upload.body.remote_url } } }),
    );
    expect(await untilEnded(other, stolen.body.render_session.id)).toMatchObject({
      status: 'preview_failed',
      errors: [{ code: 'asset_unreachable' }],
    });
    expect((await untilEnded(acme, id)).status).toBe('preview_rendered');
  });

  it('delivers videos to the destinations of the request and of its tenant', async () => {
    const { styleVersion, client } = service;
    const { api } = await client('studio');
    const untilDelivered = async (id: string) => {
      for (;;) {
        const { body, headers } = await api('GET', `/v2/render_sessions/${id}`);
        if (body.render_session.terminal && uploadsEnded(body.render_session)) return body.render_session;
        expect(headers.get('retry-after')).toBe('1');
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const external_uploads = [{ to: 's3://videos/{title}.{extension}', credential: 'main' }];
    const body = { ...sessionBody(styleVersion, textOf('Delivered'), 'Sommer/Winter'), external_uploads };
    const created = await post(api, body);
    const { id } = created.body.render_session;
    const session = await untilDelivered(id);
    expect(session.external_uploads).toMatchObject([
      { to: 's3://videos/Sommer-Winter.mp4', credential: 'main', status: 'complete', url: null, error: null },
      { to: `s3://videos/studio/${id}.mp4`, status: 'complete' },
    ]);
    const video = Buffer.from(await (await fetch(session.video_url)).arrayBuffer());
    for (const key of ['Sommer-Winter.mp4', `studio/${id}.mp4`]) {
      expect((await bucket.read('videos', key))?.equals(video)).toBe(true);
    }

    const path = `/v2/render_sessions/${id}/external_uploads`;
    const later = { body: { external_uploads: [{ to: 's3://videos/later.mp4', credential: 'main' }] } };
    const headers = { 'idempotency-key': 'later' };
    expect(await api('POST', path, { ...later, headers })).toMatchObject({ status: 201 });
    expect((await api('POST', path, { ...later, headers })).headers.get('idempotent-replayed')).toBe('true');
    expect((await untilDelivered(id)).external_uploads).toHaveLength(3);
    expect((await bucket.read('videos', 'later.mp4'))?.equals(video)).toBe(true);

    const { api: other } = await client('other');
    expect(await other('POST', path, later)).toMatchObject({ status: 404 });
    expect(await post(other, body)).toMatchObject({
      status: 422,
      body: {
        code: 'upload_invalid',
        errors: [{ code: 'unknown_credential', pointer: '#/external_uploads/0/credential' }],
      },
    });
  });

  it('keeps tokens out of its log, answers and database', async () => {
    const address = await databases.address();
    const { styleVersion, client, log, url, server } = await startService(address, { logLevel: 'trace' });
    const { api, token } = await client();
    const answers: unknown[] = [];
    const ask = async (...asked: Parameters<Api>): Promise<void> => {
      const { body, headers } = await api(...asked);
      answers.push(body, [...headers]);
    };
    await ask('GET', '/v2/render_sessions');
    await ask('GET', `/v2/render_sessions/${token}`);
    await ask('GET', `/nowhere/${token}?token=${token}`);
    await ask('POST', '/v2/render_sessions', {
      body: `{"title": "${CANARY}"`,
      headers: { 'content-type': 'application/json' },
    });
    await ask('POST', '/v2/render_sessions', { body: sessionBody(styleVersion), headers: { 'idempotency-key': 'k' } });
    await fetch(`${url}/v2/render_sessions`, { headers: { authorization: `Bearer ${token}x` } });
    await fetch(`${url}/v2/render_sessions`, { headers: { authorization: `Basic ${token}` } });
    await server.close();
    const secret = token.slice(3);
    const told = answers.map((answer) => JSON.stringify(answer)).join('\n');
    expect(told).not.toContain(secret);
    expect(log.join('\n')).not.toContain(secret);
    expect(log.join('\n')).not.toContain(CANARY);
    expect(log.length).toBeGreaterThan(8);
    const rows = await allRows(address);
    expect(rows.length).toBeGreaterThan(3);
    expect(rows.join('\n')).not.toContain(secret);
  });
});

describeOnDatabases('a service that shares between tenants', (databases) => {
  it('shares renderings between tenants when so configured', async () => {
    const service = await startService(await databases.address(), { shareBetweenTenants: true });
    const ids: string[] = [];
    for (const tenant of ['first', 'second']) {
      const { api } = await service.client(tenant);
      const { body } = await post(api, sessionBody(service.styleVersion));
      ids.push((await untilEnded(api, body.render_session.id)).id);
    }
    const rendered = service.log.filter((line) => line.includes('"input-rendered"'));
    expect(ids.map((id) => rendered.filter((line) => line.includes(id)).length)).toEqual([1, 0]);
  });
});
