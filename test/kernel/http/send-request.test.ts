import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { backoffMs, spreadMs } from '../../../src/kernel/backoff.ts';
import {
  followRedirects,
  openResponse,
  redirectTarget,
  retryAfterMs,
  sendRequest,
} from '../../../src/kernel/http/send-request.ts';
import { freePort } from '../../support/free-port.ts';
import { startServer } from '../../support/http-server.ts';

async function serverOf(...[answer]: Parameters<typeof startServer>): Promise<string> {
  const server = await startServer(answer);
  onTestFinished(() => server.close());
  return server.url;
}

const get = (url: string) => ({ method: 'GET', url, headers: {} }) as const;

describe('sendRequest()', () => {
  it('reads and decompresses the whole answer whatever its status', async () => {
    const url = await serverOf((_, answer) =>
      answer.writeHead(418, { 'content-encoding': 'gzip' }).end(gzipSync('short and stout')),
    );
    const sent = await sendRequest(get(url), 100);
    expect(sent).toMatchObject({ kind: 'answered', status: 418, bytes: Buffer.from('short and stout') });
  });

  it('reports the request as unsent when there is no connection', async () => {
    const sent = await sendRequest(get(`http://127.0.0.1:${await freePort()}`), 100);
    expect(sent).toEqual({ kind: 'unsent', code: 'ECONNREFUSED' });
  });

  it('reports the request as unsent when connecting or the TLS handshake takes too long', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    await new Promise((resolve) => silent.once('listening', resolve));
    const { port } = silent.address() as { port: number };
    const sent = await sendRequest({ ...get(`https://127.0.0.1:${port}`), connectMs: 50 }, 100);
    expect(sent).toEqual({ kind: 'unsent', code: 'ETIMEDOUT' });
  });

  it.each([{ idleMs: 50 }, { totalMs: 500 }])('times out when the server is silent: %j', async (limits) => {
    const url = await serverOf(() => undefined);
    expect(await sendRequest({ ...get(url), ...limits }, 100)).toEqual({ kind: 'unanswered', code: 'ETIMEDOUT' });
  });

  it.each([{ idleMs: 50 }, { totalMs: 500 }])('times out when the answer stalls: %j', async (limits) => {
    const url = await serverOf((_, answer) => answer.writeHead(200).write('half'));
    const sent = await sendRequest({ ...get(url), ...limits }, 100);
    expect(sent).toMatchObject({ kind: 'broken', status: 200, code: 'ETIMEDOUT' });
  });

  it('stops reading an answer that is too large, including after decompression', async () => {
    for (const encoding of ['identity', 'gzip']) {
      const bytes = Buffer.alloc(1_000_000);
      const url = await serverOf((_, answer) =>
        answer.writeHead(200, { 'content-encoding': encoding }).end(encoding === 'gzip' ? gzipSync(bytes) : bytes),
      );
      expect(await sendRequest(get(url), 100_000)).toMatchObject({ kind: 'broken', code: 'too_large' });
    }
  });

  it('follows no redirect', async () => {
    const url = await serverOf((_, answer) => answer.writeHead(302, { location: '/elsewhere' }).end());
    expect(await sendRequest(get(url), 100)).toMatchObject({ kind: 'answered', status: 302 });
  });
});

describe('openResponse()', () => {
  it('stops when the signal is aborted, before and during the answer', async () => {
    const url = await serverOf((_, answer) => answer.writeHead(200).write('half'));
    await expect(openResponse({ ...get(url), signal: AbortSignal.abort() })).rejects.toMatchObject({
      wasConnected: false,
    });
    const controller = new AbortController();
    const { body } = await openResponse({ ...get(url), signal: controller.signal });
    controller.abort();
    await expect(body.toArray()).rejects.toThrow();
  });

  it('leaves the request out of its errors', async () => {
    const headers = { authorization: 'Bearer secret\nx' };
    const error = await openResponse({ ...get('http://127.0.0.1:1/secret'), headers }).catch((reason) => reason);
    expect(error.code).toBe('ERR_INVALID_CHAR');
    expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain('secret');
  });
});

describe('redirectTarget()', () => {
  it.each([
    [301, '/b', 'https://a.example/b'],
    [302, 'https://b.example/', 'https://b.example/'],
    [303, 'c?d', 'https://a.example/x/c?d'],
    [307, Buffer.from('/é').toString('latin1'), 'https://a.example/%C3%A9'],
    [308, 'http://', 'http://'],
    [200, '/b', null],
    [304, '/b', null],
    [301, undefined, null],
  ])('for %d with Location %j is %j', (status, location, target) => {
    const headers = location === undefined ? {} : { location };
    expect(redirectTarget({ status, headers }, 'https://a.example/x/y')).toBe(target);
  });
});

describe('followRedirects()', () => {
  it('requests each URL in turn and stops at the limit', async () => {
    const asked: string[] = [];
    const ask = async (url: string, redirects: number) => {
      asked.push(url);
      return redirects === 2 ? { result: 'end' } : { redirectedTo: `${url}/${redirects}` };
    };
    expect(await followRedirects('a', 2, ask)).toBe('end');
    expect(asked).toEqual(['a', 'a/0', 'a/0/1']);
    expect(await followRedirects('a', 1, ask)).toBeNull();
  });
});

const NOW = Date.parse('2026-01-01T00:00:00.000Z');

describe('retryAfterMs()', () => {
  it.each([
    [undefined, null],
    [null, null],
    ['', null],
    ['120', 120_000],
    [' 0 ', 0],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['2026-01-01', null],
    ['1.5', null],
    ['-5', null],
    ['soon', null],
    ['99999999999', null],
    ['99999999999999999999', null],
  ])('returns %j as %j', (header, milliseconds) => {
    expect(retryAfterMs(header, NOW)).toBe(milliseconds);
  });
});

describe('backoffMs()', () => {
  it('waits longer each time up to a limit, with jitter over the upper half', () => {
    const backoff = { firstMs: 500, maxMs: 3000 };
    expect([0, 1, 2, 3, 4].map((tries) => backoffMs(tries, backoff))).toEqual([500, 1000, 2000, 3000, 3000]);
    expect([0, 1].map((tries) => backoffMs(tries, backoff, 0))).toEqual([250, 500]);
    expect(backoffMs(2, { ...backoff, factor: 1.5 })).toBe(1125);
  });
});

it('spreadMs() adds jitter in both directions', () => {
  expect([0, 0.5, 1].map((random) => Math.round(spreadMs(1000, 0.1, random)))).toEqual([900, 1000, 1100]);
});
