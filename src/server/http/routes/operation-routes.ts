import type { FastifyInstance } from 'fastify';
import type { AppPorts } from '../app-ports.ts';
import { objectOf, type Schema } from '../schemas/json-schema.ts';
import { bytes, HEADERS, json, problems } from '../schemas/responses.ts';

const READINESS: Schema = objectOf({
  ready: { type: 'boolean' },
  checks: { type: 'object', additionalProperties: { type: 'boolean' }, description: 'Component → whether it works' },
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
      summary: 'Whether the process lives',
      description: 'Looks at nothing else: to be restarted when it fails.',
      response: { 200: json('It lives', objectOf({ status: { type: 'string' } })), ...problems() },
    },
    handler: async () => ({ status: 'ok' }),
  });

  app.get('/readyz', {
    logLevel: 'warn',
    schema: {
      ...about,
      operationId: 'getReadiness',
      summary: 'Whether the service can work',
      description: 'While it starts, while it stops, and while its database is away, it cannot.',
      response: {
        ...problems(),
        200: json('It can', READINESS),
        503: json('It cannot; the checks say why', READINESS, HEADERS.retryAfter),
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
      description: 'In the text format of Prometheus.',
      response: { 200: bytes('The measurements', ['text/plain']), ...problems() },
    },
    async handler(_request, reply) {
      reply.header('cache-control', 'no-store').type(ports.metrics.contentType);
      return ports.metrics.text();
    },
  });
}
