import type { FastifyInstance } from 'fastify';
import { withoutSecrets } from '../telemetry/create-logger.ts';
import type { ServiceMetrics } from '../telemetry/metrics.ts';
import { startRequestSpan } from '../telemetry/tracing.ts';
import { pathOf } from './request-context.ts';

/** nginx's status for a client that went away before its answer. */
const CLIENT_GONE = 499;

/** One line of log, one measurement and one span for each request, once it is over, however it ended. */
export function observeRequests(app: FastifyInstance, metrics: ServiceMetrics): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { method } = request;
    const route = request.is404 ? undefined : request.routeOptions.url;
    const span = startRequestSpan({ method, route, path: withoutSecrets(pathOf(request)), headers: request.headers });
    reply.raw.once('close', () => {
      const isAnswered = reply.raw.writableFinished;
      const status = isAnswered ? reply.statusCode : CLIENT_GONE;
      const milliseconds = reply.elapsedTime;
      span.end(isAnswered ? status : null);
      metrics.requestAnswered({ method, route: route ?? 'none', status, seconds: milliseconds / 1000 });
      request.log.info(
        {
          method,
          route: route ?? null,
          status,
          ms: Math.round(milliseconds * 10) / 10,
          ...(request.principal === null
            ? {}
            : { tenant: request.principal.tenant, token_id: request.principal.tokenId }),
        },
        'request',
      );
    });
    span.run(done);
  });
}
