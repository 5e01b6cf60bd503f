import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StyleVersion } from '../../../../src/contract/wire/style-version.ts';
import { gitIn } from '../../../support/git-repository.ts';
import { startServer } from '../../../support/http-server.ts';
import { type InterfaceService, startInterfaceService } from '../../../support/interface-service.ts';
import { definition, makeRepository } from '../../../support/repository.ts';
import { smallPackage } from '../../../support/small-package.ts';
import { type Ran, reelform, type TestIoOptions } from '../../../support/test-io.ts';

interface Entry {
  readonly session: string;
  readonly video_url: string;
  readonly sources?: Readonly<Record<string, string>>;
}

interface PlanJson {
  readonly changes: readonly { readonly id: string; readonly action: string; readonly reason: string }[];
  readonly diagnostics: readonly { readonly code: string; readonly message: string }[];
}

interface FileAnswer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly only?: 'GET' | 'HEAD';
  /** The answer to later requests; the same if absent. */
  readonly next?: FileAnswer;
}

/** A file server: `answers` by path; `seen` contains `METHOD /path`. */
interface Files {
  readonly url: string;
  readonly seen: string[];
  readonly answers: Map<string, FileAnswer>;
}

async function startFiles(): Promise<Files> {
  const seen: string[] = [];
  const answers: Files['answers'] = new Map();
  const server = await startServer((request, response) => {
    const { method = '', url = '' } = request;
    seen.push(`${method} ${url}`);
    const path = url.replace(/\?.*/, '');
    const { status, headers, only, next }: FileAnswer = answers.get(path) ?? { status: 404 };
    if (next !== undefined) answers.set(path, next);
    const isOther = only !== undefined && only !== method;
    response.writeHead(isOther ? 405 : status, headers).end(method === 'GET' ? 'x' : '');
  });
  onTestFinished(() => server.close());
  return { url: server.url, seen, answers };
}

interface Setup {
  readonly root: string;
  readonly service: InterfaceService;
  readonly files: Files;
  /** Specification at the service; changes to it take effect there. */
  readonly spec: StyleVersion;
  run(args: readonly string[], options?: TestIoOptions): Promise<Ran>;
  planned(...flags: string[]): Promise<PlanJson>;
  entry(id: string): Entry | undefined;
}

/** Renders two videos at different service, made from files behind URLs. */
async function setUp(allow = '127.0.0.1:*'): Promise<Setup> {
  const files = await startFiles();
  files.answers.set('/a.png', { status: 200, headers: { etag: '"one"' } });
  files.answers.set('/video.mp4', { status: 200 });
  const spec: StyleVersion = { ...structuredClone(smallPackage().spec), id: 'tsv_stranger' };
  const service = await startInterfaceService({ looks: 1, styleVersions: [spec] });
  onTestFinished(() => service.close());
  service.end = { video_url: `${files.url}/video.mp4?signature=s3cret`, thumbnails: [] };
  const config = `service: {url: "${service.url}", token_env: SHOP_TOKEN}\ntemplates: {small: tsv_stranger}\n`;
  const image = `  (Footage)/USER/photo.png: ${files.url}/a.png?key=s3cret\n`;
  const root = makeRepository({
    'reelform.yaml': config,
    'videos/oslo.yaml': definition('Oslo', image),
    'videos/rome.yaml': definition('Rome', image),
  });
  rmSync(join(root, 'videos/berlin.yaml'));
  const env = { SHOP_TOKEN: service.token, REELFORM_ALLOW_SOURCES: allow };
  const run = (args: readonly string[], options: TestIoOptions = {}): Promise<Ran> =>
    reelform(root, args, { isLate: true, ...options, env: { ...env, ...options.env } });
  await run(['pull']);
  expect(await run(['apply', '--auto-approve'])).toMatchObject({ exitCode: 0 });
  return {
    root,
    service,
    files,
    spec,
    run,
    planned: async (...flags) => JSON.parse((await run(['plan', '--json', ...flags])).stdout) as PlanJson,
    entry(id) {
      const lock = readFileSync(join(root, 'reelform.lock.json'), 'utf8');
      return (JSON.parse(lock) as { videos: Record<string, Entry> }).videos[id];
    },
  };
}

const LOOK = 'GET /v2/render_sessions/{id}';
const POST = 'POST /v2/render_sessions';

