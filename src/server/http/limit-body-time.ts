import { PassThrough, type Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { serviceError } from '../../service/service-error.ts';

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
