import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ServiceError } from '../../../src/contract/service-error.ts';
import { EXIT } from '../../../src/kernel/diagnostic.ts';
import { sha256 } from '../../../src/kernel/digest.ts';
import { createHttpService } from '../../../src/reconciler/service-client/http-service.ts';
import { bareSession } from '../../../src/reconciler/service-client/read-answer.ts';
import {
  BODY,
  type Client,
  create,
  GET,
  json,
  LIST,
  openClient,
  POST,
  SPECS,
  spec,
  thrown,
} from '../../support/remote-client.ts';

describe('createHttpService()', () => {
  it('makes the three calls of the interface document and no other', async () => {
    const { server, service } = await openClient();
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

  it('keeps the base path and escapes ids into one path segment', async () => {
    const { server } = await openClient();
    const service = createHttpService({
      url: `${server.url}/base`,
      token: server.token,
      now: () => 0,
      monotonicNow: () => 0,
      random: () => 0,
      wait: async () => undefined,
    });
    expect(service.name).toBe(server.url);
    await thrown(service.getRenderSession('../../../x?y#z/é'));
    expect(server.seen[0]!.path).toBe('/base/v2/render_sessions/..%2F..%2F..%2Fx%3Fy%23z%2F%C3%A9');
  });

  it('retries reads while the service is busy or silent', async () => {
    const { server, service, waits } = await openClient();
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

  it.each([
    ['a read', SPECS, ({ service }: Client) => service.getStyleVersion(spec.id)],
    ['a look at a session', GET, ({ service }: Client) => service.getRenderSession('x')],
    ['a list', LIST, ({ service }: Client) => service.listRenderSessions!(1)],
    [
      'a file',
      'POST /v2/source_uploads',
      ({ service }: Client) => service.uploadSource({ bytes: new Uint8Array(1), sha256: sha256(''), name: 'a.png' }),
    ],
  ])('gives up %s after two timeouts', async (_, route, call) => {
    // Long enough for each request to arrive on a busy machine.
    const client = await openClient({}, { timeoutMs: 400, uploadTimeoutMs: 400 });
    client.server.force(route, ...Array.from({ length: 9 }, () => ({ kind: 'silent' }) as const));
    expect(await thrown(call(client))).toMatchObject({ code: 'service_unreachable' });
    expect(client.server.count(route)).toBe(2);
  });

  it('reports the start and end of each request', async () => {
    const told: string[] = [];
    const onRequest = (name: string) => {
      told.push(name);
      return () => void told.push('end');
    };
    const { server, service } = await openClient({}, { onRequest });
    server.force(LIST, { kind: 'cut' }, json({ render_sessions: [] }));
    await service.listRenderSessions!(1);
    const name = `GET ${server.url}/v2/render_sessions?…`;
    expect(told).toEqual([name, 'end', name, 'end']);
  });

  it('reports that nothing listens at the address', async () => {
    const { server } = await openClient();
    const { service } = await openClient({}, { url: server.url });
    await server.close();
    expect(await thrown(service.getStyleVersion('x'))).toMatchObject({
      code: 'service_unreachable',
      message: expect.stringMatching(/connection refused$/),
    });
  });

  it.each([301, 302, 303, 307, 308])('follows no redirect: %d', async (status) => {
    const { server, service } = await openClient({ keepsKeys: true });
    const location = { location: `${server.url}/elsewhere?token=${server.token}` };
    server.force(POST, { kind: 'answer', status, headers: location });
    server.force(SPECS, { kind: 'answer', status, headers: location });
    const error = await thrown(create(service));
    // A 303 means that the service did something.
    expect(error.code).toBe(status === 303 ? 'session_unknown' : 'service_answer_invalid');
    expect(error.message).toContain(
      `POST ${server.url}/v2/render_sessions was redirected to ${server.url}/elsewhere (${status}), and no redirect is followed`,
    );
    expect(await thrown(service.getStyleVersion(spec.id))).toMatchObject({ code: 'service_answer_invalid' });
    expect(server.seen).toHaveLength(2);
  });

  it('reports a refused token without repeating it', async () => {
    const { server } = await openClient();
    const { service } = await openClient({}, { url: server.url });
    server.force(SPECS, json({ detail: `not ${server.token}`, code: 'unauthorized' }, 401));
    const error = await thrown(service.getStyleVersion(spec.id));
    expect(error).toMatchObject({ code: 'service_unauthorized', exitCode: EXIT.authentication });
    expect(error.message).toBe('The service refused the token: not …');
    server.force(SPECS, json({ detail: 'The scope is missing' }, 403));
    expect(await thrown(service.getStyleVersion(spec.id))).toMatchObject({ code: 'service_unauthorized' });
  });

  it('passes on the problems of a refusal', async () => {
    const { server, service } = await openClient();
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

  it('describes a refusal that has no message', async () => {
    const { server, service } = await openClient();
    server.force(POST, { kind: 'answer', status: 400, body: '<html>' });
    expect(await thrown(create(service))).toMatchObject({
      status: 400,
      code: 'http_400',
      message: `POST ${server.url}/v2/render_sessions returned 400`,
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
  ])('rejects an answer with %s', async (_, body) => {
    const { server, service } = await openClient();
    server.force(GET, {
      kind: 'answer',
      status: 200,
      body: typeof body === 'string' ? body : JSON.stringify({ render_session: body }),
    });
    expect(await thrown(service.getRenderSession('x'))).toMatchObject({ code: 'service_answer_invalid' });
  });

  it('stops reading an answer that is too large', async () => {
    const { server, service } = await openClient();
    server.force(GET, { kind: 'answer', status: 200, body: 'x'.repeat(9 << 20) });
    expect(await thrown(service.getRenderSession('x'))).toMatchObject({
      code: 'service_answer_invalid',
      message: expect.stringContaining('8 MiB'),
    });
  });

  it('stops reading a small answer that decompresses to a large one', async () => {
    const { server, service } = await openClient();
    const headers = { 'content-encoding': 'gzip' };
    server.force(GET, { kind: 'answer', status: 200, headers, body: gzipSync(Buffer.alloc(64 << 20)) });
    expect(await thrown(service.getRenderSession('x'))).toMatchObject({ message: expect.stringContaining('8 MiB') });
  });

  it('accepts unknown statuses, fields and errors', async () => {
    const { server, service } = await openClient();
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

  it('accepts answers without the optional fields', async () => {
    const { server, service } = await openClient();
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
  ])('returns the delay that the service asks for: Retry-After %j', async (retryAfter, expected) => {
    const { server, service } = await openClient();
    const headers: Record<string, string> = retryAfter === null ? {} : { 'retry-after': retryAfter };
    server.force(GET, { ...json({ render_session: session }), headers });
    expect((await service.getRenderSession('x')).retryAfterMs).toBe(expected);
  });

  it('lists sessions page by page and skips entries that it cannot read', async () => {
    const { server, service } = await openClient();
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

  it.each([404, 405])('detects a service without listing by its %d', async (status) => {
    const { server, service } = await openClient();
    server.force(LIST, { kind: 'answer', status });
    expect(await service.listRenderSessions!(2)).toBeNull();
    server.force(LIST, { kind: 'answer', status: 400 });
    expect(await thrown(service.listRenderSessions!(2))).toMatchObject({ status: 400 });
    const { service: declared } = await openClient({}, { capabilities: { list: false } });
    expect(declared.listRenderSessions).toBeUndefined();
  });

  it('removes the query from URLs that the service names', async () => {
    const { server, service } = await openClient();
    const detail = 'GET https://cdn.example/a.png?X-Amz-Signature=secret#x answered 403';
    server.force(POST, json({ code: 'mapping_invalid', detail, errors: [{ code: 'x', pointer: '#', detail }] }, 422));
    const error = await thrown(create(service), 'secret');
    expect(error.message).toBe('GET https://cdn.example/a.png?… answered 403');
    server.force(GET, json({ render_session: { ...session, errors: [{ code: 'x', title: detail, detail }] } }));
    const look = await service.getRenderSession('x');
    expect(JSON.stringify(look.session.errors)).not.toContain('secret');
  });

  it('uploads a file byte for byte and retries when the answer is lost', async () => {
    const { server, service } = await openClient({ uploads: { styleVersion: spec } });
    const bytes = Uint8Array.of(0, 255, 10, 13);
    server.force('POST /v2/source_uploads', { kind: 'cut', afterDoing: true });
    expect(await service.uploadSource({ bytes, sha256: sha256(bytes), name: 'a.png' })).toEqual({
      remote_url: `${server.url}/sources/4`,
    });
    expect(server.seen.map(({ body }) => [...body])).toEqual([[...bytes], [...bytes]]);
    await service.uploadSource({ bytes, sha256: sha256(bytes), name: 'b.png' });
    expect(server.seen).toHaveLength(2);
  });

  it('gives a hint when the service accepts no files or templates', async () => {
    const { server, service } = await openClient();
    const upload = { bytes: new Uint8Array(1), sha256: sha256(''), name: 'images/a.png' };
    expect(await thrown(service.uploadSource(upload))).toMatchObject({
      code: 'service_lacks_uploads',
      message: `The service at ${server.url} does not accept files, but images/a.png is one`,
      hint: expect.stringContaining('URL'),
    });
    const other = { ...upload, sha256: sha256('other'), name: 'images/b.png' };
    expect(await thrown(service.uploadSource(other))).toMatchObject({
      message: `The service at ${server.url} does not accept files, but images/b.png is one`,
    });
    expect(server.count('POST /v2/source_uploads')).toBe(1);
    server.force('POST /v2/template_style_versions', { kind: 'answer', status: 405 });
    expect(await thrown(service.uploadStyleVersion(new Uint8Array(1)))).toMatchObject({
      code: 'service_lacks_uploads',
    });
  });

  it('does not count the wait for a connection in the time limit of a request', async () => {
    let requests = 0;
    const server = createServer((_request, answer) => {
      requests += 1;
      setTimeout(() => answer.end(JSON.stringify({ render_session: bareSession('a', Date.now()) })), 700);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 512, resolve));
    onTestFinished(() => void server.close());
    const service = createHttpService({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      token: 'token-of-this-test',
      now: Date.now,
      monotonicNow: () => performance.now(),
      random: () => 0,
      wait: async () => undefined,
      timeoutMs: 2_500,
    });
    // Five times as many as there are connections.
    const asked = Array.from({ length: 640 }, () => service.getRenderSession('a'));
    expect(new Set((await Promise.all(asked)).map(({ session }) => session.id))).toEqual(new Set(['a']));
    expect(requests).toBe(640);
  });
});