describe('reelform apply', () => {
  it('records the version of each URL that a video was made from, with one request per URL', async () => {
    const { files, entry } = await setUp();
    const sources = { [`${files.url}/a.png?key=s3cret`]: '"one"' };
    expect(entry('oslo')?.sources).toEqual(sources);
    expect(entry('rome')?.sources).toEqual(sources);
    expect(files.seen).toEqual(['HEAD /a.png?key=s3cret']);
  });

  it('copies the versions with an adopted rendering', async () => {
    const { root, run, entry } = await setUp();
    const rome = readFileSync(join(root, 'videos/rome.yaml'), 'utf8');
    writeFileSync(join(root, 'videos/turin.yaml'), rome.replace('title: Rome', 'title: Turin'));
    expect(await run(['apply', '--auto-approve'])).toMatchObject({ exitCode: 0 });
    expect(entry('turin')).toMatchObject({ session: entry('rome')?.session, sources: entry('rome')?.sources });
  });

  it('requests no private address unless it is allowed', async () => {
    const { files, entry } = await setUp('');
    expect(entry('oslo')).not.toHaveProperty('sources');
    expect(files.seen).toEqual([]);
  });
});

describe('--refresh', () => {
  it('finds nothing without changes, with one request per URL', async () => {
    const { files, service, planned } = await setUp();
    files.seen.length = 0;
    const looked = service.count(LOOK);
    expect((await planned('--refresh')).changes).toEqual([]);
    expect(files.seen.sort()).toEqual(['HEAD /a.png?key=s3cret', 'HEAD /video.mp4?signature=s3cret']);
    expect(service.count(LOOK)).toBe(looked + 2);
  });

  it('warns of a video whose size differs from the reported one, and renders nothing for it', async () => {
    const { files, service, planned, run, entry } = await setUp();
    const usage = { queue_seconds: 0, render_seconds: 1, frames: 10, bytes: 12 };
    service.end = { ...service.end, usage, video_sha256: 'f'.repeat(64) };
    expect(await run(['apply', '--auto-approve', '--replace', 'rome'])).toMatchObject({ exitCode: 0 });
    expect(entry('rome')).toMatchObject({ bytes: 12, sha256: 'f'.repeat(64) });
    expect(entry('oslo')).not.toHaveProperty('bytes');
    files.answers.set('/video.mp4', { status: 200, headers: { 'content-length': '12' } });
    expect(await planned('--refresh')).toMatchObject({ changes: [], diagnostics: [] });
    files.answers.set('/video.mp4', { status: 200, headers: { 'content-length': '11' } });
    expect(await planned('--refresh')).toMatchObject({
      changes: [],
      diagnostics: [{ code: 'output_damaged', message: expect.stringContaining('"rome"') }],
    });
    const { exitCode, stdout } = await run(['drift']);
    expect(exitCode).toBe(2);
    expect(stdout).toContain('rome  its video does not have the recorded size');
    expect(stdout).toContain('`reelform apply --replace ID` renders a video again although it is available: rome.');
    expect(JSON.parse((await run(['drift', '--json'])).stdout)).toMatchObject({
      drift: [{ id: 'rome', what: 'video_changed', url: `${files.url}/video.mp4` }],
    });
    expect(await run(['apply', '--refresh-only', '--auto-approve'])).toMatchObject({ exitCode: 0 });
    expect(entry('rome')).not.toHaveProperty('lost');
  });

  it('renders videos of a changed file again, once', async () => {
    const { files, service, planned, run } = await setUp();
    files.answers.set('/a.png', { status: 200, headers: { etag: 'W/"one"' } });
    expect((await planned('--refresh')).changes).toEqual([]);
    files.answers.set('/a.png', { status: 200, headers: { etag: '"two"' } });
    expect((await planned()).changes).toEqual([]);
    expect((await planned('--refresh', '--target', 'rome')).changes).toMatchObject([
      { id: 'rome', action: 'update', reason: 'asset_changed' },
    ]);
    expect(await run(['apply', '--auto-approve', '--refresh'])).toMatchObject({ exitCode: 0 });
    expect(service.count(POST)).toBe(4);
    expect((await planned('--refresh')).changes).toEqual([]);
  });

  it.each([
    ['the service no longer has', 'session_gone'],
    ['failed', 'session_failed'],
  ])('renders nothing for a session that %s while its video can be fetched', async (_, what) => {
    const { service, planned, run } = await setUp();
    if (what === 'session_failed') service.end = { ...service.end, status: 'preview_failed' };
    else service.hides = (title) => title === 'Rome';
    expect((await planned('--refresh', '--target', 'rome')).changes).toEqual([]);
    expect(await run(['apply', '--refresh-only', '--target', 'rome'])).toMatchObject({ exitCode: 0 });
    const drift = await run(['drift', '--json', '--target', 'rome']);
    expect(drift.exitCode).toBe(0);
    expect(JSON.parse(drift.stdout)).toMatchObject({ drift: [], notes: [{ id: 'rome', what }], diagnostics: [] });
    expect(service.count(POST)).toBe(2);
  });

  it('renders nothing for a temporary 404', async () => {
    const { service, files, planned } = await setUp();
    service.force(LOOK, { kind: 'answer', status: 404, body: '{}' }, { kind: 'answer', status: 404, body: '{}' });
    files.answers.set('/video.mp4', { status: 404 });
    const seen = files.seen.length;
    // The video is available again after the next request.
    const push = files.seen.push.bind(files.seen);
    files.seen.push = (...lines) => {
      setImmediate(() => files.answers.set('/video.mp4', { status: 200 }));
      return push(...lines);
    };
    expect(await planned('--refresh')).toMatchObject({ changes: [] });
    expect(files.seen.length).toBeGreaterThan(seen + 2);
  });

  it('suspects the token if nothing is found at all, and renders nothing', async () => {
    const { service, files, planned, run, entry } = await setUp();
    service.hides = () => true;
    const forgotten = await run(['drift']);
    expect(forgotten).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('oslo, rome: the service') });
    expect(forgotten.stderr).toContain('has none of the 2 recorded sessions');
    expect(forgotten.stderr).toContain(
      'Check that the service is right and that the token in SHOP_TOKEN belongs to the account that rendered them',
    );
    files.answers.set('/video.mp4', { status: 404 });
    const plan = await planned('--refresh');
    expect(plan.changes).toEqual([]);
    expect(plan.diagnostics.map(({ code }) => code)).toEqual(['session_gone', 'refresh_unclear']);
    const apply = await run(['apply', '--refresh', '--auto-approve']);
    expect(apply).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('none of their videos was found') });
    expect(await run(['apply', '--refresh-only', '--auto-approve'])).toMatchObject({ exitCode: 1 });
    expect(entry('oslo')).not.toHaveProperty('lost');
    const drift = await run(['drift', '--json']);
    expect(drift.exitCode).toBe(1);
    expect(JSON.parse(drift.stdout)).toMatchObject({ drift: [], unclear: [{ id: 'oslo' }, { id: 'rome' }] });
    expect(service.count(POST)).toBe(2);
  });

  it('renders a lost video again, also from a saved plan', async () => {
    const { files, root, service, run, planned } = await setUp();
    files.answers.set('/video.mp4', { status: 410 });
    expect((await planned('--refresh')).changes).toMatchObject([{ reason: 'url_lost' }, { reason: 'url_lost' }]);
    await run(['plan', '--refresh', '--target', 'rome', '--out', 'plan.json']);
    expect(await run(['apply', join(root, 'plan.json')])).toMatchObject({ exitCode: 0 });
    expect(service.count(POST)).toBe(3);
    expect(await run(['apply', 'plan.json'])).toMatchObject({ exitCode: 0, stdout: '' });
    expect(service.count(POST)).toBe(3);
  });

  it.each([
    ['a server that is down', { status: 503 }],
    ['an expired signature', { status: 403 }],
  ])('warns of %s without rendering', async (_, answer) => {
    const { files, planned, run } = await setUp();
    files.answers.set('/video.mp4', answer);
    const plan = await planned('--refresh');
    expect(plan.changes).toEqual([]);
    expect(plan.diagnostics.filter(({ code }) => code === 'refresh_unclear')).toHaveLength(1);
    const { exitCode, stderr } = await run(['plan', '--refresh', '--detailed-exitcode']);
    expect(exitCode).toBe(0);
    expect(stderr).toContain(`oslo, rome: the server returned ${answer.status}`);
    expect(stderr).not.toContain('s3cret');
  });

  it.each([
    [403, '--refresh'],
    [403, '--refresh-only'],
    [404, '--refresh'],
    [410, '--refresh-only'],
  ])('finds the new URL of a session when the old one answers %d, and apply %s records it', async (status, flag) => {
    const { files, service, planned, run, entry } = await setUp();
    const before = entry('rome')!;
    files.answers.set('/video.mp4', { status });
    files.answers.set('/again.mp4', { status: 200 });
    const fresh = `${files.url}/again.mp4?signature=n3w`;
    service.end = { video_url: fresh, thumbnails: [] };
    const plan = await planned('--refresh');
    expect(plan.changes).toEqual([]);
    expect(plan.diagnostics).toMatchObject([{ code: 'link_expired', message: expect.stringContaining('oslo, rome') }]);
    const drift = await run(['drift']);
    expect(drift).toMatchObject({ exitCode: 2, stdout: expect.stringContaining('2 videos differ from the lockfile') });
    expect(drift.stdout).toContain('`reelform apply --refresh-only` records the new URLs without rendering.');
    const json = (await run(['drift', '--json'])).stdout;
    expect(JSON.parse(json)).toMatchObject({ drift: [{ id: 'oslo', what: 'link_expired' }, { id: 'rome' }] });
    expect(json).not.toMatch(/n3w|s3cret/);
    expect(entry('rome')).toEqual(before);
    expect(await run(['apply', '--auto-approve', flag])).toMatchObject({ exitCode: 0 });
    expect(entry('rome')).toEqual({ ...before, video_url: fresh });
    expect(entry('oslo')).toMatchObject({ video_url: fresh });
    expect(service.count(POST)).toBe(2);
    expect(await run(['drift'])).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Everything matches') });
  });

  it('renders a video with an expired link again if one of its files changed', async () => {
    const { files, service, planned } = await setUp();
    files.answers.set('/video.mp4', { status: 403 });
    files.answers.set('/again.mp4', { status: 200 });
    files.answers.set('/a.png', { status: 200, headers: { etag: '"two"' } });
    service.end = { video_url: `${files.url}/again.mp4`, thumbnails: [] };
    const { changes } = await planned('--refresh');
    expect(changes).toMatchObject([{ id: 'oslo', reason: 'asset_changed' }, { id: 'rome' }]);
  });

  it.each([
    ['cannot be fetched either', 404, 12],
    ['has another size', 200, 5],
  ])('keeps the old URL if the new one %s', async (_, status, bytes) => {
    const { files, service, planned, run, entry } = await setUp();
    const usage = { queue_seconds: 0, render_seconds: 1, frames: 10, bytes: 12 };
    service.end = { ...service.end, usage };
    await run(['apply', '--auto-approve', '--replace', '**']);
    files.answers.set('/video.mp4', { status: 403 });
    files.answers.set('/again.mp4', { status, headers: { 'content-length': String(bytes) }, only: 'HEAD' });
    service.end = { video_url: `${files.url}/again.mp4`, thumbnails: [], usage };
    const before = entry('rome');
    const { diagnostics } = await planned('--refresh');
    expect(diagnostics).toMatchObject([{ code: 'refresh_unclear', message: expect.stringContaining('returned 403') }]);
    await run(['apply', '--auto-approve', '--refresh']);
    expect(entry('rome')).toEqual(before);
    const drift = await run(['drift']);
    expect(drift.stdout).toContain('Drift: 0 videos checked, 2 not verified. No video could be verified');
  });

  it('names sources whose version it could not record, and does not report them as unchanged', async () => {
    const { service, run, entry, planned } = await setUp();
    const videos = await startFiles();
    videos.answers.set('/video.mp4', { status: 200 });
    service.end = { video_url: `${videos.url}/video.mp4`, thumbnails: [] };
    // The source is on a host that is not allowed, the video is not.
    const hidden = { env: { REELFORM_ALLOW_SOURCES: new URL(videos.url).host } };
    const apply = await run(['apply', '--auto-approve', '--replace', '**'], hidden);
    expect(apply.stderr).toMatch(
      /The version of 1 source could not be recorded: http:\/\/127\.0\.0\.1:\d+\/a\.png\?…: it uses port \d+, which/,
    );
    expect(apply.stderr).not.toContain('s3cret');
    expect(entry('rome')).not.toHaveProperty('sources');
    const drift = await run(['drift'], hidden);
    expect(drift.stdout).toContain('0 videos checked, 2 not verified. No video could be verified');
    expect(drift.stdout).toMatch(/oslo, rome: it uses port \d+, which is not allowed/);
    expect((await run(['plan', '--refresh'], hidden)).stderr).toMatch(
      /Could not verify oslo, rome: it uses port \d+, which is not allowed {2}refresh_unclear/,
    );
    const reachable = await run(['drift']);
    expect(reachable.stdout).toMatch(
      /2 videos checked. No differences[\s\S]*oslo, rome: no version of \S+\/a\.png\?… is rec/,
    );
    expect((await planned('--refresh')).diagnostics).toMatchObject([
      { code: 'refresh_unclear', message: expect.stringContaining('No version of 1 source of oslo, rome is recorded') },
    ]);
  });

  it('names sources whose server did not answer before the run ended', async () => {
    const { files, run, entry } = await setUp();
    files.answers.set('/a.png', { status: 429, headers: { 'retry-after': '50' } });
    const apply = await run(['apply', '--auto-approve', '--replace', '**']);
    expect(apply).toMatchObject({ exitCode: 0 });
    expect(apply.stderr).toMatch(
      /The version of 1 source could not be recorded: \S+\/a\.png\?…: the server did not answer before the run ended/,
    );
    expect(entry('rome')).not.toHaveProperty('sources');
  });

  it('waits for hosts that ask for it', async () => {
    const { files, run } = await setUp();
    const next = { status: 200, headers: { etag: '"one"' } };
    files.answers.set('/a.png', { status: 429, headers: { 'retry-after': '1' }, next });
    const drift = await run(['drift']);
    expect(drift.stdout).toContain('2 videos checked. Everything matches the lockfile.');
    expect(files.answers.get('/a.png')).toBe(next);
  });

  it('names sources whose server reports no version', async () => {
    const { files, run } = await setUp();
    files.answers.set('/a.png', { status: 200 });
    const apply = await run(['apply', '--auto-approve', '--replace', 'rome']);
    expect(apply.stderr).not.toContain('refresh_unclear');
    expect(JSON.parse((await run(['drift', '--json'])).stdout)).toMatchObject({
      checked: 2,
      notes: [{ id: 'rome', what: 'source_unversioned', url: expect.stringContaining('/a.png') }],
    });
  });

  it('uses GET if a server does not support HEAD', async () => {
    const { files, planned } = await setUp();
    files.answers.set('/video.mp4', { status: 206, only: 'GET' });
    expect(await planned('--refresh')).toMatchObject({ changes: [] });
    files.answers.set('/video.mp4', { status: 404, only: 'GET' });
    expect((await planned('--refresh')).changes).toHaveLength(2);
  });

  it('requires a token for the service, unlike a plan without it', async () => {
    const { run } = await setUp();
    const env = { SHOP_TOKEN: '' };
    expect(await run(['plan'], { env })).toMatchObject({ exitCode: 0 });
    const { exitCode, stderr } = await run(['plan', '--refresh'], { env });
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('token_missing') });
    const wrong = await run(['plan', '--refresh'], { env: { SHOP_TOKEN: 'rf_wrong' } });
    expect(wrong).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('service_unauthorized') });
  });

  it('reports an invalid REELFORM_ALLOW_SOURCES', async () => {
    const { run } = await setUp();
    const { exitCode, stderr } = await run(['plan', '--refresh'], { env: { REELFORM_ALLOW_SOURCES: 'a b' } });
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('settings_invalid') });
  });
});

