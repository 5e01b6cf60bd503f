import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { proxyFor, proxyReason } from '../../../src/kernel/http/proxy.ts';
import { openResponse, sendRequest } from '../../../src/kernel/http/send-request.ts';
import { exchange } from '../../../src/reconciler/service-client/exchange.ts';
import { startChild } from '../../support/child-program.ts';
import { freePort } from '../../support/free-port.ts';
import { type HttpProxy, type HttpProxyOptions, startHttpProxy } from '../../support/http-proxy.ts';
import { startServer } from '../../support/http-server.ts';
import { temporaryRepository } from '../../support/temporary-repository.ts';
import { startTlsServer, TLS_CERTIFICATE } from '../../support/tls-server.ts';

const VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'];

beforeEach(() => {
  for (const name of VARIABLES) {
    vi.stubEnv(name, '');
    vi.stubEnv(name.toLowerCase(), '');
  }
});
afterEach(() => {
  vi.unstubAllEnvs();
});

async function proxyOf(options: HttpProxyOptions, login = ''): Promise<HttpProxy> {
  const proxy = await startHttpProxy(options);
  onTestFinished(() => proxy.close());
  const url = proxy.url.replace('//', `//${login}`);
  vi.stubEnv('HTTP_PROXY', url);
  vi.stubEnv('HTTPS_PROXY', url);
  return proxy;
}

const get = (url: string) => ({ method: 'GET', url, headers: {} }) as const;
const post = (url: string) => ({ method: 'POST', url, headers: {}, body: '{}' }) as const;

describe('proxyFor()', () => {
  const hrefOf = (url: string): string | null => proxyFor(new URL(url))?.url.href ?? null;

  it.each([
    [{ HTTP_PROXY: 'http://a:1' }, 'http://media.example/', 'http://a:1/'],
    [{ HTTP_PROXY: 'http://a:1' }, 'https://media.example/', null],
    [{ HTTPS_PROXY: 'http://a:1' }, 'https://media.example/', 'http://a:1/'],
    [{ https_proxy: 'http://b:1', HTTPS_PROXY: 'http://a:1' }, 'https://media.example/', 'http://b:1/'],
    [{ ALL_PROXY: 'https://a:1' }, 'https://media.example/', 'https://a:1/'],
    [{ ALL_PROXY: 'http://a:1', NO_PROXY: 'x, media.example' }, 'https://media.example/', null],
    [{ ALL_PROXY: 'http://a:1', NO_PROXY: 'media.example' }, 'https://a.media.example/', 'http://a:1/'],
    [{ ALL_PROXY: 'http://a:1', NO_PROXY: '.media.example' }, 'https://a.media.example/', null],
    [{ ALL_PROXY: 'http://a:1', no_proxy: '*.media.example' }, 'https://a.media.example/', null],
    [{ ALL_PROXY: 'http://a:1', NO_PROXY: 'media.example:8443' }, 'https://media.example:8443/', null],
    [{ ALL_PROXY: 'http://a:1', NO_PROXY: 'media.example:8443' }, 'https://media.example/', 'http://a:1/'],
    [{ ALL_PROXY: 'http://a:1', NO_PROXY: '*' }, 'https://media.example/', null],
    [{ ALL_PROXY: 'http://a:1' }, 'http://localhost:8080/', null],
    [{ ALL_PROXY: 'http://a:1' }, 'http://127.0.0.2/', null],
    [{ ALL_PROXY: 'http://a:1' }, 'http://[::1]/', null],
  ] as [Record<string, string>, string, string | null][])('with %j for %s is %s', (variables, url, proxy) => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    expect(hrefOf(url)).toBe(proxy);
  });

  it('keeps user and password out of the URL', () => {
    vi.stubEnv('HTTP_PROXY', 'http://me:p%40ss%@a:1');
    const proxy = proxyFor(new URL('http://media.example/'))!;
    expect(proxy.url.href).toBe('http://a:1/');
    expect(proxy.authorization).toBe(`Basic ${Buffer.from('me:p%40ss%').toString('base64')}`);
  });

  it.each(['socks5://me:s3cret@a:1', 'http://me:s3cret@:x'])('rejects %s without naming it', (text) => {
    vi.stubEnv('HTTP_PROXY', text);
    const error = (() => {
      try {
        return proxyFor(new URL('http://media.example/'));
      } catch (thrown) {
        return thrown;
      }
    })() as { code: string };
    expect(error.code).toBe('PROXY_INVALID');
    expect(inspect(error)).not.toContain('s3cret');
  });
});

