import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { serviceError } from '../../../../contract/service-error.ts';
import { MAX_CAPTIONS_BYTES } from '../../../../contract/wire/captions.ts';
import { FairQueue } from '../../../sessions/fair-queue.ts';
import type { BodySink } from '../../../sessions/sources/read-body.ts';
import type { SourceReceiver } from '../../../sessions/sources/source-store.ts';
import type { Settings } from '../../settings/settings-table.ts';
import type { AppPorts } from '../app-ports.ts';
import type { HttpLimits } from '../http-limits.ts';
import { tenantOf } from '../request-context.ts';
import { NO_QUERY, ref, scoped } from '../schemas/json-schema.ts';
import { BODY_CODES, guardedProblems, json } from '../schemas/responses.ts';
import { SOURCE_UPLOAD } from '../schemas/session-schemas.ts';

const UPLOAD_TYPES = ['application/octet-stream', 'image/*', 'video/*', 'audio/*', 'text/vtt'];

/** `/v2/source_uploads`; must be registered in a scope with `readUploads` and `sourceBody`. */
export function sourceUploadRoutes(app: FastifyInstance, ports: AppPorts): void {
  app.post('/v2/source_uploads', {
    config: { scope: 'render_session:write', isCreating: true },
    schema: {
      operationId: 'uploadSource',
      summary: 'Upload a source',
      description: `Uploads a file that has no public URL: an image (PNG, JPEG, WebP, GIF or AVIF) of at most 50 MB, a video (MP4, MOV, WebM) or sound (MP3, WAV, M4A and others) of at most 200 MB, or captions (WebVTT in UTF-8) of at most ${MAX_CAPTIONS_BYTES / 1_000_000} MB. The type is detected from the bytes. Identical bytes return the same source. Only mappings of this tenant can use the returned \`remote_url\`.`,
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
      const { upload, isNew } = await ports.uploads.put(tenantOf(request), receivedUpload(request.body));
      reply.code(isNew ? 201 : 200);
      return upload;
    },
  });
}

/** Returns the body of a route with `inMemory`. @throws ServiceError 400 for an empty body */
export function uploadedBytes(body: unknown): Uint8Array {
  return body instanceof Uint8Array && body.length > 0 ? body : refuseEmpty();
}

/** Returns the body of a route with `sourceBody`. @throws ServiceError 400 for an empty body */
function receivedUpload(body: unknown): SourceReceiver {
  const receiver = body as SourceReceiver | undefined;
  return (receiver?.length ?? 0) > 0 ? receiver! : refuseEmpty();
}

function refuseEmpty(): never {
  throw serviceError('bad_request', 'The request body is empty. Send the bytes of the file');
}

/** Receives a body as a source; the receiver is the body of the request. */
export async function sourceBody({ uploads }: Pick<AppPorts, 'uploads'>): Promise<BodySink<SourceReceiver>> {
  const receiver = await uploads.receive();
  return {
    get length() {
      return receiver.length;
    },
    add: (chunk) => receiver.add(chunk),
    finish: () => receiver,
    discard: () => receiver.discard(),
  };
}

interface UploadKind {
  readonly types: readonly (string | RegExp)[];
  readonly maxBytes: number;
  /** Opens what takes a body. @param expectedBytes length of the body where it is known */
  openBody(expectedBytes: number | undefined): Promise<BodySink<unknown>> | BodySink<unknown>;
}

/**
 * Makes the routes of a scope receive bodies of the given content types and reject other types. Only a few are received at once,
 * fairly among tenants. A body without a Content-Length counts with the maximum size. What no route has used is discarded with the
 * response.
 */
export function readUploads(
  app: FastifyInstance,
  { types, maxBytes, openBody }: UploadKind,
  limits: HttpLimits & Pick<Settings, 'maxWaiting'>,
): void {
  app.removeAllContentTypeParsers();
  const bodies = new WeakMap<FastifyRequest['raw'], BodySink<unknown>>();
  for (const type of types) {
    app.addContentTypeParser(type, async (request: FastifyRequest, payload: Readable) => {
      const expectedBytes = expectedBytesOf(request.headers['content-length'], maxBytes);
      const body = await openBody(expectedBytes);
      bodies.set(request.raw, body);
      return readBody(payload, body, { expectedBytes, maxBytes });
    });
  }
  const { uploadsAtOnce: places, uploadBytesAtOnce: capacity, maxWaiting, waitMs } = limits;
  const queue = new FairQueue({ places, capacity, maxWaiting, waitMs });
  app.addHook('preParsing', async (request, reply, payload) => {
    const size = Math.min(maxBytes, Number(request.headers['content-length'] ?? maxBytes));
    const closed = new AbortController();
    reply.raw.once('close', () => {
      closed.abort(serviceError('bad_request', 'The client closed the connection'));
      void bodies.get(request.raw)?.discard();
    });
    const release = await queue.take(tenantOf(request), { size, signal: closed.signal });
    if (reply.raw.closed) release();
    else reply.raw.once('close', release);
    return payload;
  });
}

/** @throws ServiceError 413 */
function expectedBytesOf(header: string | undefined, maxBytes: number): number | undefined {
  const declared = header === undefined ? undefined : Number(header);
  if (declared !== undefined && declared > maxBytes) throw tooLarge();
  return declared;
}

interface BodySize {
  /** As the header says; undefined without the header. */
  readonly expectedBytes: number | undefined;
  readonly maxBytes: number;
}

/** @throws ServiceError 413 for more than `maxBytes`, 400 for another number of bytes than the header says */
async function readBody(
  payload: Readable,
  body: BodySink<unknown>,
  { expectedBytes, maxBytes }: BodySize,
): Promise<unknown> {
  try {
    for await (const chunk of payload as AsyncIterable<Buffer>) {
      if (body.length + chunk.length > maxBytes) throw tooLarge();
      await body.add(chunk);
    }
    if (expectedBytes !== undefined && body.length !== expectedBytes) {
      throw serviceError('bad_request', 'The length of the body differs from Content-Length');
    }
    return await body.finish();
  } catch (error) {
    // The response may have been closed before the body was opened.
    await body.discard();
    throw error;
  }
}

function tooLarge(): Error {
  return serviceError('body_too_large', 'The body is larger than the limit of this endpoint');
}
