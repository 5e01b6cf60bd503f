import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EXIT, type ReelformError } from '../../src/diagnostic.ts';
import { sha256 } from '../../src/digest.ts';
import { createHttpService, type HttpServiceOptions } from '../../src/service/http-service.ts';
import { SessionUnknown } from '../../src/service/render-service.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import { pushStyleVersion } from '../../src/service/style-version-pusher.ts';
import type { CreateRenderSession, RenderSession } from '../../src/service/wire.ts';
import {
  type Fault,
  type InterfaceService,
  type InterfaceServiceOptions,
  startInterfaceService,
} from '../support/interface-service.ts';
import { smallPackage } from '../support/small-package.ts';

const { spec } = smallPackage();
const POST = 'POST /v2/render_sessions';
const GET = 'GET /v2/render_sessions/{id}';
const LIST = 'GET /v2/render_sessions';
const SPECS = 'GET /v2/template_style_versions/{id}/specs';

interface Setup {
  readonly server: InterfaceService;
  readonly service: ReturnType<typeof createHttpService>;
  /** Milliseconds that were waited, without waiting. */
  readonly waits: number[];
}

async function setUp(options: InterfaceServiceOptions = {}, changes: Partial<HttpServiceOptions> = {}): Promise<Setup> {
  const server = await startInterfaceService({ styleVersions: [spec], ...options });
  onTestFinished(() => server.close());
  const waits: number[] = [];
  const service = createHttpService({
    url: server.url,
    token: server.token,
    now: () => 0,
    random: () => 1,
    wait: async (milliseconds) => void waits.push(milliseconds),
    ...changes,
  });
  return { server, service, waits };
}

const REQUEST: CreateRenderSession = {
  title: 'Berlin',
  render: 'preview',
  mapping: { template_style_version_id: spec.id, resources: { t_01: { source: { text: 'Grüße, 東京' } } } },
};

const BODY = JSON.stringify(REQUEST);

function create(service: Setup['service'], key = 'key-1'): Promise<RenderSession> {
  return service.createRenderSession(BODY, { idempotencyKey: key, outputName: 'berlin' });
}

