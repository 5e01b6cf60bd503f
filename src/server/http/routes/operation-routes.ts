import type { FastifyInstance } from 'fastify';
import type { AppPorts } from '../app-ports.ts';
import { objectOf, type Schema } from '../schemas/json-schema.ts';
import { bytes, HEADERS, json, problems } from '../schemas/responses.ts';

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
        'Readiness probe. The service is not ready while it starts or stops, or if its database is unreachable.',
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
