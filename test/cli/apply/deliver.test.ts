import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StyleVersion } from '../../../src/contract/wire/style-version.ts';
import { type JournalRecord, journalText } from '../../../src/reconciler/lock/journal.ts';
import { startServer } from '../../support/http-server.ts';
import { startInterfaceService } from '../../support/interface-service.ts';
import { CONFIG, definition, makeRepository } from '../../support/repository.ts';
import { startS3Server } from '../../support/s3-server.ts';
import { smallPackage } from '../../support/small-package.ts';
import { type Ran, reelform, type TestIoOptions } from '../../support/test-io.ts';

const APPLY = ['apply', '--auto-approve'];
const SECRET = 'S3RVER';

interface Entry {
  readonly video_url: string;
  readonly session: string;
  readonly deliveries?: readonly { readonly to: string; readonly url?: string }[];
}

const lockOf = (root: string): Record<string, Entry> =>
  JSON.parse(readFileSync(join(root, 'reelform.lock.json'), 'utf8')).videos;

interface PlanJson {
  readonly changes: readonly unknown[];
  readonly deliveries: number;
  readonly estimate: { readonly renders: number };
}

async function planned(root: string, args: readonly string[] = []): Promise<PlanJson> {
  const cached = await reelform(root, ['plan', '--json', ...args]);
  expect(await reelform(root, ['plan', '--json', '--no-cache', ...args])).toEqual(cached);
  return JSON.parse(cached.stdout) as PlanJson;
}

/** Creates a repository of one video, and a bucket. */
async function setUp(deliver = '{to: "s3://videos/{id}.{extension}", credential: main}') {
  const server = await startS3Server();
  onTestFinished(() => server.close());
  const credentials = [
    `credentials: {main: {kind: s3, endpoint: "${server.url}", region: us-east-1, path_style: true,`,
    '  access_key_id_env: KEY_ID, secret_access_key_env: KEY, public_url: https://cdn.example.com/, allow: ["s3://videos/"]}}',
  ];
  const configured = (to: string): string => `${CONFIG}${credentials.join('\n')}\ndeliver: ${to}\n`;
  const root = makeRepository({ 'reelform.yaml': configured(deliver) });
  for (const other of ['berlin', 'oslo']) rmSync(join(root, `videos/${other}.yaml`));
  return {
    server,
    root,
    goTo: (to: string) => writeFileSync(join(root, 'reelform.yaml'), configured(to)),
    async run(args: readonly string[], options: TestIoOptions = {}): Promise<Ran> {
      const ran = await reelform(root, args, { env: { KEY_ID: SECRET, KEY: SECRET }, now: Date.now, ...options });
      const kept = existsSync(join(root, 'reelform.lock.json')) ? JSON.stringify(lockOf(root)) : '';
      expect(ran.stdout + ran.stderr + kept).not.toContain(SECRET);
      return ran;
    },
  };
}