/** What was thrown, after a look whether the token is anywhere in it. */
async function thrown(promise: Promise<unknown>, token = 'canary'): Promise<ReelformError | ServiceError> {
  const error = await promise.then(
    () => expect.fail('nothing was thrown'),
    (reason: unknown) => reason,
  );
  expect(inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain(token);
  expect(JSON.stringify(error)).not.toContain(token);
  return error as ReelformError | ServiceError;
}

const json = (body: unknown, status = 200) => ({
  kind: 'answer' as const,
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

describe('createHttpService()', () => {
  it('speaks the three calls of the interface document, and nothing else of it', async () => {
    const { server, service } = await setUp();
    expect(await service.getStyleVersion(spec.id)).toEqual(spec);
    const session = await create(service);
    expect(session).toMatchObject({ id: 'session-1', status: 'preview_rendering', video_url: null });
    await service.getRenderSession(session.id);
    const { session: rendered } = await service.getRenderSession(session.id);
    expect(rendered).toMatchObject({ status: 'preview_rendered', video_url: `${server.url}/videos/session-1.mp4` });
    expect(server.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `GET /v2/template_style_versions/${spec.id}/specs`,
      'POST /v2/render_sessions',
      'GET /v2/render_sessions/session-1',
      'GET /v2/render_sessions/session-1',
    ]);
    expect(server.seen[1]!.body.toString()).toBe(BODY);
    expect(server.seen[1]!.headers).toMatchObject({
      authorization: `Bearer ${server.token}`,
      'content-type': 'application/json',
      'idempotency-key': 'key-1',
    });
  });

  it('keeps a base path, and ids inside their segment', async () => {
    const { server } = await setUp();
    const service = createHttpService({
      url: `${server.url}/base`,
      token: server.token,
      now: () => 0,
      random: () => 0,
      wait: async () => undefined,
    });
    expect(service.name).toBe(server.url);
    await thrown(service.getRenderSession('../../../x?y#z/é'));
    expect(server.seen[0]!.path).toBe('/base/v2/render_sessions/..%2F..%2F..%2Fx%3Fy%23z%2F%C3%A9');
  });

  it('repeats reads while the service is busy or silent', async () => {
    const { server, service, waits } = await setUp();
    server.force(
      SPECS,
      { kind: 'cut' },
      { kind: 'answer', status: 503, headers: { 'retry-after': '7' } },
      { kind: 'answer', status: 429 },
    );
    expect(await service.getStyleVersion(spec.id)).toEqual(spec);
    expect(server.count(SPECS)).toBe(4);
    expect(waits).toEqual([500, 7000, 2000]);
  });

  it('gives up a read that nobody answers', async () => {
    // Long enough for each request to arrive on a busy machine.
    const { server, service } = await setUp({}, { timeoutMs: 400 });
    server.force(SPECS, ...Array.from({ length: 9 }, () => ({ kind: 'silent' }) as const));
    expect(await thrown(service.getStyleVersion(spec.id))).toMatchObject({ code: 'service_unreachable' });
    expect(server.count(SPECS)).toBe(5);
  });

  it('tells that nothing listens', async () => {
    const { server } = await setUp();
    const { service } = await setUp({}, { url: server.url });
    await server.close();
    expect(await thrown(service.getStyleVersion('x'))).toMatchObject({
      code: 'service_unreachable',
      message: expect.stringMatching(/nothing listens there$/),
    });
  });

  it.each<[string, Fault, boolean]>([
    ['an answer that never comes', { kind: 'cut', afterDoing: true }, true],
    ['503', { kind: 'answer', status: 503 }, true],
    ['422', { kind: 'answer', status: 422 }, false],
  ])('posts a session once to a service that has not shown that it keeps keys: %s', async (_, fault, isUnknown) => {
    const { server, service } = await setUp();
    server.force(POST, fault);
    const error = await thrown(create(service));
    expect(server.count(POST)).toBe(1);
    expect(error instanceof SessionUnknown).toBe(isUnknown);
    expect(error.message.includes('whether the service made a session is not known')).toBe(isUnknown);
  });

  it('asks again when the service says that it was too much, which did nothing', async () => {
    const { server, service, waits } = await setUp();
    server.force(POST, { kind: 'answer', status: 429, headers: { 'retry-after': '3600' } });
    expect(await create(service)).toMatchObject({ id: 'session-1' });
    expect(waits).toEqual([30_000]);
  });

  it('takes no refusal for a proof when the request was sent before', async () => {
    const { server, service } = await setUp();
    server.force(POST, { kind: 'answer', status: 401 }, { kind: 'answer', status: 422 });
    const again = () =>
      service.createRenderSession(BODY, { idempotencyKey: 'key', outputName: 'x', wasSentBefore: true });
    expect(await thrown(again())).toBeInstanceOf(SessionUnknown);
    expect(await thrown(again())).toBeInstanceOf(SessionUnknown);
  });

  it('knows for how long keys are kept: as told, as seen, as somebody said', async () => {
    const { service } = await setUp({ keepsKeys: true });
    expect(service.keyLifetimeMs()).toBeNull();
    await create(service);
    expect(service.keyLifetimeMs()).toBeGreaterThan(0);
    const { service: forgetful } = await setUp({}, { keyLifetimeMs: 5000 });
    expect(forgetful.keyLifetimeMs()).toBe(5000);
    await create(forgetful);
    expect(forgetful.keyLifetimeMs()).toBeNull();
    const { service: declared } = await setUp({}, { capabilities: { keyLifetimeMs: 7000 } });
    await create(declared);
    expect(declared.keyLifetimeMs()).toBe(7000);
    const { service: denied } = await setUp({ keepsKeys: true }, { capabilities: { keyLifetimeMs: 0 } });
    await create(denied);
    expect(denied.keyLifetimeMs()).toBeNull();
  });

  it('takes a session for made when the answer breaks off behind a Location', async () => {
    const { server, service } = await setUp();
    const headers = { location: `${server.url}/v2/render_sessions/rs%201`, 'content-length': '500' };
    server.force(POST, { kind: 'answer', status: 201, headers, body: '{"render_session":{"id":', cut: true });
    expect(await create(service)).toMatchObject({ id: 'rs 1', status: 'preview_rendering' });
    server.force(POST, { kind: 'answer', status: 201, headers: { 'content-length': '500' }, body: '{', cut: true });
    expect(await thrown(create(service))).toBeInstanceOf(SessionUnknown);
    expect(server.count(POST)).toBe(2);
  });

  it('posts again, with the same key and bytes, where keys are kept', async () => {
    const { server, service, waits } = await setUp({ keepsKeys: true });
    await create(service, 'key-0');
    server.force(
      POST,
      { kind: 'cut', afterDoing: true },
      json({ code: 'idempotency_in_progress', detail: 'still at work' }, 409),
      { kind: 'answer', status: 503 },
    );
    expect(await create(service, 'key-1')).toMatchObject({ id: 'session-2' });
    const [, ...posts] = server.seen;
    expect(posts.map(({ headers, body }) => [headers['idempotency-key'], body.toString()])).toEqual(
      Array.from({ length: 4 }, () => ['key-1', JSON.stringify(REQUEST)]),
    );
    expect(waits).toEqual([500, 1000, 2000]);
    expect(server.sessions.size).toBe(2);
  });

  it.each([301, 302, 303, 307, 308])('follows no redirect: %d', async (status) => {
    const { server, service } = await setUp({ keepsKeys: true });
    const location = { location: `${server.url}/elsewhere?token=${server.token}` };
    server.force(POST, { kind: 'answer', status, headers: location });
    server.force(SPECS, { kind: 'answer', status, headers: location });
    const error = await thrown(create(service));
    // 303 says that something was done.
    expect(error.code).toBe(status === 303 ? 'session_unknown' : 'service_answer_invalid');
    expect(error.message).toContain(
      `POST ${server.url}/v2/render_sessions was redirected to ${server.url}/elsewhere (${status}), and no redirect is followed`,
    );
    expect(await thrown(service.getStyleVersion(spec.id))).toMatchObject({ code: 'service_answer_invalid' });
    expect(server.seen).toHaveLength(2);
  });

  it('tells that the token is refused, and not which one it was', async () => {
    const { server } = await setUp();
    const { service } = await setUp({}, { url: server.url });
    server.force(SPECS, json({ detail: `not ${server.token}`, code: 'unauthorized' }, 401));
    const error = await thrown(service.getStyleVersion(spec.id));
    expect(error).toMatchObject({ code: 'service_unauthorized', exitCode: EXIT.authentication });
    expect(error.message).toBe('The service refused the token: not …');
    server.force(SPECS, json({ detail: 'The scope is missing' }, 403));
    expect(await thrown(service.getStyleVersion(spec.id))).toMatchObject({ code: 'service_unauthorized' });
  });

  it('hands on the problems of a refusal', async () => {
    const { server, service } = await setUp();
    const errors = [{ code: 'unknown_editable', pointer: '#/mapping/resources/t_1', detail: 'There is no t_1' }];
    server.force(POST, json({ code: 'mapping_invalid', detail: 'The mapping does not fit', errors }, 422));
    const error = await thrown(create(service));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({
      status: 422,
      code: 'mapping_invalid',
      message: 'The mapping does not fit',
      problems: errors,
    });
  });

  it('has a sentence for a refusal without words', async () => {
    const { server, service } = await setUp();
    server.force(POST, { kind: 'answer', status: 400, body: '<html>' });
    expect(await thrown(create(service))).toMatchObject({
      status: 400,
      code: 'http_400',
      message: `POST ${server.url}/v2/render_sessions answered 400`,
    });
  });

  const session = {
    id: 'x',
    status: 'odd',
    render_progress: 0,
    video_url: null,
    thumbnails: [],
    errors: [],
    updated_at: '2026-01-01T00:00:00Z',
  };
  it.each<[string, unknown]>([
    ['no JSON', '<html>'],
    ['no object', '[]'],
    ['no session', '{}'],
    ['a session without an id', { ...session, id: undefined }],
    ['a control character in the id', { ...session, id: 'a\u001b[2J' }],
    ['a status that is no text', { ...session, status: 3 }],
    ['progress beyond 100', { ...session, render_progress: 101 }],
    ['a script for a URL', { ...session, video_url: 'javascript:alert(1)' }],
    ['thumbnails that are no list', { ...session, thumbnails: {} }],
    ['errors that are no list', { ...session, errors: 'none' }],
    ['a time that is none', { ...session, updated_at: 'today' }],
  ])('refuses an answer with %s', async (_, body) => {
    const { server, service } = await setUp();
    server.force(GET, {
      kind: 'answer',
      status: 200,
      body: typeof body === 'string' ? body : JSON.stringify({ render_session: body }),
    });
    expect(await thrown(service.getRenderSession('x'))).toMatchObject({ code: 'service_answer_invalid' });
  });

  it('stops reading an answer without an end', async () => {
    const { server, service } = await setUp();
    server.force(GET, { kind: 'answer', status: 200, body: 'x'.repeat(9 << 20) });
    expect(await thrown(service.getRenderSession('x'))).toMatchObject({
      code: 'service_answer_invalid',
      message: expect.stringContaining('8 MiB'),
    });
  });

  it('stops reading a small answer that unpacks to a large one', async () => {
    const { server, service } = await setUp();
    const headers = { 'content-encoding': 'gzip' };
    server.force(GET, { kind: 'answer', status: 200, headers, body: gzipSync(Buffer.alloc(64 << 20)) });
    expect(await thrown(service.getRenderSession('x'))).toMatchObject({ message: expect.stringContaining('8 MiB') });
  });

  it('bears with statuses, fields and errors that it does not know', async () => {
    const { server, service } = await setUp();
    const errors = ['No memory', { reason: 7 }, { code: 'x', message: 'Said so', retryable: true }];
    server.force(GET, json({ render_session: { ...session, errors, more: { of: 'it' } }, also: 1 }));
    expect((await service.getRenderSession('x')).session).toMatchObject({
      status: 'odd',
      updated_at: '2026-01-01T00:00:00.000Z',
      errors: [
        { code: 'session_failed', title: 'No memory', severity: 'error', retryable: false },
        { code: 'session_failed', title: '{"reason":7}' },
        { code: 'x', title: 'Said so', retryable: true },
      ],
    });
  });

  it('does without fields that a service lacks', async () => {
    const { server, service } = await setUp();
    server.force(GET, json({ render_session: { id: 'x', status: 'preview_rendering' } }));
    expect((await service.getRenderSession('x')).session).toMatchObject({
      render_progress: 0,
      video_url: null,
      thumbnails: [],
      errors: [],
      created_at: '1970-01-01T00:00:00.000Z',
      updated_at: '1970-01-01T00:00:00.000Z',
    });
  });

  it.each([
    ['5', 5000],
    ['3600', 30_000],
    ['0', 0],
    ['-5', null],
    ['soon', null],
    ['Thu, 01 Jan 1970 00:00:07 GMT', 7000],
    [null, null],
  ])('tells when the service wants to be asked again: Retry-After %j', async (retryAfter, expected) => {
    const { server, service } = await setUp();
    const headers: Record<string, string> = retryAfter === null ? {} : { 'retry-after': retryAfter };
    server.force(GET, { ...json({ render_session: session }), headers });
    expect((await service.getRenderSession('x')).retryAfterMs).toBe(expected);
  });

  it('lists sessions page by page, and leaves out what it cannot read', async () => {
    const { server, service } = await setUp();
    const list = (ids: unknown[], next_cursor: unknown) =>
      json({ render_sessions: ids.map((id) => ({ ...session, id })), next_cursor });
    server.force(LIST, list(['a', 'b'], 'page 2'), list(['c', 7], 'page 3'), list(['d'], null));
    expect((await service.listRenderSessions!(4))!.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
    expect(server.seen.map(({ path }) => path.split('?')[1])).toEqual([
      'limit=100',
      'limit=100&cursor=page+2',
      'limit=100&cursor=page+3',
    ]);
    server.force(LIST, list(['a', 'b'], 'page 2'));
    expect(await service.listRenderSessions!(2)).toHaveLength(2);
  });

  it.each([404, 405])('knows that a service lists nothing by its %d', async (status) => {
    const { server, service } = await setUp();
    server.force(LIST, { kind: 'answer', status });
    expect(await service.listRenderSessions!(2)).toBeNull();
    server.force(LIST, { kind: 'answer', status: 400 });
    expect(await thrown(service.listRenderSessions!(2))).toMatchObject({ status: 400 });
    const { service: declared } = await setUp({}, { capabilities: { list: false } });
    expect(declared.listRenderSessions).toBeUndefined();
  });

  it('shows the query of no URL that the service names', async () => {
    const { server, service } = await setUp();
    const detail = 'GET https://cdn.example/a.png?X-Amz-Signature=secret#x answered 403';
    server.force(POST, json({ code: 'mapping_invalid', detail, errors: [{ code: 'x', pointer: '#', detail }] }, 422));
    const error = await thrown(create(service), 'secret');
    expect(error.message).toBe('GET https://cdn.example/a.png?… answered 403');
    server.force(GET, json({ render_session: { ...session, errors: [{ code: 'x', title: detail, detail }] } }));
    const look = await service.getRenderSession('x');
    expect(JSON.stringify(look.session.errors)).not.toContain('secret');
  });

  it('uploads a file as it is, and again when the answer is lost', async () => {
    const { server, service } = await setUp({ uploads: { styleVersion: spec } });
    const bytes = Uint8Array.of(0, 255, 10, 13);
    server.force('POST /v2/source_uploads', { kind: 'cut', afterDoing: true });
    expect(await service.uploadSource({ bytes, sha256: sha256(bytes), name: 'a.png' })).toEqual({
      remote_url: `${server.url}/sources/4`,
    });
    expect(server.seen.map(({ body }) => [...body])).toEqual([[...bytes], [...bytes]]);
    await service.uploadSource({ bytes, sha256: sha256(bytes), name: 'b.png' });
    expect(server.seen).toHaveLength(2);
  });

  it('says what to do where the service takes no files and no templates', async () => {
    const { server, service } = await setUp();
    const upload = { bytes: new Uint8Array(1), sha256: sha256(''), name: 'images/a.png' };
    expect(await thrown(service.uploadSource(upload))).toMatchObject({
      code: 'service_lacks_uploads',
      message: `The service at ${server.url} takes no files, and images/a.png is one`,
      hint: expect.stringContaining('URL'),
    });
    const other = { ...upload, sha256: sha256('other'), name: 'images/b.png' };
    expect(await thrown(service.uploadSource(other))).toMatchObject({
      message: `The service at ${server.url} takes no files, and images/b.png is one`,
    });
    expect(server.count('POST /v2/source_uploads')).toBe(1);
    server.force('POST /v2/template_style_versions', { kind: 'answer', status: 405 });
    expect(await thrown(service.uploadStyleVersion(new Uint8Array(1)))).toMatchObject({
      code: 'service_lacks_uploads',
    });
  });
});

describe('pushStyleVersion()', () => {
  const upload = { name: 'small', spec, zip: () => Uint8Array.of(1, 2, 3) };

  it('uploads what is not there, waits until it is ready, and does it once', async () => {
    const { server, service } = await setUp({ uploads: { styleVersion: spec } });
    const waits: number[] = [];
    const wait = async (milliseconds: number) => void waits.push(milliseconds);
    expect(await pushStyleVersion(service, upload, wait)).toEqual({ uploaded: true });
    expect(waits).toEqual([100, 200]);
    expect(await pushStyleVersion(service, upload, wait)).toEqual({ uploaded: false });
    expect(server.count('POST /v2/template_style_versions')).toBe(1);
  });

  it('uploads again what is there with other labels or limits', async () => {
    const { server, service } = await setUp({ uploads: { styleVersion: spec } });
    const wait = async () => undefined;
    await pushStyleVersion(service, upload, wait);
    const [key, editable] = Object.entries(spec.editables)[0]!;
    const relabelled = { ...spec, editables: { ...spec.editables, [key]: { ...editable, label: 'Another' } } };
    expect(await pushStyleVersion(service, { ...upload, spec: relabelled }, wait)).toEqual({ uploaded: true });
    expect(server.count('POST /v2/template_style_versions')).toBe(2);
  });

  it('tells why the service cannot use it', async () => {
    const { server, service } = await setUp();
    const errors = [{ code: 'template_invalid', pointer: '#', detail: 'It has no frames' }];
    server.force(
      'GET /v2/template_style_versions/{id}',
      json({ style_version: { ...spec, status: 'failed', errors } }),
    );
    expect(await thrown(pushStyleVersion(service, upload, async () => undefined))).toMatchObject({
      code: 'template_invalid',
      message: `The service cannot use the template small (${spec.id}): It has no frames`,
    });
  });

  it('refuses another template than the one that was sent', async () => {
    const { service } = await setUp({ uploads: { styleVersion: { ...spec, id: 'tsv_other' } } });
    expect(await thrown(pushStyleVersion(service, upload, async () => undefined))).toMatchObject({
      code: 'template_invalid',
      message: `The service made tsv_other of the template small, not ${spec.id}`,
    });
  });

  it('does not wait for ever', async () => {
    const { server, service } = await setUp();
    const processing = json({ style_version: { ...spec, status: 'processing', errors: [] } });
    server.force('GET /v2/template_style_versions/{id}', ...Array.from({ length: 400 }, () => processing));
    expect(await thrown(pushStyleVersion(service, upload, async () => undefined))).toMatchObject({
      code: 'service_unreachable',
    });
  });
});
