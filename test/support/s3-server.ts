import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { CORRUPTED, completeStore } from './s3-store.ts';

/** What a request meets instead of an answer, or before it. */
export type S3Fault =
  /** An answer with this status and code. */
  | { readonly kind: 'status'; readonly status: number; readonly code: string }
  /** It is only looked at after so long. */
  | { readonly kind: 'slow'; readonly milliseconds: number }
  /** The connection is reset once so many bytes of the body came; what came is forgotten. */
  | { readonly kind: 'reset'; readonly afterBytes: number }
  /** The connection is reset once so many bytes of the answer went out. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /** It is carried out, and the connection is reset instead of an answer. */
  | { readonly kind: 'lost' }
  /** A bit of its body changes on the way. */
  | { readonly kind: 'corrupt' };

export const BUSY = { kind: 'status', status: 503, code: 'ServiceUnavailable' } as const satisfies S3Fault;

/** Without what signs it. */
export interface S3Request {
  readonly method: string;
  /** Decoded, without a query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

export interface S3ServerOptions {
  /** Names; `videos` unless told. */
  readonly buckets?: readonly string[];
  /** Unless told, the loopback and any free port. */
  readonly host?: string;
  readonly port?: number;
  /** Of lists; 1000 unless told, as S3 has it. */
  readonly pageSize?: number;
}

/** A real S3-compatible server in this process, with buckets of its own. */
export interface S3Server {
  readonly url: string;
  /** What those who speak to it need in their environment: the key that it knows, and a region. */
  readonly env: Readonly<Record<string, string>>;
  /** That came in, in order; those that met a fault too. */
  readonly requests: readonly S3Request[];
  /** What `meets` says of each request from now on; null: nothing. */
  fault(meets: ((request: S3Request) => S3Fault | null) | null): void;
  /** An object, as it is kept; null when there is none. */
  read(bucket: string, key: string): Promise<Buffer | null>;
  /** In order. */
  keys(bucket: string): Promise<string[]>;
  close(): Promise<void>;
}

const KEY = 'S3RVER';

/** @see completeStore for what it has beyond s3rver */
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
    // What was written before goes out first.
    response.socket?.destroySoon();
    return true;
  };
}
