import type { FastifyInstance } from 'fastify';
import { serviceError } from '../../service/service-error.ts';
import { FairQueue } from '../../session/fair-queue.ts';
import type { Settings } from '../settings/settings.ts';
import type { HttpLimits } from './http-limits.ts';
import { tenantOf } from './request-context.ts';

/** The bytes that a route of `readUploads` was sent. @throws ServiceError 400 where there are none */
export function uploadedBytes(body: unknown): Uint8Array {
  if (!(body instanceof Uint8Array) || body.length === 0) {
    throw serviceError('bad_request', 'The bytes are the body of the request; it is empty');
  }
  return body;
}

/** What the routes of a scope take. */
export interface UploadKind {
  readonly types: readonly (string | RegExp)[];
  readonly maxBytes: number;
}

/**
 * Makes the routes of a scope read bodies of these content types, and no others, as bytes. They are held in memory, so
 * only a few at once are read; tenants take turns. One that does not say how long it is counts as the longest.
 */
export function readUploads(
  app: FastifyInstance,
  { types, maxBytes }: UploadKind,
  limits: HttpLimits & Pick<Settings, 'maxWaiting'>,
): void {
  app.removeAllContentTypeParsers();
  for (const type of types) {
    app.addContentTypeParser(type, { parseAs: 'buffer', bodyLimit: maxBytes }, (_request, body, done) =>
      done(null, body),
    );
  }
  const { uploadsAtOnce: places, uploadBytesAtOnce: capacity, maxWaiting, waitMs } = limits;
  const queue = new FairQueue({ places, capacity, maxWaiting, waitMs });
  app.addHook('preParsing', async (request, reply, payload) => {
    const size = Math.min(maxBytes, Number(request.headers['content-length'] ?? maxBytes));
    const closed = new AbortController();
    reply.raw.once('close', () => closed.abort(serviceError('bad_request', 'The client went away')));
    const release = await queue.take(tenantOf(request), { size, signal: closed.signal });
    if (reply.raw.closed) release();
    else reply.raw.once('close', release);
    return payload;
  });
}
