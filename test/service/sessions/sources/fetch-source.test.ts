import { createServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SessionFailure } from '../../../../src/service/sessions/ports.ts';
import { ALLOW_EVERYTHING } from '../../../../src/service/sessions/sources/allow-list.ts';
import {
  createFetch,
  DEFAULT_FETCH_LIMITS,
  type FetchAnswer,
  type FetchLimits,
  type Validators,
} from '../../../../src/service/sessions/sources/fetch-source.ts';
import { PoliteHosts } from '../../../../src/service/sessions/sources/polite-hosts.ts';
import { startServer, type TestServer } from '../../../support/http-server.ts';

const ZEROS = Buffer.alloc(20_000_000);
const BOMBS: Record<string, () => Buffer> = {
  gzip: () => gzipSync(ZEROS),
  br: () => brotliCompressSync(ZEROS),
  deflate: () => deflateSync(ZEROS),
};

let server: TestServer;
/** Bytes that the server could send; a client that stops reading limits them. */
let sentBytes = 0;

beforeAll(async () => {
  server = await startServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, server.url);
    response.on('error', () => {});
    const redirect = (location: string): unknown => response.writeHead(302, { location }).end();
    const validators = { etag: '"one"', 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' };
    switch (pathname) {
      case '/image.png':
        return response.end('bytes');
      case '/large':
        return response.end(Buffer.alloc(2000));
      case '/large-by-name':
        // The declared length is never sent; the header alone must be enough.
        return response.writeHead(200, { 'content-length': '1000000' }).write('x');
      case '/endless': {
        const more = (): void => {
          if (response.destroyed) return;
          sentBytes += 100_000;
          response.write(Buffer.alloc(100_000), () => setImmediate(more));
        };
        return more();
      }
      case '/drip': {
        const timer = setInterval(() => response.write('x'), 5);
        return response.on('close', () => clearInterval(timer));
      }
      case '/stalled':
        return response.write('x');
      case '/silent':
        return;
      case '/bomb': {
        const encoding = searchParams.get('encoding')!;
        return response.writeHead(200, { 'content-encoding': encoding }).end(BOMBS[encoding]!());
      }
      case '/compressed':
        return response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('bytes'));
      case '/twice':
        return response.writeHead(200, { 'content-encoding': 'gzip, gzip' }).end(gzipSync(gzipSync(ZEROS)));
      case '/torn':
        return response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('bytes').subarray(0, -9));
      case '/again':
        return redirect('/image.png');
      case '/circle':
        return redirect('/circle');
      case '/chain': {
        const left = Number(searchParams.get('left'));
        return redirect(left > 1 ? `/chain?left=${left - 1}` : '/image.png');
      }
      case '/to-file':
        return redirect('file:///etc/passwd');
      case '/to-nowhere':
        return redirect('http://[/');
      case '/to-versioned':
        return redirect('/versioned');
      case '/versioned':
        if (request.headers['if-none-match'] === '"one"') return response.writeHead(304, validators).end();
        return response.writeHead(200, { ...validators, 'cache-control': 'max-age=60' }).end('bytes');
      case '/confused':
        return response.writeHead(304).end();
      case '/partial':
        return response.writeHead(206).end('by');
      case '/busy':
        // The client must not wait for the body of an error.
        return response.writeHead(503).write('x');
      case '/reset':
        return response.destroy();
      default:
        return response.writeHead(404).end();
    }
  });
});
afterAll(() => server.close());

const { signal } = new AbortController();

function fetch(path: string, limits: Partial<FetchLimits> = {}, known?: Validators): Promise<FetchAnswer> {
  const run = createFetch({
    allow: ALLOW_EVERYTHING,
    limits: { ...DEFAULT_FETCH_LIMITS, ...limits },
    hosts: new PoliteHosts({ pause: async () => {} }),
  });
  return run(path.startsWith('/') ? `${server.url}${path}` : path, signal, { known });
}

async function textOf(path: string): Promise<string> {
  const answer = await fetch(path);
  return answer.status === 'fetched' ? answer.bytes.toString() : answer.status;
}

