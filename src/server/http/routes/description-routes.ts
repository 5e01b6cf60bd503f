import type { FastifyInstance } from 'fastify';
import { SERVICE_CODES } from '../../../service/service-codes.ts';
import { sendWithEtag } from '../conditional.ts';
import { apiPage } from '../docs/api-page.ts';
import type { OpenApiDocument } from '../docs/open-api-document.ts';
import { PAGE_POLICY } from '../docs/page-style.ts';
import { bytes, empty, HEADERS, json, problems } from '../schemas/answers.ts';

/** What the service says of itself: `/openapi.json`, and `/docs` for people. */
export function descriptionRoutes(app: FastifyInstance): void {
  const about = { tags: ['Operation'], security: [] };
  let page: string | null = null;
  let document: string | null = null;

  app.get('/openapi.json', {
    schema: {
      ...about,
      operationId: 'getOpenApi',
      summary: 'This description, for programs',
      description: 'OpenAPI 3.1.',
      response: {
        200: json('The document', { type: 'object', additionalProperties: true }, HEADERS.etag),
        304: empty('The document is as it was', HEADERS.etag),
        ...problems(),
      },
    },
    onSend: sendWithEtag,
    async handler(_request, reply) {
      document ??= JSON.stringify(app.swagger());
      return reply.type('application/json; charset=utf-8').send(document);
    },
  });

  app.get('/docs', {
    // The page has no script, and loads nothing.
    helmet: { contentSecurityPolicy: { useDefaults: false, directives: PAGE_POLICY }, strictTransportSecurity: false },
    schema: {
      ...about,
      operationId: 'getDocs',
      summary: 'This description, for people',
      description: 'One page, made from the document.',
      response: { 200: bytes('The page', ['text/html']), ...problems() },
    },
    async handler(_request, reply) {
      page ??= apiPage(app.swagger() as unknown as OpenApiDocument, SERVICE_CODES);
      return reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache').send(page);
    },
  });

  app.get('/', {
    schema: {
      ...about,
      operationId: 'getRoot',
      summary: 'Leads to the description',
      response: { 302: empty('To `/docs`', HEADERS.location), ...problems() },
    },
    handler: async (_request, reply) => reply.redirect('docs', 302),
  });
}
