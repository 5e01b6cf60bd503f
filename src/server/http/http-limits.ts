import { PassThrough, type Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { serviceError } from '../../service/service-error.ts';
import { MAX_MEDIA_BYTES } from '../../session/sources/describe-source.ts';

/** What one request may cost. Sizes in bytes, times in milliseconds. */
export interface HttpLimits {
  readonly bodyBytes: number;
  /** A template package. */
  readonly uploadBytes: number;
  readonly sourceBytes: number;
  /** Uploads that are held in memory at once, and their bytes together. */
  readonly uploadsAtOnce: number;
  readonly uploadBytesAtOnce: number;
  /** How long an upload or a dry run may wait for its turn. */
  readonly waitMs: number;
  /** Dry runs at once. */
  readonly dryRunsAtOnce: number;
  /** How deep a JSON body may nest. */
  readonly jsonDepth: number;
  /** All headers of a request together. */
  readonly headerBytes: number;
  /** From the first byte of a request to the end of its headers. */
  readonly headersMs: number;
  /** From the headers to the end of a JSON body. */
  readonly bodyMs: number;
  /** From the first byte to the end of an upload. */
  readonly uploadMs: number;
  /** How often slow connections are looked for. */
  readonly checkMs: number;
  /** How long a connection may stay without a request. */
  readonly keepAliveMs: number;
  /** How long a connection may stay without a byte, in the middle of a request or an answer. */
  readonly stalledMs: number;
  /** How long answers that are under way may take once the service closes. */
  readonly closeMs: number;
  /** How long an Idempotency-Key is kept. */
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
 * A `preParsing` hook: a body that is not there in time is answered with 408, and its connection ends. Headers and uploads
 * have limits of their own, at the server.
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
    // It may be refused before anybody reads it.
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
