import fastifySwaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { sendWithEtag } from '../conditional-requests.ts';
import { empty, HEADERS, json, problems } from '../schemas/responses.ts';

/** Content security policy of the page: it may load its own files and call this service. */
const PAGE_POLICY: Record<string, string> = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
};

/**
 * Browser script that scrolls to the anchor once Swagger UI has rendered it; Swagger UI replaces the fragment before.
 */
const SHOW_ANCHOR = `const id = location.hash.slice(1);
new MutationObserver((_, observer) => {
  const target = document.getElementById(id);
  if (target === null) return;
  observer.disconnect();
  target.scrollIntoView();
}).observe(document.body, { childList: true, subtree: true });`;

/** Serves the API description: `/openapi.json`, and `/docs` for people. */
export async function descriptionRoutes(
  app: FastifyInstance,
  { publicUrl }: { readonly publicUrl: string | null },
): Promise<void> {
  const about = { tags: ['Operation'], security: [] };
  let document: string | null = null;

  app.get('/openapi.json', {
    schema: {
      ...about,
      operationId: 'getOpenApi',
      summary: 'Get the OpenAPI document',
      description: 'OpenAPI 3.1.',
      response: {
        200: json('The OpenAPI document', { type: 'object', additionalProperties: true }, HEADERS.etag),
        304: empty('Not modified', HEADERS.etag),
        ...problems(),
      },
    },
    onSend: sendWithEtag,
    async handler(_request, reply) {
      document ??= JSON.stringify(app.swagger());
      return reply.type('application/json; charset=utf-8').send(document);
    },
  });

  await app.register(fastifySwaggerUi, {
    routePrefix: '/docs',
    // The page's URLs do not include the base path that a proxy may add.
    ...(publicUrl === null ? {} : { indexPrefix: new URL(publicUrl).pathname }),
    staticCSP: PAGE_POLICY,
    theme: { title: 'Reelform rendering service', js: [{ filename: 'anchor.js', content: SHOW_ANCHOR }] },
    uiConfig: { layout: 'BaseLayout', defaultModelsExpandDepth: 0 },
  });

  app.get('/', {
    schema: {
      ...about,
      operationId: 'getRoot',
      summary: 'Redirect to the API documentation',
      response: { 302: empty('Redirects to `/docs/`', HEADERS.location), ...problems() },
    },
    handler: async (_request, reply) => reply.redirect('docs/', 302),
  });
}
