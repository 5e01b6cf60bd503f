import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ProbeUrl } from '../../../../src/contract/urls.ts';
import { defined } from '../../../../src/kernel/defined.ts';
import {
  ALLOW_EVERYTHING,
  ALLOW_NOTHING,
  parseAllowList,
} from '../../../../src/service/sessions/sources/allow-list.ts';
import { createFetch, createUrlProbe } from '../../../../src/service/sessions/sources/fetch-source.ts';
import { PoliteHosts } from '../../../../src/service/sessions/sources/polite-hosts.ts';
import { startServer } from '../../../support/http-server.ts';

const hosts = new PoliteHosts({ pause: async () => {} });
const look = createUrlProbe({ allow: ALLOW_EVERYTHING, hosts });
const never = new AbortController().signal;

async function serve(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = await startServer(handle);
  onTestFinished(() => server.close());
  return server.url;
}

async function answering(status: number, headers: Record<string, string> = {}): Promise<string> {
  return serve((_, response) => response.writeHead(status, headers).end());
}

describe('createUrlProbe()', () => {
  it.each([
    [{ etag: '"a"', 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' }, '"a"'],
    [{ 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' }, 'Thu, 01 Jan 2026 00:00:00 GMT'],
    [{}, null],
  ])('identifies versions by %j', async (headers, validator) => {
    expect(await look(await answering(200, headers as Record<string, string>), never)).toEqual({
      kind: 'there',
      validator,
    });
  });

  it.each<[string, Record<string, string>, number, Record<string, string>, number | undefined]>([
    ['as HEAD tells', { 'content-length': '12' }, 200, {}, 12],
    [
      'of what is compressed on the way: unknown',
      { 'content-length': '12', 'content-encoding': 'gzip' },
      200,
      {},
      undefined,
    ],
    ['of what GET knows better', { 'content-length': '0' }, 206, { 'content-range': 'bytes 0-0/12' }, 12],
    ['of an empty file', { 'content-length': '0' }, 416, { 'content-range': 'bytes */0' }, 0],
    ['of an empty file without ranges', { 'content-length': '0' }, 200, { 'content-length': '0' }, 0],
  ])('reads the size %s', async (_, head, status, get, bytes) => {
    const url = await serve(({ method }, response) => {
      if (method === 'HEAD') response.writeHead(200, head).end();
      else response.writeHead(status, get).end();
    });
    expect(await look(url, never)).toEqual({ kind: 'there', validator: null, ...defined({ bytes }) });
  });

  it.each([404, 410])('reports %i as gone', async (status) => {
    expect(await look(await answering(status), never)).toEqual({ kind: 'gone', status });
  });

  it.each([401, 403, 500])('reports %i as unclear', async (status) => {
    expect(await look(await answering(status), never)).toEqual({
      kind: 'unclear',
      why: `the server returned ${status}`,
    });
  });

  it.each([429, 503])('asks again after %i, and reports it as unclear after four tries', async (status) => {
    expect(await look(await answering(status), never)).toEqual({
      kind: 'unclear',
      why: `the server returned ${status}, after 4 tries`,
    });
  });

  it('takes turns with the fetches of sources', async () => {
    let isLimited = true;
    const seen: unknown[] = [];
    const url = await serve(({ method }, response) => {
      seen.push(method);
      if (isLimited) response.writeHead(429).end();
      else response.end('picture');
    });
    let isPaused = (): void => {};
    const pausing = new Promise<void>((resolve) => {
      isPaused = resolve;
    });
    let goOn = (): void => {};
    const paused = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const shared = new PoliteHosts({
      pause: () => {
        isPaused();
        return paused;
      },
    });
    const policy = { allow: ALLOW_EVERYTHING, hosts: shared };
    const fetching = createFetch(policy)(url, never);
    await pausing;
    const probing = createUrlProbe(policy)(url, never);
    isLimited = false;
    // Long enough for a request that does not wait.
    await fetch(await answering(200));
    expect(seen).toEqual(['GET']);
    goOn();
    expect([(await fetching).status, (await probing).kind]).toEqual(['fetched', 'there']);
  });

  it('waits as the host asks', async () => {
    const waits: number[] = [];
    let isFirst = true;
    const url = await serve((_, response) => {
      if (isFirst) response.writeHead(429, { 'retry-after': '7' }).end();
      else response.writeHead(200, { etag: '"a"' }).end();
      isFirst = false;
    });
    const patient = new PoliteHosts({ pause: async (milliseconds) => void waits.push(milliseconds) });
    const found = await createUrlProbe({ allow: ALLOW_EVERYTHING, hosts: patient })(url, never);
    expect([found, waits]).toEqual([{ kind: 'there', validator: '"a"' }, [7000]]);
  });

  it('sends a GET for one byte where HEAD is rejected, and reads no body', async () => {
    const asked: unknown[] = [];
    const url = await serve(({ method, headers }, response) => {
      asked.push([method, headers.range]);
      if (method === 'HEAD') response.writeHead(405).end();
      // The body never ends, so a client that reads it never returns.
      else response.writeHead(206, { etag: '"g"' }).write('x');
    });
    expect(await look(url, never)).toEqual({ kind: 'there', validator: '"g"' });
    expect(asked).toEqual([
      ['HEAD', undefined],
      ['GET', 'bytes=0-0'],
    ]);
  });

  it('follows up to three redirects and checks each address', async () => {
    const hops = (count: number): Promise<string> => {
      return serve(({ url = '' }, response) => {
        const hop = Number(url.slice(1) || '0');
        if (hop === count) response.writeHead(200, { etag: '"end"' }).end();
        else response.writeHead(302, { location: `/${hop + 1}` }).end();
      });
    };
    expect(await look(await hops(3), never)).toEqual({ kind: 'there', validator: '"end"' });
    expect(await look(await hops(4), never)).toMatchObject({ kind: 'unclear' });
    expect(await look(await answering(302, { location: 'ftp://example.com/' }), never)).toMatchObject({
      kind: 'unclear',
    });
    const secret = await answering(200);
    const outside = await answering(302, { location: secret });
    const allowed = parseAllowList([new URL(outside).host]);
    const guarded = createUrlProbe({ allow: allowed.ok ? allowed.value : ALLOW_NOTHING });
    expect(await guarded(outside, never)).toMatchObject({ kind: 'unclear' });
  });

  it('connects only to public addresses and reveals no more than that', async () => {
    let isAsked = false;
    const url = await serve((_, response) => {
      isAsked = true;
      response.end();
    });
    const guarded: ProbeUrl = createUrlProbe({ allow: ALLOW_NOTHING, publicPorts: [Number(new URL(url).port)] });
    expect(await guarded(url, never)).toEqual({ kind: 'unclear', why: 'its address is not public' });
    expect(await guarded('http://user:pass@example.com/', never)).toMatchObject({ kind: 'unclear' });
    expect(await guarded('file:///etc/passwd', never)).toMatchObject({ kind: 'unclear' });
    expect(isAsked).toBe(false);
  });

  it('reports a broken connection as unclear and rejects when aborted', async () => {
    const url = await serve((request) => request.socket.destroy());
    expect(await look(`${url}/?key=s3cret`, never)).toEqual({
      kind: 'unclear',
      why: 'the server did not respond (ECONNRESET)',
    });
    await expect(look(url, AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
  });
});
