import type { FastifyInstance } from 'fastify';
import { serviceError } from '../../service/service-error.ts';
import type { HttpLimits } from './http-limits.ts';

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
 * only a few at once are read: more are answered with 503. One that does not say how long it is counts as the longest.
 */
export function readUploads(app: FastifyInstance, { types, maxBytes }: UploadKind, limits: HttpLimits): void {
  app.removeAllContentTypeParsers();
  for (const type of types) {
    app.addContentTypeParser(type, { parseAs: 'buffer', bodyLimit: maxBytes }, (_request, body, done) =>
      done(null, body),
    );
  }
  let underWay = 0;
  let heldBytes = 0;
  app.addHook('preParsing', async (request, reply, payload) => {
    const sizeBytes = Math.min(maxBytes, Number(request.headers['content-length'] ?? maxBytes));
    const isTooMuch = underWay > 0 && heldBytes + sizeBytes > limits.uploadBytesAtOnce;
    if (underWay >= limits.uploadsAtOnce || isTooMuch) {
      reply.header('retry-after', '2');
      throw serviceError('unavailable', 'Too many uploads are under way');
    }
    underWay += 1;
    heldBytes += sizeBytes;
    reply.raw.once('close', () => {
      underWay -= 1;
      heldBytes -= sizeBytes;
    });
    return payload;
  });
}