describe('reelform drift', () => {
  it('exits with 2 on drift, and plan --refresh-only shows the same', async () => {
    const { files, root, run } = await setUp();
    expect(await run(['drift'])).toMatchObject({ exitCode: 0 });
    // A change of definitions is not drift.
    writeFileSync(join(root, 'videos/turin.yaml'), definition('Turin', `  (Footage)/USER/photo.png: ${files.url}/b\n`));
    files.answers.set('/a.png', { status: 200, headers: { etag: '"two"' } });
    const drift = await run(['drift', '--json', '--target', 'rome']);
    expect(drift.exitCode).toBe(2);
    expect(JSON.parse(drift.stdout)).toMatchObject({
      format_version: '1.0',
      checked: 1,
      drift: [{ id: 'rome', what: 'asset_changed', url: `${files.url}/a.png` }],
      unclear: [],
    });
    const shown = await run(['plan', '--refresh-only']);
    expect(shown).toMatchObject({ exitCode: 0, stderr: '' });
    expect(shown.stdout).toBe((await run(['drift'])).stdout);
    expect(shown.stdout).not.toContain('s3cret');
    expect(await run(['plan', '--refresh-only', '--detailed-exitcode'])).toMatchObject({ exitCode: 2 });
  });

  it('checks the files of the embedded service', async () => {
    const root = makeRepository();
    await reelform(root, ['apply', '--auto-approve', '--target', 'rome']);
    expect(await reelform(root, ['drift'])).toMatchObject({ exitCode: 0 });
    rmSync(join(root, 'renders'), { recursive: true });
    const { exitCode, stdout } = await reelform(root, ['drift', '--json']);
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ drift: [{ id: 'rome', what: 'output_missing' }] });
    expect(await reelform(root, ['drift', '--ignore-missing-outputs'])).toMatchObject({ exitCode: 0 });
  });

  it('exits with 1 if the repository cannot be read', async () => {
    const root = makeRepository({ 'reelform.lock.json': '{' });
    const { exitCode, stdout } = await reelform(root, ['drift', '--json']);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ drift: [], diagnostics: [{}, { code: 'lock_unreadable' }] });
  });
});

