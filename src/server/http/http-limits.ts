import { PassThrough, type Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { serviceError } from '../../service/service-error.ts';
import { MAX_MEDIA_BYTES } from '../../session/sources/describe-source.ts';

/** Limits of a single request. Sizes in bytes, times in milliseconds. */
export interface HttpLimits {
  readonly bodyBytes: number;
  /** Size of a template package. */
  readonly uploadBytes: number;
  readonly sourceBytes: number;
  /** Number of uploads held in memory at once, and their total size. */
  readonly uploadsAtOnce: number;
  readonly uploadBytesAtOnce: number;
  /** Maximum wait of an upload or a dry run for its turn. */
  readonly waitMs: number;
  /** Concurrent dry runs. */
  readonly dryRunsAtOnce: number;
  /** Nesting depth of a JSON body. */
  readonly jsonDepth: number;
  /** Total size of the headers of a request. */
  readonly headerBytes: number;
  /** From the first byte of a request to the end of its headers. */
  readonly headersMs: number;
  /** From the headers to the end of a JSON body. */
  readonly bodyMs: number;
  /** From the first byte to the end of an upload. */
  readonly uploadMs: number;
  /** Interval of the check for slow connections. */
  readonly checkMs: number;
  /** Time that a connection may stay idle between requests. */
  readonly keepAliveMs: number;
  /** Time that a connection may stay silent during a request or response. */
  readonly stalledMs: number;
  /** Time that running responses have to finish once the service closes. */
  readonly closeMs: number;
  /** Lifetime of an Idempotency-Key. */
  readonly idempotencyMs: number;
}

export const HTTP_LIMITS: HttpLimits = {
  bodyBytes: 1024 * 1024,
  uploadBytes: 50_000_000,
  sourceBytes: MAX_MEDIA_BYTES,
  uploadsAtOnce: 8,
  uploadBytesAtOnce: 400_000_000,
  waitMs: 60_000,
  dryRunsAtOnce: 8,
  jsonDepth: 32,
  headerBytes: 16 * 1024,
  headersMs: 10_000,
  bodyMs: 30_000,
  uploadMs: 300_000,
  checkMs: 1_000,
  keepAliveMs: 65_000,
  stalledMs: 120_000,
  closeMs: 5_000,
  idempotencyMs: 24 * 60 * 60 * 1000,
};

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
        body.destroy(Object.assign(new Error('the client went away'), { code: 'ECONNRESET' }));
    });
    for (const emitter of [payload, reply.raw]) emitter.once('close', () => clearTimeout(timer));
    payload.once('end', () => clearTimeout(timer));
    payload.pipe(body);
    return body;
  };
}
