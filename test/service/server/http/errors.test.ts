import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SERVICE_CODES } from '../../../../src/contract/service-error.ts';
import { startApp, type TestApp, TOKENS } from '../../../support/service-app.ts';
import { smallRequest } from '../../../support/small-sessions.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startApp({
    ports: {
      outputs: {
        find: () => Promise.reject(new Error('password=hunter2 at postgres://user:secret@db/x?sslkey=1 for rf_secret')),
        signDownload: () => 'x',
        verifyDownload: () => false,
      },
    },
  });
});
afterAll(() => service.close());

const json = { 'content-type': 'application/json' };
const post = (body: string | Uint8Array, headers: Record<string, string> = json) =>
  service.api('POST', '/v2/render_sessions', { body, headers });

/** Returns the answer to bytes that no client library would send. */
async function raw(text: string): Promise<{ status: number; headers: string; body: string }> {
  const { hostname, port } = new URL(service.url);
  const socket = connect({ host: hostname, port: Number(port) });
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    answer += chunk;
  });
  socket.write(text);
  await new Promise((resolve) => socket.once('close', resolve));
  const [headers = '', body = ''] = answer.split('\r\n\r\n');
  return { status: Number(headers.split(' ')[1]), headers, body };
}

describe('errors', () => {
  it.each(['ENOSPC', 'EDQUOT', '53100'])('caused by a full disk (%s) are retryable and logged', async (code) => {
    const find = (): Promise<never> => Promise.reject(Object.assign(new Error('no space left'), { code }));
    const full = await startApp({
      ports: { outputs: { find, signDownload: () => 'x', verifyDownload: () => false } },
    });
    try {
      const { status, headers, body } = await full.as(null)('GET', `/outputs/${'a'.repeat(24)}/video.mp4`);
      expect({ status, pause: headers.get('retry-after'), body }).toMatchObject({
        status: 503,
        pause: '5',
        body: { code: 'unavailable', detail: 'The disk of the service is full' },
      });
      expect(full.log.join('')).toContain('no space left');
    } finally {
      await full.close();
    }
  });

  it('are problem documents of RFC 9457 with the id of the request', async () => {
    const answer = await service.api('GET', '/v2/render_sessions/rs_none?x=secret', {
      headers: { 'x-request-id': 'abc-1' },
    });
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(answer.headers.get('x-request-id')).toBe('abc-1');
    expect(answer.body).toEqual({
      type: '/docs#bad_request',
      title: SERVICE_CODES.bad_request[1],
      status: 400,
      detail: 'the query has no parameter "x"',
      instance: '/v2/render_sessions/rs_none',
      code: 'bad_request',
      request_id: 'abc-1',
      errors: [{ code: 'unknown_field', pointer: '?x', detail: 'the query has no parameter "x"' }],
    });
  });

  it.each(['', 'x'.repeat(129), 'a b', 'é', '<script>', 'a"b'])('ignore a request id like %j', async (id) => {
    const answer = await service.api('GET', '/healthz', {
      headers: { 'x-request-id': Buffer.from(id).toString('latin1') },
    });
    expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
  });

  it.each([
    '/',
    '/v2',
    '/v2/',
    '/v2/nothing',
    '/V2/render_sessions',
    '/v2/render_sessions/',
    '/v2//render_sessions',
    '/..%2f..%2fetc/passwd',
  ])('404: GET %s', async (path) => {
    const answer = await service.api('GET', path === '/' ? '/none' : path);
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(answer.headers.get('x-request-id')).not.toBeNull();
  });

  it.each([
    ['PUT', '/v2/render_sessions', 'GET, HEAD, POST'],
    ['PUT', '/v2/render_sessions/rs_1', 'DELETE, GET, HEAD, PATCH'],
    ['GET', '/v2/render_sessions/rs_1/cancel', 'POST'],
    ['DELETE', '/v2/template_style_versions/tsv_1', 'GET, HEAD'],
    ['GET', '/v2/source_uploads', 'POST'],
    ['POST', '/outputs/a/b.mp4', 'GET, HEAD'],
    ['OPTIONS', '/v2/render_sessions', 'GET, HEAD, POST'],
    ['POST', '/openapi.json', 'GET, HEAD'],
  ])('405: %s %s, listing the supported methods', async (method, path, allow) => {
    const answer = await service.api(method, path);
    expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it('400: an invalid path', async () => {
    expect(await service.api('GET', '/%E0%A4%A')).toMatchObject({ status: 400, body: { code: 'bad_request' } });
  });

  it.each([
    ['an open object', '{"title": "sesame"', 'line 1, column 19'],
    ['a single quote', "{'title': 'sesame'}", 'line 1, column 2'],
    ['two values', '{} "sesame"', 'line 1, column 4'],
  ])('400: JSON with %s, with its position and without its content', async (_what, body, place) => {
    const answer = await post(body);
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'bad_request', errors: [{ code: 'invalid_json', pointer: '#' }] },
    });
    expect(answer.body.detail).toContain(place);
    expect(JSON.stringify(answer.body)).not.toContain('sesame');
  });

  it.each([
    ['nesting', `${'{"a":'.repeat(50)}1${'}'.repeat(50)}`, 'too_deep'],
    ['nesting without end', '['.repeat(500_000), 'too_deep'],
    ['__proto__', '{"title": "x", "__proto__": {"x": 1}}', 'forbidden_field'],
    ['__proto__, further down', '{"mapping": {"resources": {"__proto__": {"x": 1}}}}', 'forbidden_field'],
    ['constructor', '{"mapping": {"resources": {"t_01": {"constructor": {"prototype": {}}}}}}', 'forbidden_field'],
    ['a name twice', '{"title": "x", "title": "y"}', 'duplicate_field'],
    ['NUL', '{"title": "a\\u0000"}', 'invalid_text'],
    ['half a surrogate pair', '{"title": "\\ud800"}', 'invalid_text'],
    ['a number without end', '{"title": 1e999}', 'invalid_number'],
  ])('400: %s', async (_what, body, code) => {
    expect(await post(body)).toMatchObject({ status: 400, body: { code: 'bad_request', errors: [{ code }] } });
  });

  it('400: bytes that are not UTF-8', async () => {
    const answer = await post(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]));
    expect(answer).toMatchObject({ status: 400, body: { detail: 'The body is not valid UTF-8' } });
  });

  it.each(['[]', 'null', '"x"', '1', '', '{}'])('400: the body %s', async (body) => {
    expect((await post(body)).status).toBe(400);
  });

  it('413: a body of more than a mebibyte, but 422 or 400 for one just below', async () => {
    const body = { ...smallRequest(), title: '' };
    const padded = (length: number): string => {
      const text = JSON.stringify(body);
      return text + ' '.repeat(length - text.length);
    };
    expect(await post(padded(1024 * 1024 + 1))).toMatchObject({ status: 413, body: { code: 'body_too_large' } });
    expect((await post(padded(1024 * 1024))).status).toBe(400);
    const wide = {
      ...smallRequest(),
      mapping: { template_style_version_id: 'x', resources: {} as Record<string, null> },
    };
    for (let index = 0; index < 1_000; index += 1) wide.mapping.resources[`key_${index}`] = null;
    expect((await post(JSON.stringify(wide))).status).toBe(404);
    wide.mapping.resources.another = null;
    expect(await post(JSON.stringify(wide))).toMatchObject({
      status: 400,
      body: { errors: [{ code: 'too_many_fields' }] },
    });
  });

  it('408: does not disturb a service that rejected the body long before', async () => {
    const hasty = await startApp({ limits: { bodyMs: 1 } });
    const length = 2 * 1024 * 1024;
    const { hostname, port } = new URL(hasty.url);
    const socket = connect({ host: hostname, port: Number(port) });
    const lines = [
      'Host: x',
      `Authorization: Bearer ${TOKENS.acme}`,
      'Content-Type: application/json',
      `Content-Length: ${length}`,
    ];
    socket.write(`POST /v2/render_sessions HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n{`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /);
    await once(socket, 'close');
    expect((await hasty.as(null)('GET', '/healthz')).status).toBe(200);
    await hasty.close();
  });

  it('refuse a request with two Host headers', async () => {
    const answer = await raw('GET /healthz HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: close\r\n\r\n');
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({
      code: 'bad_request',
      detail: 'The request has several Host headers',
    });
  });

  it('list at most 100 mistakes', async () => {
    const body: Record<string, number> = {};
    for (let index = 0; index < 1000; index += 1) body[`field_${index}`] = index;
    const answer = await post(JSON.stringify(body));
    expect(answer.body.errors).toHaveLength(100);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json-patch+json',
    'multipart/form-data; boundary=x',
    'json',
    'application/zip',
    '',
  ])('415: the content type %j', async (type) => {
    const answer = await post('{}', { 'content-type': type });
    const detail = expect.stringMatching(/It accepts application\/json$/);
    expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type', detail } });
  });

  it('accept JSON with a charset in any case', async () => {
    const answer = await post(JSON.stringify(smallRequest()), { 'content-type': 'Application/JSON; charset=UTF-8' });
    expect(answer.status).toBe(201);
  });

  it.each(['gzip', 'br', 'deflate', 'GZIP', 'identity, gzip'])('415: Content-Encoding: %s', async (encoding) => {
    const answer = await post('{}', { ...json, 'content-encoding': encoding });
    expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    expect(answer.headers.get('accept-encoding')).toBe('identity');
  });

  it('431: endless headers', async () => {
    const answer = await raw(`GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(answer.status).toBe(431);
    expect(answer.headers).toContain('application/problem+json');
    expect(JSON.parse(answer.body)).toMatchObject({ status: 431, request_id: expect.stringMatching(/^req_/) });
  });

  it.each([
    ['no HTTP', 'hello\r\n\r\n'],
    ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n'],
    ['two lengths', 'POST /v2/render_sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'a length and chunks',
      'POST /v2/render_sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a space in a name', 'GET /healthz HTTP/1.1\r\nHost : x\r\n\r\n'],
  ])('400: %s', async (_what, text) => {
    expect((await raw(text)).status).toBe(400);
  });

  it('500: reveals no details and logs them without secrets', async () => {
    const answer = await service.as(null)('GET', '/outputs/a/b.mp4');
    expect(answer).toMatchObject({ status: 500, body: { code: 'internal', errors: [] } });
    expect(JSON.stringify(answer.body)).not.toMatch(/hunter2|postgres|stack|at /);
    const line = service.log.find((one) => one.includes(answer.body.request_id) && one.includes('"err"'))!;
    expect(JSON.parse(line)).toMatchObject({ level: 'error', err: { type: 'Error', stack: expect.any(String) } });
    expect(line).not.toMatch(/rf_secret|user:secret|sslkey/);
  });

  it('never repeat a misplaced token', async () => {
    const shown: unknown[] = [];
    for (const path of [
      `/v2/render_sessions/${TOKENS.acme}`,
      `/nowhere/${TOKENS.acme}`,
      `/v2/template_style_versions/${TOKENS.acme}/specs`,
    ]) {
      const { status, body } = await service.api('GET', path);
      expect(status).toBe(404);
      shown.push(body);
    }
    expect(JSON.stringify(shown)).not.toContain(TOKENS.acme);
  });

  it('503: while the service is stopping', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let hasBegun = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      hasBegun = resolve;
    });
    const stopping = await startApp({
      ports: {
        async readiness() {
          hasBegun();
          await held;
          return { ready: true, checks: {}, sandbox: 'none' };
        },
      },
    });
    const { hostname, port } = new URL(stopping.url);
    const socket = connect({ host: hostname, port: Number(port) });
    let answer = '';
    const ended = new Promise((resolve) => socket.once('close', resolve));
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.write('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n');
    await begun;
    const closed = stopping.close();
    while (stopping.app.server.listening) await new Promise((resolve) => setImmediate(resolve));
    const isAsked = new Promise((resolve) => stopping.app.server.once('request', resolve));
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await isAsked;
    release();
    await Promise.all([closed, ended]);
    // Running requests are still answered.
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toMatch(/HTTP\/1\.1 503 /);
    expect(answer).toMatch(/\r\nretry-after: \d+\r\n/i);
    expect(answer).toContain('"code":"unavailable"');
  });
});
