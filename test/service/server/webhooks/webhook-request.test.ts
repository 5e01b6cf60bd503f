import type { LookupFunction } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  createPostWebhook,
  type WebhookAnswer,
  webhookUrlProblem,
} from '../../../../src/service/server/webhooks/webhook-request.ts';
import { ALLOW_NOTHING, type AllowList, parseAllowList } from '../../../../src/service/sessions/sources/allow-list.ts';
import { startServer, type TestServer } from '../../../support/http-server.ts';

const NOW = Date.parse('2026-01-01T00:00:00.000Z');
const never = new AbortController().signal;

function allow(...entries: string[]) {
  const list = parseAllowList(entries);
  if (!list.ok) throw new Error('no list');
  return list.value;
}

/** Bytes of endless answers that the client accepted. */
let taken = 0;
let closed = 0;
let server: TestServer;
beforeAll(async () => {
  server = await startServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://x');
    const status = /^\/(\d{3})$/.exec(pathname)?.[1];
    response.on('close', () => {
      closed++;
    });
    if (status !== undefined) {
      const headers = { location: '/200', 'retry-after': '7' };
      return void response.writeHead(Number(status), headers).end('kept by nobody');
    }
    if (pathname === '/silent') return;
    if (pathname === '/reset') return void request.socket.destroy();
    if (pathname === '/half') return void request.socket.write('HTTP/1.1 20');
    if (pathname === '/drip') {
      response.writeHead(200).flushHeaders();
      return;
    }
    if (pathname === '/headers') {
      const { socket } = request;
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('x-more: of them\r\n'), 5);
      socket.on('close', () => clearInterval(timer)).on('error', () => {});
      return;
    }
    // Never ends.
    response.writeHead(200, { 'content-encoding': 'gzip' });
    const chunk = Buffer.alloc(16_384);
    const more = (): void => {
      while (!response.destroyed && response.write(chunk)) taken += chunk.length;
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  });
});
afterAll(() => server.close());

const post = (path: string, timeoutMs = 15_000, signal = never): Promise<WebhookAnswer> =>
  createPostWebhook({ allow: allow('127.0.0.1:*'), now: () => NOW, timeoutMs })(
    { url: server.url + path, headers: { 'webhook-id': 'msg_1' }, body: '{}' },
    signal,
  );

/** Posts with increasing timeouts, since a busy machine may not send a request within a short one. */
async function postUntil(path: string, isEnough: (answer: WebhookAnswer) => boolean): Promise<WebhookAnswer> {
  for (let timeoutMs = 60; ; timeoutMs *= 4) {
    const answer = await post(path, timeoutMs);
    if (isEnough(answer) || timeoutMs > 15_000) return answer;
  }
}

describe('createPostWebhook()', () => {
  it.each([200, 204, 299, 400, 410, 500])('returns the status %i', async (status) => {
    expect(await post(`/${status}`)).toEqual({ kind: 'answered', status, retryAfterMs: null });
  });

  it.each([429, 503])('returns the requested delay: %i', async (status) => {
    expect(await post(`/${status}`)).toEqual({ kind: 'answered', status, retryAfterMs: 7000 });
  });

  it.each([301, 302, 307, 308])('follows no redirect: %i', async (status) => {
    const before = server.requests.length;
    expect(await post(`/${status}`)).toMatchObject({ kind: 'answered', status });
    expect(server.requests.slice(before)).toEqual([`/${status}`]);
  });

  it.each(['/silent', '/half', '/headers'])('times out when no answer arrives: %s', async (path) => {
    const [before, arrived] = [closed, server.requests.length];
    const answer = await postUntil(path, () => server.requests.length > arrived);
    expect(answer).toEqual({ kind: 'failed', error: 'timeout' });
    await vi.waitUntil(() => closed > before, { timeout: 40_000 });
  });

  it('returns at the status and closes an endless body', async () => {
    const drip = await postUntil('/drip', ({ kind }) => kind === 'answered');
    expect(drip).toEqual({ kind: 'answered', status: 200, retryAfterMs: null });
    expect(await post('/endless')).toEqual({ kind: 'answered', status: 200, retryAfterMs: null });
    await vi.waitUntil(() => closed === server.requests.length, { timeout: 40_000 });
    // The socket buffers of both sides come on top of the 64 KiB that are read.
    expect(taken).toBeLessThan(20_000_000);
  });

  it('reports failures by code without the URL', async () => {
    expect(await post('/reset')).toEqual({ kind: 'failed', error: 'ECONNRESET' });
    const nowhere = createPostWebhook({ allow: allow('127.0.0.1:*'), now: () => NOW });
    const request = { url: 'http://127.0.0.1:9/?secret=1', headers: {}, body: '' };
    expect(await nowhere(request, never)).toEqual({ kind: 'failed', error: 'ECONNREFUSED' });
  });

  it('connects only to public addresses, whatever a name resolves to', async () => {
    const { port } = new URL(server.url);
    const before = server.requests.length;
    const lookup = ((_host, _options, callback) =>
      callback(null, [{ address: '127.0.0.1', family: 4 }])) as LookupFunction;
    const guarded = createPostWebhook({ allow: allow(`other.example:${port}`), lookup, now: () => NOW });
    const said = async (url: string) => guarded({ url, headers: {}, body: '' }, never);
    expect(await said(`https://hooks.example:${port}/`)).toEqual({ kind: 'failed', error: 'forbidden_address' });
    expect(await said('https://hooks.example/')).toEqual({ kind: 'failed', error: 'forbidden_address' });
    expect(await said(`http://hooks.example:${port}/`)).toEqual({ kind: 'failed', error: 'forbidden_url' });
    expect(await said(`https://127.0.0.1:${port}/`)).toEqual({ kind: 'failed', error: 'forbidden_url' });
    expect(server.requests.length).toBe(before);
  });

  it('stops when the signal is aborted', async () => {
    const stop = new AbortController();
    const asked = post('/silent', 15_000, stop.signal);
    stop.abort(new Error('stopping'));
    await expect(asked).rejects.toThrow('stopping');
  });
});

describe('webhookUrlProblem()', () => {
  const own = allow('hooks.internal:8080', '10.0.0.0/8', '*.lan');
  it.each<[url: string, list: AllowList, problem: string | null]>([
    ['https://example.com/hook?key=1', ALLOW_NOTHING, null],
    ['https://[2606:4700::1111]/', ALLOW_NOTHING, null],
    ['http://example.com/', ALLOW_NOTHING, 'is not https'],
    ['ftp://example.com/', ALLOW_NOTHING, 'is neither http nor https'],
    ['https://user:pw@example.com/', ALLOW_NOTHING, 'contains a user or a password'],
    ['https://example.com:8443/', ALLOW_NOTHING, 'uses port 8443, which is not allowed'],
    ['/hook', ALLOW_NOTHING, 'is not a valid URL'],
    ...['127.0.0.1', '2130706433', '[::1]', '[::ffff:10.0.0.1]', '169.254.169.254', 'localhost', 'a.localhost.'].map(
      (host): [string, AllowList, string] => [
        `https://${host}/`,
        ALLOW_NOTHING,
        'resolves to an address that is not public',
      ],
    ),
    ['http://hooks.internal:8080/', own, null],
    ['http://10.1.2.3/', own, null],
    ['http://nas.lan/', own, null],
    ['http://example.com:8080/', own, 'is not https'],
    ['https://192.168.0.1/', own, 'resolves to an address that is not public'],
  ])('%s', (url, list, problem) => {
    expect(webhookUrlProblem(url, list)).toBe(problem);
  });
});