describe('reelform apply with deliver', () => {
  it('delivers rendered videos to a bucket and records their public URLs', async () => {
    const { server, root, run } = await setUp();
    expect(await planned(root)).toMatchObject({
      deliveries: 1,
      changes: [
        { action: 'create', destinations: [{ kind: 'deliver', to: 's3://videos/rome.mp4', credential: 'main' }] },
      ],
    });
    expect(server.requests).toEqual([]);
    const { exitCode, stdout, stderr } = await run(APPLY);
    expect({ exitCode, stdout }).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^Done: 1 rendered, 1 delivered in /),
    });
    expect(stderr).toContain('rome  delivering to s3://videos/rome.mp4');
    expect(stderr).toContain('↑ https://cdn.example.com/rome.mp4');
    const { video_url, deliveries } = lockOf(root).rome!;
    expect(deliveries).toEqual([{ to: 's3://videos/rome.mp4', url: 'https://cdn.example.com/rome.mp4' }]);
    expect(await server.read('videos', 'rome.mp4')).toEqual(readFileSync(join(root, video_url)));
    expect((await planned(root)).changes).toEqual([]);
    expect((await run(['output', 'rome', '--delivered'])).stdout).toBe('https://cdn.example.com/rome.mp4\n');
    // A video with the same content has its own destination.
    writeFileSync(join(root, 'videos/same.yaml'), definition('Rome'));
    expect(await planned(root)).toMatchObject({ deliveries: 1, changes: [{ id: 'same', action: 'adopt' }] });
    expect((await run(APPLY)).exitCode).toBe(0);
    expect(await server.keys('videos')).toEqual(['rome.mp4', 'same.mp4']);
    // A delivered video is not rendered again on a machine without its file.
    rmSync(join(root, 'renders'), { recursive: true });
    expect((await planned(root)).changes).toEqual([]);
    for (const look of [['drift'], ['lock', 'verify']]) expect((await run(look)).exitCode).toBe(0);
  });

  it('records a video that the bucket refuses, exits with 4, and only delivers it next time', async () => {
    const { server, root, run } = await setUp();
    server.fault(() => ({ kind: 'status', status: 403, code: 'AccessDenied' }));
    const failed = await run(APPLY);
    expect(failed).toMatchObject({
      exitCode: 4,
      stdout: expect.stringMatching(/^Incomplete: 1 rendered, 1 not delivered/),
    });
    expect(failed.stdout).toContain('s3://videos/rome.mp4');
    const { session } = lockOf(root).rome!;
    expect(await planned(root)).toMatchObject({
      estimate: { renders: 0 },
      changes: [{ action: 'deliver', reason: 'not_delivered' }],
    });
    server.fault(null);
    const { exitCode, stdout } = await run(APPLY);
    expect({ exitCode, stdout }).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^Done: 0 rendered, 1 delivered/),
    });
    expect(lockOf(root).rome).toMatchObject({ session, deliveries: [{ to: 's3://videos/rome.mp4' }] });
    expect(await server.keys('videos')).toEqual(['rome.mp4']);
  });

  it('handles a changed destination, a moved video, and a removed destination', async () => {
    const { server, root, goTo, run } = await setUp('"file:out/{id}.mp4"');
    await run(APPLY);
    const { session } = lockOf(root).rome!;
    expect(readFileSync(join(root, 'out/rome.mp4')).subarray(4, 8).toString()).toBe('ftyp');

    goTo('{to: "s3://videos/new/{id}.mp4", credential: main}');
    expect(await planned(root)).toMatchObject({
      estimate: { renders: 0 },
      changes: [
        {
          action: 'deliver',
          reason: 'destination_changed',
          destinations: [
            { kind: 'deliver', to: 's3://videos/new/rome.mp4' },
            { kind: 'release', to: 'file:out/rome.mp4' },
          ],
        },
      ],
    });
    // A saved plan fixes the destinations.
    expect((await run(['plan', '--out', 'saved.json'])).exitCode).toBe(0);
    goTo('{to: "s3://videos/other/{id}.mp4", credential: main}');
    expect((await run(['apply', 'saved.json'])).exitCode).toBe(6);
    goTo('{to: "s3://videos/new/{id}.mp4", credential: main}');
    expect((await run(['apply', 'saved.json'])).exitCode).toBe(0);
    expect(await server.keys('videos')).toEqual(['new/rome.mp4']);
    expect(existsSync(join(root, 'out/rome.mp4'))).toBe(true);

    renameSync(join(root, 'videos/rome.yaml'), join(root, 'videos/roma.yaml'));
    expect(await planned(root)).toMatchObject({ deliveries: 1, changes: [{ id: 'roma', action: 'move' }] });
    expect((await run(APPLY)).exitCode).toBe(0);
    expect(lockOf(root).roma).toMatchObject({ session, deliveries: [{ to: 's3://videos/new/roma.mp4' }] });

    goTo('[]');
    expect(await planned(root)).toMatchObject({ deliveries: 0, changes: [{ action: 'relabel' }] });
    expect((await run(APPLY)).exitCode).toBe(0);
    expect(lockOf(root).roma).not.toHaveProperty('deliveries');
    expect(await server.keys('videos')).toEqual(['new/roma.mp4', 'new/rome.mp4']);
    expect((await planned(root)).changes).toEqual([]);
  });

  it('reports missing secrets before rendering, and plans without them', async () => {
    const { root, run } = await setUp();
    expect(await planned(root)).toMatchObject({ deliveries: 1 });
    const { exitCode, stderr } = await run(APPLY, { env: { KEY_ID: SECRET } });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('credential_missing');
    expect(stderr).toContain('KEY (credential main)');
    expect(existsSync(join(root, 'reelform.lock.json'))).toBe(false);
  });
});

