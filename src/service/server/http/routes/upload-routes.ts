import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { serviceError } from '../../../../contract/service-error.ts';
import { ByteCollector } from '../../../../kernel/byte-collector.ts';
import { allocateUnforked } from '../../../sandbox/unforked-buffer.ts';
import { FairQueue } from '../../../sessions/fair-queue.ts';
import type { Settings } from '../../settings/settings-table.ts';
import type { AppPorts } from '../app-ports.ts';
import type { HttpLimits } from '../http-limits.ts';
import { tenantOf } from '../request-context.ts';
import { NO_QUERY, ref, scoped } from '../schemas/json-schema.ts';
import { BODY_CODES, guardedProblems, json } from '../schemas/responses.ts';
import { SOURCE_UPLOAD } from '../schemas/session-schemas.ts';

const UPLOAD_TYPES = ['application/octet-stream', 'image/*', 'video/*', 'audio/*'];

/** `/v2/source_uploads`; must be registered in a scope with `readUploads`. */
export function sourceUploadRoutes(app: FastifyInstance, ports: AppPorts): void {
  app.post('/v2/source_uploads', {
    config: { scope: 'render_session:write', isCreating: true },
    schema: {
      operationId: 'uploadSource',
      summary: 'Upload a source',
      description:
        'Uploads a file that has no public URL: an image (PNG, JPEG, WebP, GIF or AVIF) of at most 50 MB, or a video (MP4, MOV, WebM) or sound (MP3, WAV, M4A and others) of at most 200 MB. The type is detected from the bytes. Identical bytes return the same source. Only mappings of this tenant can use the returned `remote_url`.',
      tags: ['Sources'],
      security: scoped('render_session:write'),
      querystring: NO_QUERY,
      body: { content: Object.fromEntries(UPLOAD_TYPES.map((type) => [type, { schema: {} }])) },
      response: {
        200: json('The source already existed', ref(SOURCE_UPLOAD)),
        201: json('The source was created', ref(SOURCE_UPLOAD)),
        ...guardedProblems(...BODY_CODES, 'source_invalid'),
      },
    },
    async handler(request, reply) {
      const { upload, isNew } = await ports.uploads.put(tenantOf(request), uploadedBytes(request.body));
      reply.code(isNew ? 201 : 200);
      return upload;
    },
  });
}

/** Returns the body of a route with `readUploads`. @throws ServiceError 400 for an empty body */
export function uploadedBytes(body: unknown): Uint8Array {
  if (!(body instanceof Uint8Array) || body.length === 0) {
    throw serviceError('bad_request', 'The request body is empty. Send the bytes of the file');
  }
  return body;
}

interface UploadKind {
  readonly types: readonly (string | RegExp)[];
  readonly maxBytes: number;
}

/**
 * Makes the routes of a scope read bodies of the given content types as bytes and reject other types. Bodies are held in
 * memory, so only a few are read at once, fairly among tenants. A body without a Content-Length counts with the maximum
 * size.
 */
export function readUploads(
  app: FastifyInstance,
  { types, maxBytes }: UploadKind,
  limits: HttpLimits & Pick<Settings, 'maxWaiting'>,
): void {
  app.removeAllContentTypeParsers();
  for (const type of types) {
    app.addContentTypeParser(type, (request: FastifyRequest, payload: Readable) =>
      readBody(payload, request.headers['content-length'], maxBytes),
    );
  }
  const { uploadsAtOnce: places, uploadBytesAtOnce: capacity, maxWaiting, waitMs } = limits;
  const queue = new FairQueue({ places, capacity, maxWaiting, waitMs });
  app.addHook('preParsing', async (request, reply, payload) => {
    const size = Math.min(maxBytes, Number(request.headers['content-length'] ?? maxBytes));
    const closed = new AbortController();
    reply.raw.once('close', () => closed.abort(serviceError('bad_request', 'The client closed the connection')));
    const release = await queue.take(tenantOf(request), { size, signal: closed.signal });
    if (reply.raw.closed) release();
    else reply.raw.once('close', release);
    return payload;
  });
}

/** @throws ServiceError 413 for more than `maxBytes`, 400 for another number of bytes than the header says */
async function readBody(payload: Readable, header: string | undefined, maxBytes: number): Promise<Buffer> {
  const declared = header === undefined ? null : Number(header);
  const tooLarge = serviceError('body_too_large', 'The body is larger than the limit of this endpoint');
  if (declared !== null && declared > maxBytes) throw tooLarge;
  const body = new ByteCollector(declared ?? undefined, allocateUnforked);
  for await (const chunk of payload as AsyncIterable<Buffer>) {
    if (body.length + chunk.length > maxBytes) throw tooLarge;
    body.add(chunk);
  }
  if (declared !== null && body.length !== declared) {
    throw serviceError('bad_request', 'The length of the body differs from Content-Length');
  }
  return body.bytes();
}