describe('a specification that changed at the service', () => {
  const SPECS = 'GET /v2/template_style_versions/{id}/specs';

  it('makes drift exit with 2, with the changes and a hint at reelform pull', async () => {
    const { spec, run } = await setUp();
    expect((await run(['drift'])).stdout).toContain('Everything matches the lockfile');
    spec.editables.t_01!.max_length = 5;
    const { exitCode, stdout } = await run(['drift']);
    expect(exitCode).toBe(2);
    expect(stdout).toMatch(/small: t_01\.max_length: \w+ → 5/);
    expect(stdout).toContain('`reelform pull` fetches');
    expect(await run(['pull', '--check'])).toMatchObject({ exitCode: 2 });
    const json = JSON.parse((await run(['drift', '--json'])).stdout) as object;
    expect(json).toMatchObject({
      drift: [],
      templates: [
        {
          template: 'small',
          style_version: 'tsv_stranger',
          status: 'changed',
          why: null,
          changes: [{ editable: 't_01', field: 'max_length', after: 5 }],
        },
      ],
      diagnostics: [{ code: 'schema_outdated', hint: 'Run reelform pull small, and commit' }],
    });
    expect(await run(['pull'])).toMatchObject({ exitCode: 0 });
    expect(await run(['drift'])).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('is a warning of plan and apply with --refresh', async () => {
    const { spec, planned, run, service } = await setUp();
    delete spec.editables.c_01;
    expect((await planned()).diagnostics).toEqual([]);
    const { changes, diagnostics } = await planned('--refresh');
    expect(changes).toEqual([]);
    expect(diagnostics).toMatchObject([
      { code: 'schema_outdated', message: expect.stringContaining('c_01 was removed') },
    ]);
    const apply = await run(['apply', '--refresh', '--auto-approve']);
    expect(apply).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('reelform pull small') });
    expect(service.count(POST)).toBe(2);
  });

  it('is gone with its style version after several requests, and unclear if unreadable', async () => {
    const { run, service } = await setUp();
    const [missing, broken] = [404, 200].map((status) => ({ kind: 'answer', status, body: '{}' }) as const);
    service.force(SPECS, missing!, missing!);
    expect(await run(['drift'])).toMatchObject({ exitCode: 0 });
    service.force(SPECS, missing!, missing!, missing!);
    const gone = await run(['drift']);
    expect(gone).toMatchObject({ exitCode: 2, stdout: expect.stringContaining('no longer has tsv_stranger') });
    service.force(SPECS, broken!);
    const unclear = await run(['drift']);
    expect(unclear).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('? the template small: ') });
    service.force(SPECS, { kind: 'answer', status: 401, body: '{}' });
    expect(await run(['drift'])).toMatchObject({ exitCode: 3 });
  });

  it('is compared only for the templates of selected videos', async () => {
    const { root, run, spec, service } = await setUp();
    spec.editables.t_01!.max_length = 5;
    const other = 'videos/other.yaml';
    writeFileSync(join(root, other), readFileSync(join(root, 'videos/rome.yaml'), 'utf8').replace('small', 'twin'));
    const config = readFileSync(join(root, 'reelform.yaml'), 'utf8');
    writeFileSync(
      join(root, 'reelform.yaml'),
      config.replace('{small: tsv_stranger}', '{small: tsv_stranger, twin: tsv_stranger}'),
    );
    expect(await run(['pull', 'twin'])).toMatchObject({ exitCode: 0 });
    const asked = service.count(SPECS);
    expect(await run(['drift', '--target', 'other'])).toMatchObject({ exitCode: 0 });
    expect(service.count(SPECS)).toBe(asked + 1);
    expect(await run(['drift', '--target', 'rome'])).toMatchObject({ exitCode: 2 });
    expect(await run(['drift'])).toMatchObject({ exitCode: 2 });
    expect(service.count(SPECS)).toBe(asked + 4);
  });
});

