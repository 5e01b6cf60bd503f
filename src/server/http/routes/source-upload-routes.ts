import type { FastifyInstance } from 'fastify';
import type { AppPorts } from '../app-ports.ts';
import { tenantOf } from '../request-context.ts';
import { guardedProblems, json } from '../schemas/answers.ts';
import { closedObjectOf, ref } from '../schemas/json-schema.ts';
import { SOURCE_UPLOAD } from '../schemas/session-schemas.ts';
import { uploadedBytes } from '../uploaded-bytes.ts';

/** `/v2/source_uploads`; to be registered where bytes are read. */
export function sourceUploadRoutes(app: FastifyInstance, ports: AppPorts): void {
  app.post('/v2/source_uploads', {
    config: { scope: 'render_session:write' },
    schema: {
      operationId: 'uploadSource',
      summary: 'Upload a source',
      description:
        'An image that has no URL, at most 50 MB: PNG, JPEG, WebP, GIF or AVIF, told by its bytes. The same bytes are the same source. The answer’s `remote_url` is for mappings of this tenant alone.',
      tags: ['Sources'],
      security: [{ bearer: ['render_session:write'] }],
      querystring: closedObjectOf({}),
      body: { content: { 'application/octet-stream': { schema: {} }, 'image/*': { schema: {} } } },
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