const STRANGER: StyleVersion = { ...smallPackage().spec, id: 'tsv_stranger' };

describe('with a service that implements only the interface document', () => {
  it('reports that the service cannot deliver, renders no more than necessary, and keeps the rendered video', async () => {
    const service = await startInterfaceService({ looks: 1, styleVersions: [STRANGER] });
    onTestFinished(() => service.close());
    const root = makeRepository({
      'reelform.yaml': `service: {url: "${service.url}"}\ntemplates: {small: tsv_stranger}\nconcurrency: 1\ndeliver: s3://videos/\n`,
      'videos/berlin.yaml': definition('Berlin', '  (Footage)/USER/photo.png: http://127.0.0.1:9/a.png\n'),
      'videos/oslo.yaml': definition('Oslo', '  (Footage)/USER/photo.png: http://127.0.0.1:9/a.png\n'),
      'videos/rome.yaml': definition('Rome', '  (Footage)/USER/photo.png: http://127.0.0.1:9/a.png\n'),
    });
    const run = (args: readonly string[]): Promise<Ran> =>
      reelform(root, args, { env: { REELFORM_TOKEN: service.token }, now: Date.now });
    await run(['pull']);
    const { exitCode, stdout } = await run(APPLY);
    expect(exitCode).toBe(4);
    expect(stdout).toContain('service_lacks_deliveries');
    expect(Object.keys(lockOf(root))).toEqual(['berlin']);
    expect(service.count('POST /v2/render_sessions')).toBe(1);
    expect(await planned(root)).toMatchObject({
      changes: [{ id: 'berlin', action: 'deliver' }, { action: 'create' }, { action: 'create' }],
    });
  });

  it('publishes local files to a bucket, each once', async () => {
    const bucket = await startS3Server({ buckets: ['assets'] });
    const service = await startInterfaceService({ looks: 1, styleVersions: [STRANGER] });
    // Serves the bucket publicly.
    const front = await startServer(async ({ url = '' }, response) => {
      const bytes = await bucket.read('assets', url.slice(1));
      response.writeHead(bytes === null ? 404 : 200).end(bytes);
    });
    onTestFinished(async () => {
      await service.close();
      await front.close();
      await bucket.close();
    });
    const root = makeRepository({
      'reelform.yaml': [
        `service: {url: "${service.url}"}`,
        'templates: {small: tsv_stranger}',
        `credentials: {main: {kind: s3, endpoint: "${bucket.url}", region: us-east-1, path_style: true,`,
        '  access_key_id_env: KEY_ID, secret_access_key_env: KEY}}',
        `assets: {publish: s3://assets/files, public_url: "${front.url}/files", credential: main}\n`,
      ].join('\n'),
    });
    const env = {
      REELFORM_TOKEN: service.token,
      KEY_ID: SECRET,
      KEY: SECRET,
      REELFORM_ALLOW_SOURCES: new URL(front.url).host,
    };
    await reelform(root, ['pull'], { env });
    expect(await reelform(root, APPLY, { env, now: Date.now })).toMatchObject({ exitCode: 0 });
    const [key, ...others] = await bucket.keys('assets');
    expect(others).toEqual([]);
    expect(key).toMatch(/^files\/[0-9a-f]{64}\.png$/);
    const asked = service.seen.filter(({ method, path }) => method === 'POST' && path === '/v2/render_sessions');
    const urls = asked.map(({ body }) => JSON.parse(body.toString()).mapping.resources['(Footage)/USER/photo.png']);
    expect(urls).toContainEqual(expect.objectContaining({ source: { remote_url: `${front.url}/${key}` } }));
    expect(service.count('POST /v2/source_uploads')).toBe(1);
    const writes = bucket.requests.filter(({ method }) => method === 'PUT').length;
    expect(await reelform(root, [...APPLY, '--replace', 'berlin'], { env, now: Date.now })).toMatchObject({
      exitCode: 0,
    });
    expect(bucket.requests.filter(({ method }) => method === 'PUT')).toHaveLength(writes);
  });
});