describe('a former rendering whose session the service no longer has', () => {
  it('is adopted while its video can be fetched, and otherwise fails with a suggested command', async () => {
    const { root, service, files, run, entry } = await setUp();
    const { git } = gitIn(root);
    const commit = async (): Promise<void> => {
      await git('add', '--force', 'reelform.lock.json', 'videos', 'reelform.yaml');
      await git('commit', '--quiet', '-m', 'rendered');
    };
    await git('init', '--quiet', '-b', 'main');
    await commit();
    const path = join(root, 'videos/rome.yaml');
    const former = readFileSync(path, 'utf8');
    const session = entry('rome')!.session;
    writeFileSync(path, former.replace('t_01: Rome', 't_01: Roma'));
    expect(await run(['apply', '--auto-approve'])).toMatchObject({ exitCode: 0 });
    await commit();
    writeFileSync(path, former);
    service.hides = () => true;
    files.answers.set('/video.mp4', { status: 404 });
    const failed = await run(['apply', '--auto-approve']);
    expect(failed).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('reelform apply --replace rome') });
    files.answers.set('/video.mp4', { status: 200 });
    expect(await run(['apply', '--auto-approve'])).toMatchObject({ exitCode: 0 });
    expect(entry('rome')).toMatchObject({ session });
    expect(service.count(POST)).toBe(3);
  });
});

