import fastifySwaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import type { AppPorts } from '../app-ports.ts';
import { sendWithEtag } from '../conditional-requests.ts';
import { IF_NONE_MATCH, objectOf, type Schema } from '../schemas/json-schema.ts';
import { bytes, empty, HEADERS, json, problems } from '../schemas/responses.ts';

const READINESS: Schema = objectOf({
  ready: { type: 'boolean' },
  checks: {
    type: 'object',
    additionalProperties: { type: 'boolean' },
    description: 'Component → whether it is healthy',
  },
  sandbox: {
    enum: ['landlock', 'bubblewrap', 'none'],
    description: 'Sandbox around the processes that read untrusted files',
  },
});

/** Serves the operator's endpoints: `/healthz`, `/readyz` and, unless another port serves it, `/metrics`. */
export function operationRoutes(app: FastifyInstance, ports: AppPorts, hasMetrics: boolean): void {
  const about = { tags: ['Operation'], security: [] };

  app.get('/healthz', {
    logLevel: 'warn',
    schema: {
      ...about,
      operationId: 'getHealth',
      summary: 'Check that the process is alive',
      description: 'Liveness probe. Checks nothing else. Restart the process if it fails.',
      response: { 200: json('The process is alive', objectOf({ status: { type: 'string' } })), ...problems() },
    },
    handler: async () => ({ status: 'ok' }),
  });

  app.get('/readyz', {
    logLevel: 'warn',
    schema: {
      ...about,
      operationId: 'getReadiness',
      summary: 'Check that the service is ready',
      description:
        'Readiness probe. The service is not ready while it starts or stops, or if its database or storage is unreachable or its disk is full.',
      response: {
        ...problems(),
        200: json('The service is ready', READINESS),
        503: json('The service is not ready; see `checks`', READINESS, HEADERS.retryAfter),
      },
    },
    async handler(_request, reply) {
      const readiness = await ports.readiness();
      reply.header('cache-control', 'no-store');
      if (!readiness.ready) reply.code(503).header('retry-after', '2');
      return readiness;
    },
  });

  if (!hasMetrics) return;
  app.get('/metrics', {
    logLevel: 'warn',
    schema: {
      ...about,
      operationId: 'getMetrics',
      summary: 'Measurements',
      description: 'Metrics in the Prometheus text format.',
      response: { 200: bytes('The metrics', ['text/plain']), ...problems() },
    },
    async handler(_request, reply) {
      reply.header('cache-control', 'no-store').type(ports.metrics.contentType);
      return ports.metrics.text();
    },
  });
}

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
      headers: IF_NONE_MATCH,
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
    schema: { hide: true },
    handler: async (_request, reply) => reply.redirect('docs/', 302),
  });
}