describe('with a service that has external_uploads', () => {
  it('requests deliveries with the session, waits for them, and later requests new and failed ones', async () => {
    const service = await startInterfaceService({ looks: 1, styleVersions: [STRANGER], deliversAfter: 2 });
    onTestFinished(() => service.close());
    const config = (to: string): string =>
      `service: {url: "${service.url}"}\ntemplates: {small: tsv_stranger}\ndeliver: ${to}\n`;
    const root = makeRepository({
      'reelform.yaml': config('["s3://open/{id}", {to: "s3://closed/{id}", credential: theirs}]'),
      'videos/rome.yaml': definition('Rome', '  (Footage)/USER/photo.png: http://127.0.0.1:9/a.png\n'),
    });
    for (const other of ['berlin', 'oslo']) rmSync(join(root, `videos/${other}.yaml`));
    const run = (args: readonly string[]): Promise<Ran> =>
      reelform(root, args, { env: { REELFORM_TOKEN: service.token }, now: Date.now });
    await run(['pull']);
    const first = await run([...APPLY, '--json']);
    expect(first.exitCode).toBe(4);
    const [post] = service.seen.filter(({ method }) => method === 'POST');
    expect(JSON.parse(post!.body.toString()).external_uploads).toEqual([
      { to: 's3://open/rome' },
      { to: 's3://closed/rome', credential: 'theirs' },
    ]);
    const events = first.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.at(-1)).toMatchObject({ rendered: 1, delivered: 0, undelivered: [{ id: 'rome' }] });
    const arrived = { to: 's3://open/rome', url: 'https://cdn.example.com/open/rome' };
    expect(lockOf(root).rome?.deliveries).toEqual([arrived]);

    writeFileSync(join(root, 'reelform.yaml'), config('["s3://open/{id}", "s3://other/{id}"]'));
    expect(await planned(root)).toMatchObject({ deliveries: 1, changes: [{ action: 'deliver' }] });
    expect((await run(APPLY)).exitCode).toBe(0);
    expect(lockOf(root).rome?.deliveries).toMatchObject([arrived, { to: 's3://other/rome' }]);
    expect(service.count('POST /v2/render_sessions')).toBe(1);
    expect(service.count('POST /v2/render_sessions/{id}/external_uploads')).toBe(1);
  });

  it('resumes a rendering that an earlier run did not live to record', async () => {
    const service = await startInterfaceService({ looks: 1, styleVersions: [STRANGER], deliversAfter: 1 });
    onTestFinished(() => service.close());
    const root = makeRepository({
      'reelform.yaml': `service: {url: "${service.url}"}\ntemplates: {small: tsv_stranger}\ndeliver: s3://open/\n`,
      'videos/rome.yaml': definition('Rome', '  (Footage)/USER/photo.png: http://127.0.0.1:9/a.png\n'),
    });
    for (const other of ['berlin', 'oslo']) rmSync(join(root, `videos/${other}.yaml`));
    const env = { REELFORM_TOKEN: service.token };
    await reelform(root, ['pull'], { env });
    await reelform(root, APPLY, { env, now: Date.now });
    const journal = join(root, '.reelform/journal.ndjson');
    const kept = readFileSync(join(root, 'reelform.lock.json'));
    // As if the machine had stopped between rendering and recording.
    const rendering = lockOf(root).rome!;
    const { fingerprint, style_version } = rendering as unknown as Record<string, string>;
    const at = '2026-01-01T00:00:00.000Z';
    const intent = {
      key: 'k',
      id: 'rome',
      fingerprint: fingerprint as never,
      service: service.url,
      style_version: style_version!,
    };
    const more = { output_name: 'rome', body: '{}', run: 'r', at };
    const records: JournalRecord[] = [
      { type: 'intent', ...intent, ...more },
      { type: 'created', key: 'k', session: rendering.session, at },
    ];
    writeFileSync(journal, journalText(records));
    rmSync(join(root, 'reelform.lock.json'));
    expect((await planned(root)).changes).toMatchObject([{ action: 'adopt', destinations: [{ kind: 'deliver' }] }]);
    expect(await reelform(root, APPLY, { env, now: Date.now })).toMatchObject({ exitCode: 0 });
    expect(readFileSync(join(root, 'reelform.lock.json'))).toEqual(kept);
    expect(service.count('POST /v2/render_sessions')).toBe(1);
  });
});
