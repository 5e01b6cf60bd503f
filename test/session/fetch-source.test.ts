import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_FETCH_LIMITS, fetchSource } from '../../src/session/fetch-source.ts';
import { SessionFailure } from '../../src/session/ports.ts';
import { startServer, type TestServer } from '../support/http-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer((request, response) => {
    const path = request.url?.split('?')[0];
    if (path === '/image.png') response.end('bytes');
    else if (path === '/large') response.end(Buffer.alloc(2000));
    else if (path === '/endless') {
      const timer = setInterval(() => response.write('x'), 5);
      response.on('close', () => clearInterval(timer));
    } else if (path === '/again') response.writeHead(302, { location: '/image.png' }).end();
    else if (path === '/circle') response.writeHead(302, { location: '/circle' }).end();
    else if (path === '/busy') response.writeHead(503).end();
    else if (path === '/reset') response.destroy();
    else response.writeHead(404).end();
  });
});
afterAll(() => server.close());

async function failureOf(path: string, limits = DEFAULT_FETCH_LIMITS): Promise<SessionFailure['error']> {
  try {
    await fetchSource(`${server.url}${path}`, new AbortController().signal, limits);
  } catch (error) {
    if (error instanceof SessionFailure) return error.error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('fetchSource()', () => {
  it('gives the bytes, behind a redirect too', async () => {
    const { signal } = new AbortController();
    expect(Buffer.from(await fetchSource(`${server.url}/image.png`, signal)).toString()).toBe('bytes');
    expect(Buffer.from(await fetchSource(`${server.url}/again`, signal)).toString()).toBe('bytes');
  });

  it.each([
    ['/missing', false, 'answered 404'],
    ['/busy', true, 'answered 503'],
    ['/reset', true, 'failed (ECONNRESET)'],
    ['/circle', false, 'redirects'],
  ])('tells that %s could not be had', async (path, retryable, words) => {
    const error = await failureOf(path);
    expect(error).toMatchObject({ code: 'asset_unreachable', retryable });
    expect(error.detail).toContain(words);
  });

  it('stops at the size limit', async () => {
    const error = await failureOf('/large', { ...DEFAULT_FETCH_LIMITS, maxBytes: 1000 });
    expect(error).toMatchObject({ code: 'asset_too_large', retryable: false });
  });

  it('stops a server that drips for ever', async () => {
    expect(await failureOf('/endless', { ...DEFAULT_FETCH_LIMITS, timeoutMs: 200 })).toMatchObject({
      code: 'asset_unreachable',
      retryable: true,
    });
  });

  it('keeps the query of the URL to itself', async () => {
    expect(JSON.stringify(await failureOf('/missing?signature=s3cret'))).not.toContain('s3cret');
  });

  it('asks once: retrying is the business of whoever asks for the render', async () => {
    const before = server.requests.length;
    await failureOf('/busy');
    expect(server.requests.length - before).toBe(1);
  });
});
