import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { CORRUPTED, completeStore } from './s3-store.ts';

/** A fault that a request meets. */
export type S3Fault =
  /** Answers with this status and code. */
  | { readonly kind: 'status'; readonly status: number; readonly code: string }
  /** Delays the handling of the request. */
  | { readonly kind: 'slow'; readonly milliseconds: number }
  /** Resets the connection after this many bytes of the request body and discards them. */
  | { readonly kind: 'reset'; readonly afterBytes: number }
  /** Resets the connection after this many bytes of the response. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /** Performs the request, then resets the connection instead of answering. */
  | { readonly kind: 'lost' }
  /** Flips a bit of the request body on its way. */
  | { readonly kind: 'corrupt' };

export const BUSY = { kind: 'status', status: 503, code: 'ServiceUnavailable' } as const satisfies S3Fault;

/** A received request, without its signature. */
export interface S3Request {
  readonly method: string;
  /** Decoded path without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

export interface S3ServerOptions {
  /** Names of buckets; default `videos`. */
  readonly buckets?: readonly string[];
  /** Address to listen on with any free port; default the loopback. */
  readonly host?: string;
  readonly port?: number;
  /** Page size of lists; default 1000, as in S3. */
  readonly pageSize?: number;
}

/** A real S3-compatible server in this process, with its own buckets. */
export interface S3Server {
  readonly url: string;
  /** Environment of its clients: the key that it accepts, and a region. */
  readonly env: Readonly<Record<string, string>>;
  /** Received requests in order, including those that met a fault. */
  readonly requests: readonly S3Request[];
  /** Chooses the fault of each request from now on; null for none. */
  fault(meets: ((request: S3Request) => S3Fault | null) | null): void;
  /** Returns a stored object, or null if there is none. */
  read(bucket: string, key: string): Promise<Buffer | null>;
  /** Keys in order. */
  keys(bucket: string): Promise<string[]>;
  close(): Promise<void>;
}

const KEY = 'S3RVER';

/** @see completeStore for the features it adds to s3rver */
export async function startS3Server(options: S3ServerOptions = {}): Promise<S3Server> {
  const { buckets = ['videos'], host = '127.0.0.1', port = 0, pageSize = 1000 } = options;
  const directory = await mkdtemp(join(tmpdir(), 'reelform-s3-'));
  const app = new S3rver({ directory, silent: true, vhostBuckets: false });
  app.on('error', () => undefined);
  completeStore(app, { key: KEY, pageSize });
  for (const bucket of buckets) await app.store.putBucket(bucket);
  const answer = app.callback();
  const requests: S3Request[] = [];
  let meets: (request: S3Request) => S3Fault | null = () => null;
  const server = createServer((request, response) => {
    const told = describe(request);
    requests.push(told);
    meet(meets(told), request, response, () => answer(request, response));
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const listing = (bucket: string) => app.store.listObjects(bucket, {});
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    env: { AWS_ACCESS_KEY_ID: KEY, AWS_SECRET_ACCESS_KEY: KEY, AWS_REGION: 'us-east-1' },
    requests,
    fault: (changed) => {
      meets = changed ?? (() => null);
    },
    async read(bucket, key) {
      return await readFile(app.store.getResourcePath(bucket, key, 'object')).catch(() => null);
    },
    keys: async (bucket) => (await listing(bucket)).objects.map(({ key }) => key),
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      app.logger.exceptions.unhandle();
      app.logger.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function describe({ method = '', url = '' }: IncomingMessage): S3Request {
  const { pathname, searchParams } = new URL(url, 'http://s3');
  const query = Object.fromEntries([...searchParams].filter(([name]) => !name.startsWith('X-Amz-')));
  return { method, path: decodeURIComponent(pathname), query };
}

function meet(fault: S3Fault | null, request: IncomingMessage, response: ServerResponse, goOn: () => void): void {
  switch (fault?.kind) {
    case undefined:
      break;
    case 'corrupt':
      CORRUPTED.add(request);
      break;
    case 'lost':
      response.write = () => true;
      response.end = () => {
        request.socket.resetAndDestroy();
        return response;
      };
      break;
    case 'cut':
      cutAfter(fault.afterBytes, response);
      break;
    case 'slow':
      setTimeout(goOn, fault.milliseconds);
      return;
    case 'reset':
      resetAfter(fault.afterBytes, request);
      return;
    case 'status': {
      request.resume();
      const body = `<?xml version="1.0"?><Error><Code>${fault.code}</Code><Message>${fault.code}</Message></Error>`;
      response.writeHead(fault.status, { 'content-type': 'application/xml' }).end(body);
      return;
    }
  }
  goOn();
}

function resetAfter(bytes: number, request: IncomingMessage): void {
  let seen = 0;
  request.on('error', () => undefined);
  request.on('data', (piece: Buffer) => {
    seen += piece.length;
    if (seen >= bytes) request.socket.resetAndDestroy();
  });
  request.on('end', () => request.socket.resetAndDestroy());
}

function cutAfter(bytes: number, response: ServerResponse): void {
  const write = response.write.bind(response) as (piece: Buffer) => boolean;
  let sent = 0;
  response.write = (piece: Buffer) => {
    sent += piece.length;
    if (sent < bytes) return write(piece);
    // Flushes the bytes written so far.
    response.socket?.destroySoon();
    return true;
  };
}