describe('reelform drift --target', () => {
  it('refuses a glob that matches no video', async () => {
    const { run } = await setUp();
    const { exitCode, stderr } = await run(['drift', '--target', 'nope']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('No video id matches "nope"');
  });
});

describe('reelform apply --refresh-only', () => {
  it('marks lost videos, accepts changed files, and renders nothing', async () => {
    const { files, service, run, entry, planned } = await setUp();
    files.answers.set('/a.png', { status: 200, headers: { etag: '"two"' } });
    expect(await run(['apply', '--refresh-only', '--target', 'rome', '--auto-approve'])).toMatchObject({ exitCode: 0 });
    expect(Object.values(entry('rome')?.sources ?? {})).toEqual(['"two"']);
    expect(Object.values(entry('oslo')?.sources ?? {})).toEqual(['"one"']);
    expect((await planned('--refresh', '--target', 'rome')).changes).toEqual([]);
    files.answers.set('/video.mp4', { status: 404 });
    expect(await run(['apply', '--refresh-only', '--target', 'oslo', '--auto-approve'])).toMatchObject({ exitCode: 0 });
    expect(entry('oslo')).toMatchObject({ lost: true });
    const { changes } = await planned('--target', 'oslo');
    expect(changes).toMatchObject([{ id: 'oslo', action: 'update', reason: 'url_lost' }]);
    expect(service.count(POST)).toBe(2);
  });

  it('asks before it writes, but not without changes', async () => {
    const { files, run, entry } = await setUp();
    expect(await run(['apply', '--refresh-only'])).toMatchObject({ exitCode: 0 });
    files.answers.set('/video.mp4', { status: 404 });
    expect(await run(['apply', '--refresh-only'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('not_approved'),
    });
    expect(entry('oslo')).toBeDefined();
  });

  it.each([[['--replace', 'rome']], [['--max-renders', '1']], [['--expect-plan', 'x']]])(
    'refuses %j',
    async (flags) => {
      const { exitCode, stderr } = await reelform(makeRepository(), ['apply', '--refresh-only', ...flags]);
      expect({ exitCode, stderr }).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('options_conflict') });
    },
  );

  it('conflicts, like plan --refresh-only, with options that save or limit renders', async () => {
    const { exitCode, stderr } = await reelform(makeRepository(), ['plan', '--refresh-only', '--out', 'plan.json']);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('options_conflict') });
  });
});