async function failureOf(path: string, limits?: Partial<FetchLimits>): Promise<SessionFailure['error']> {
  try {
    await fetch(path, limits);
  } catch (error) {
    if (error instanceof SessionFailure) return error.error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('createFetch()', () => {
  it.each(['/image.png', '/again', '/chain?left=3', '/compressed'])('fetches the bytes of %s', async (path) => {
    expect(await textOf(path)).toBe('bytes');
  });

  it.each([
    ['/missing', false, 'returned 404'],
    ['/busy', true, 'returned 503'],
    ['/partial', false, 'returned 206'],
    ['/confused', false, 'returned 304'],
    ['/reset', true, 'failed (ECONNRESET)'],
    ['/circle', false, 'redirected more than 3 times'],
    ['/chain?left=4', false, 'redirected more than 3 times'],
    ['/torn', true, 'failed (Z_BUF_ERROR)'],
  ])('reports that %s cannot be fetched', async (path, retryable, words) => {
    const error = await failureOf(path);
    expect(error).toMatchObject({ code: 'asset_unreachable', retryable });
    expect(error.detail).toContain(words);
  });

  it.each(['/to-file', '/to-nowhere', 'file:///etc/passwd', 'no URL', 'http://user:secret@127.0.0.1/'])(
    'rejects %s',
    async (path) => expect(await failureOf(path)).toMatchObject({ code: 'asset_forbidden_host', retryable: false }),
  );

  it.each(['/large', '/large-by-name'])('stops at the size limit: %s', async (path) => {
    const error = await failureOf(path, { maxBytes: 1000 });
    expect(error).toMatchObject({ code: 'asset_too_large', retryable: false });
  });

  it('stops reading an endless body', async () => {
    expect(await failureOf('/endless', { maxBytes: 1_000_000 })).toMatchObject({ code: 'asset_too_large' });
    expect(sentBytes).toBeLessThan(20_000_000);
  });

  it.each(Object.keys(BOMBS))('counts the decompressed bytes of %s', async (encoding) => {
    const error = await failureOf(`/bomb?encoding=${encodeURIComponent(encoding)}`, { maxBytes: 1_000_000 });
    expect(error).toMatchObject({ code: 'asset_too_large', retryable: false });
  });

  it('decompresses only once, whatever the headers declare', async () => {
    const answer = await fetch('/twice', { maxBytes: 1_000_000 });
    expect(answer.status === 'fetched' && answer.bytes.length).toBeLessThan(1000);
  });

  it.each(['/drip', '/stalled'])('gives up on %s', async (path) => {
    const error = await failureOf(path, { minBytesPerWindow: 1000, windowMs: 50 });
    expect(error).toMatchObject({ code: 'asset_unreachable', retryable: true });
    expect(error.detail).toContain('sent less than 1000 bytes');
  });

  it.each(['/silent', '/drip'])('limits the total time of %s', async (path) => {
    const error = await failureOf(path, { timeoutMs: 100, minBytesPerWindow: 0 });
    expect(error).toMatchObject({ code: 'asset_unreachable', retryable: true });
    expect(error.detail).toContain('took longer');
  });

  it.each([
    ['a length that is too long', 'Content-Length: 100\r\n\r\nshort'],
    ['two lengths', 'Content-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['a length that is no number', 'Content-Length: many\r\n\r\nab'],
    ['a chunk that is cut off', 'Transfer-Encoding: chunked\r\n\r\nff\r\nshort'],
    ['endless headers', `X-A: ${'a'.repeat(100_000)}\r\n\r\n`],
    ['a length that is too short', 'Content-Length: 2\r\n\r\nabcdef'],
  ])('rejects a malformed response: %s', async (_, answer) => {
    const raw = createServer((socket: Socket) => {
      socket.on('error', () => {}).resume();
      socket.end(`HTTP/1.1 200 OK\r\n${answer}`);
    });
    await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(raw.address() as { port: number }).port}/`;
    try {
      expect(await failureOf(url)).toMatchObject({ code: 'asset_unreachable', retryable: true });
    } finally {
      raw.close();
    }
  });

  it.each(['/missing?signature=s3cret', '/circle?signature=s3cret', 'http://a:s3cret@127.0.0.1/', 'data:s3cret'])(
    'leaves secrets out of its errors: %s',
    async (path) => expect(JSON.stringify(await failureOf(path))).not.toContain('s3cret'),
  );

  it('makes four attempts for an answer that may pass', async () => {
    const before = server.requests.length;
    await failureOf('/busy');
    expect(server.requests.length - before).toBe(4);
  });

  it.each(['/versioned', '/to-versioned'])('revalidates %s', async (path) => {
    const first = await fetch(path);
    if (first.status !== 'fetched') throw new Error(first.status);
    expect(first.validators).toMatchObject({ etag: '"one"', lastModified: 'Thu, 01 Jan 2026 00:00:00 GMT' });
    expect(await fetch(path, {}, first.validators)).toMatchObject({ status: 'unchanged' });
    expect((await fetch(path, {}, { ...first.validators, etag: '"two"' })).status).toBe('fetched');
  });

  it('sends an ETag only to the URL that it came from', async () => {
    const first = await fetch('/versioned');
    if (first.status !== 'fetched') throw new Error(first.status);
    const other = await fetch('/versioned?2', {}, first.validators);
    expect(other.status).toBe('fetched');
  });

  it('returns the freshness lifetime of an answer, or 0 after a redirect', async () => {
    expect((await fetch('/versioned')).freshMs).toBeGreaterThan(50_000);
    expect((await fetch('/to-versioned')).freshMs).toBe(0);
    expect((await fetch('/image.png')).freshMs).toBe(0);
  });

  it('rejects with the reason of the signal', async () => {
    const controller = new AbortController();
    const fetching = createFetch({ allow: ALLOW_EVERYTHING })(`${server.url}/silent`, controller.signal);
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(fetching).rejects.toBe(reason);
    await expect(createFetch({ allow: ALLOW_EVERYTHING })(`${server.url}/silent`, controller.signal)).rejects.toBe(
      reason,
    );
  });
});
