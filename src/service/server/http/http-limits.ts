import { PassThrough, type Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { serviceError } from '../../../contract/service-error.ts';
import { MAX_MEDIA_BYTES } from '../../sessions/sources/describe-source.ts';

/** Limits of a single request. Sizes in bytes, times in milliseconds. */
export const HTTP_LIMITS = {
  bodyBytes: 1024 * 1024,
  /** Size of a template package. */
  uploadBytes: 50_000_000,
  sourceBytes: MAX_MEDIA_BYTES,
  /** Number of uploads received at once, and their total size. Packages are held in memory, sources on the disk. */
  uploadsAtOnce: 8,
  uploadBytesAtOnce: 400_000_000,
  /** Maximum wait of an upload or a dry run for its turn. */
  waitMs: 60_000,
  dryRunsAtOnce: 8,
  /** Open event streams of one tenant, and of the process. */
  streamsOfTenant: 50,
  streamsAtOnce: 500,
  /** Time after which an event stream ends, so that revoked tokens lose access. */
  streamMs: 900_000,
  /** Interval of the check for changes of a session, and of comments that keep its connection open. */
  streamPollMs: 1_000,
  streamPingMs: 15_000,
  jsonDepth: 32,
  /** Total size of the headers of a request. */
  headerBytes: 16 * 1024,
  /** From the first byte of a request to the end of its headers. */
  headersMs: 10_000,
  /** From the headers to the end of a JSON body. */
  bodyMs: 30_000,
  /** From the first byte to the end of an upload. */
  uploadMs: 300_000,
  /** Interval of the check for slow connections. */
  checkMs: 1_000,
  /** Time that a connection may stay idle between requests. */
  keepAliveMs: 65_000,
  /** Time that a connection may stay silent during a request or response. */
  stalledMs: 120_000,
  /** Time that running responses have to finish once the service closes. */
  closeMs: 5_000,
  /** Lifetime of an Idempotency-Key. */
  idempotencyMs: 24 * 60 * 60 * 1000,
};

export type HttpLimits = Readonly<typeof HTTP_LIMITS>;

/**
 * A `preParsing` hook: returns 408 and closes the connection when a body does not arrive in time. The server has
 * separate limits for headers and uploads.
 */
export function limitBodyTime(
  bodyMs: number,
): (request: FastifyRequest, reply: FastifyReply, payload: Readable) => Promise<Readable> {
  return async (request, reply, payload) => {
    if (request.raw.complete) return payload;
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (encoding === undefined && (length === undefined || length === '0')) return payload;
    const body = new PassThrough();
    const timer = setTimeout(() => {
      payload.unpipe(body);
      body.destroy(Object.assign(serviceError('request_timeout'), { statusCode: 408 }));
    }, bodyMs);
    // The request may be rejected before the body is read, so the error needs a listener.
    body.on('error', () => undefined);
    payload.once('error', (error) => body.destroy(error));
    payload.once('close', () => {
      if (!payload.readableEnded)
        body.destroy(Object.assign(new Error('the client closed the connection'), { code: 'ECONNRESET' }));
    });
    for (const emitter of [payload, reply.raw]) emitter.once('close', () => clearTimeout(timer));
    payload.once('end', () => clearTimeout(timer));
    payload.pipe(body);
    return body;
  };
}
