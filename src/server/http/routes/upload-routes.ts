import type { FastifyInstance } from 'fastify';
import type { AppPorts } from '../app-ports.ts';
import { tenantOf } from '../request-context.ts';
import { closedObjectOf, ref } from '../schemas/json-schema.ts';
import { guardedProblems, json } from '../schemas/responses.ts';
import { SOURCE_UPLOAD } from '../schemas/session-schemas.ts';
import { uploadedBytes } from '../uploaded-bytes.ts';

const UPLOAD_TYPES = ['application/octet-stream', 'image/*', 'video/*', 'audio/*'];

/** `/v2/source_uploads`; to be registered where bytes are read. */
export function sourceUploadRoutes(app: FastifyInstance, ports: AppPorts): void {
  app.post('/v2/source_uploads', {
    config: { scope: 'render_session:write' },
    schema: {
      operationId: 'uploadSource',
      summary: 'Upload a source',
      description:
        'A file that has no URL, told by its bytes: an image (PNG, JPEG, WebP, GIF or AVIF) of at most 50 MB, or a video (MP4, MOV, WebM) or a sound (MP3, WAV, M4A and others) of at most 200 MB. The same bytes are the same source. The answer’s `remote_url` is for mappings of this tenant alone.',
      tags: ['Sources'],
      security: [{ bearer: ['render_session:write'] }],
      querystring: closedObjectOf({}),
      body: { content: Object.fromEntries(UPLOAD_TYPES.map((type) => [type, { schema: {} }])) },
      response: {
        200: json('It was there before', ref(SOURCE_UPLOAD)),
        201: json('It is there now', ref(SOURCE_UPLOAD)),
        ...guardedProblems('request_timeout', 'body_too_large', 'unsupported_media_type', 'source_invalid'),
      },
    },
    async handler(request, reply) {
      const { upload, isNew } = await ports.uploads.put(tenantOf(request), uploadedBytes(request.body));
      reply.code(isNew ? 201 : 200);
      return upload;
    },
  });
}