describe('sendRequest() through a proxy', () => {
  it('requests the whole URL of http, with a login that only the proxy gets', async () => {
    const seen: unknown[] = [];
    const server = await startServer((request, answer) => {
      seen.push(request.headers.host, request.headers['proxy-authorization']);
      request.on('data', (chunk: Buffer) => seen.push(chunk.toString())).on('end', () => answer.end('hello'));
    });
    onTestFinished(() => server.close());
    const hosts = { 'media.example:80': Number(new URL(server.url).port) };
    const proxy = await proxyOf({ hosts, login: 'me:p@ss' }, 'me:p%40ss@');
    const sent = await sendRequest(get('http://media.example/a?b'), 100);
    expect(sent).toMatchObject({ kind: 'answered', status: 200, bytes: Buffer.from('hello') });
    expect(await sendRequest(post('http://media.example/c'), 100)).toMatchObject({ kind: 'answered', status: 200 });
    expect(proxy.requests).toEqual(['GET http://media.example/a?b', 'POST http://media.example/c']);
    expect(seen).toEqual(['media.example', undefined, 'media.example', undefined, '{}']);
  });

  it('opens a tunnel for https, and reports a failed handshake behind it as unsent', async () => {
    const server = await startTlsServer((_, answer) => answer.end('hello'));
    onTestFinished(() => server.close());
    const proxy = await proxyOf({ hosts: { 'media.example:443': server.port } });
    const sent = await sendRequest(post('https://media.example/'), 100);
    expect(sent).toEqual({ kind: 'unsent', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    expect(proxy.requests).toEqual(['CONNECT media.example:443']);
  });

  it('reports a request as unanswered once it may have reached the host', async () => {
    const tls = await startTlsServer(({ url, socket }, answer) => (url === '/lost' ? socket.destroy() : answer.end()));
    const server = await startServer(({ socket }) => socket.destroy());
    onTestFinished(async () => {
      tls.close();
      await server.close();
    });
    const plain = Number(new URL(server.url).port);
    const proxy = await proxyOf({ hosts: { 'media.example:443': tls.port, 'media.example:80': plain } });
    const authority = join(temporaryRepository({ 'authority.pem': TLS_CERTIFICATE }), 'authority.pem');
    const variables = [`NODE_EXTRA_CA_CERTS=${authority}`, `HTTP_PROXY=${proxy.url}`, `HTTPS_PROXY=${proxy.url}`];
    const urls = ['https://media.example/', 'https://media.example/lost', 'http://media.example/'];
    const child = await startChild(join(import.meta.dirname, 'post-once.ts'), urls, ['env', ...variables]);
    await child.line('end');
    expect(child.lines).toEqual(['answered 200', 'unanswered ECONNRESET', 'unanswered ECONNRESET', 'end']);
    expect(proxy.requests).toHaveLength(3);
  });

  it.each([302, 403, 407, 502])('reports a tunnel refused with %d as unsent, never as an answer', async (status) => {
    await proxyOf({ refusal: status });
    expect(await sendRequest(post('https://media.example/'), 100)).toEqual({ kind: 'unsent', code: `PROXY_${status}` });
    expect(proxyReason(`PROXY_${status}`)).toBe(`the proxy answered ${status}`);
  });

  it('reports a request that the proxy does not forward for want of a login as unsent', async () => {
    const proxy = await proxyOf({ login: 'me:s3cret' }, 'me:wr0ng@');
    expect(await sendRequest(post('http://media.example/'), 100)).toEqual({ kind: 'unsent', code: 'PROXY_407' });
    const outcome = await exchange({ ...get('http://media.example/') }, 'token');
    expect(outcome).toMatchObject({ kind: 'unsent', error: { code: 'service_unreachable' } });
    expect(inspect(outcome, { depth: 9 })).toContain('the proxy answered 407');
    const error = await openResponse(get('https://media.example/')).catch((reason: unknown) => reason);
    for (const value of [outcome, error]) {
      expect(inspect(value, { depth: 9, showHidden: true })).not.toMatch(/wr0ng|bWU6d3Iwbmc/);
    }
    expect(proxy.requests).toHaveLength(3);
  });

  it('reports the request as unsent when there is no proxy', async () => {
    vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${await freePort()}`);
    expect(await sendRequest(post('https://media.example/'), 100)).toEqual({ kind: 'unsent', code: 'ECONNREFUSED' });
  });

  it('leaves a proxy that does not answer when the request ends', async () => {
    const proxy = await proxyOf({ refusal: 0 });
    const controller = new AbortController();
    const sent = sendRequest({ ...post('https://media.example/'), signal: controller.signal }, 100);
    await vi.waitUntil(() => proxy.requests.length > 0);
    controller.abort();
    expect(await sent).toMatchObject({ kind: 'unsent' });
    expect(await sendRequest({ ...post('https://media.example/'), totalMs: 100 }, 100)).toEqual({
      kind: 'unsent',
      code: 'ETIMEDOUT',
    });
    await vi.waitUntil(() => proxy.connections() === 0, 5000);
  });
});
