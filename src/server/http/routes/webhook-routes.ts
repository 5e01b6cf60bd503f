import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IdempotencyClaim } from '../../../session/ports.ts';
import type { ChangeWebhookEndpoint, CreateWebhookEndpoint, WebhookDeliveryStatus } from '../../../wire/webhook.ts';
import type { AppPorts } from '../app-ports.ts';
import { HTTP_LIMITS } from '../http-limits.ts';
import { claimOf, echoClaim, tenantOf } from '../request-context.ts';
import { WEBHOOK_OPERATIONS } from '../schemas/webhook-operations.ts';

const PATH = '/v2/webhook_endpoints';
const ONE = `${PATH}/:webhook_endpoint_id`;
const READ = { scope: 'webhook_endpoint:read' } as const;
const WRITE = { scope: 'webhook_endpoint:write' } as const;
/** Hours that a replaced secret stays valid by default. */
const KEEP_HOURS = 24;

interface ById {
  Params: { webhook_endpoint_id: string };
}

interface PageQuery {
  limit?: number;
  cursor?: string;
  status?: WebhookDeliveryStatus;
}

/** `/v2/webhook_endpoints` */
export function webhookRoutes(app: FastifyInstance, ports: AppPorts): void {
  const { webhooks, settings } = ports;
  const place = `${settings.publicUrl ?? ''}${PATH}`;
  const idempotencyMs = ports.limits?.idempotencyMs ?? HTTP_LIMITS.idempotencyMs;
  const claim = (request: FastifyRequest): IdempotencyClaim | null => claimOf(request, ports.now() + idempotencyMs);

  app.get(PATH, {
    config: READ,
    schema: WEBHOOK_OPERATIONS.list,
    handler: async (request) => ({ webhook_endpoints: await webhooks.list(tenantOf(request)) }),
  });

  app.post<{ Body: CreateWebhookEndpoint }>(PATH, {
    config: WRITE,
    schema: WEBHOOK_OPERATIONS.create,
    async handler(request, reply) {
      const claimed = claim(request);
      const { signature, ...endpoint } = request.body;
      const clientId = signature === 'shakr' ? request.principal!.clientId : null;
      const answer = await webhooks.create(tenantOf(request), { ...endpoint, clientId }, claimed);
      reply.code(201).header('location', `${place}/${answer.endpoint.id}`);
      echoClaim(request, reply, answer, claimed);
      return { webhook_endpoint: answer.endpoint };
    },
  });

  app.get<ById>(ONE, {
    config: READ,
    schema: WEBHOOK_OPERATIONS.get,
    async handler(request) {
      return { webhook_endpoint: await webhooks.get(tenantOf(request), request.params.webhook_endpoint_id) };
    },
  });

  app.patch<ById & { Body: ChangeWebhookEndpoint }>(ONE, {
    config: WRITE,
    schema: WEBHOOK_OPERATIONS.change,
    async handler(request) {
      const { webhook_endpoint_id: id } = request.params;
      return { webhook_endpoint: await webhooks.change(tenantOf(request), id, request.body) };
    },
  });

  app.delete<ById>(ONE, {
    config: WRITE,
    schema: WEBHOOK_OPERATIONS.remove,
    async handler(request, reply) {
      await webhooks.remove(tenantOf(request), request.params.webhook_endpoint_id);
      return reply.code(204).send();
    },
  });

  app.post<ById & { Body: { keep_hours?: number } | null | undefined }>(`${ONE}/rotate_secret`, {
    config: WRITE,
    schema: WEBHOOK_OPERATIONS.rotate,
    async handler(request, reply) {
      const claimed = claim(request);
      const { webhook_endpoint_id: id } = request.params;
      const keepHours = request.body?.keep_hours ?? KEEP_HOURS;
      const answer = await webhooks.rotate(tenantOf(request), id, keepHours, claimed);
      echoClaim(request, reply, answer, claimed);
      return { webhook_endpoint: answer.endpoint };
    },
  });

  app.post<ById>(`${ONE}/test`, {
    config: WRITE,
    schema: WEBHOOK_OPERATIONS.test,
    async handler(request, reply) {
      reply.code(202);
      return { delivery: await webhooks.test(tenantOf(request), request.params.webhook_endpoint_id) };
    },
  });

  app.get<ById & { Querystring: PageQuery }>(`${ONE}/deliveries`, {
    config: READ,
    schema: WEBHOOK_OPERATIONS.deliveries,
    async handler(request, reply) {
      const { limit = 20, cursor = null, status = null } = request.query;
      const { webhook_endpoint_id: id } = request.params;
      const page = await webhooks.deliveries(tenantOf(request), id, { limit, cursor, status });
      if (page.nextCursor !== null) {
        const next = new URLSearchParams({ limit: String(limit), ...(status === null ? {} : { status }) });
        next.set('cursor', page.nextCursor);
        reply.header('link', `<${place}/${id}/deliveries?${next}>; rel="next"`);
      }
      return { deliveries: page.deliveries, next_cursor: page.nextCursor };
    },
  });

  app.post<{ Params: { webhook_endpoint_id: string; delivery_id: string } }>(
    `${ONE}/deliveries/:delivery_id/redeliver`,
    {
      config: WRITE,
      schema: WEBHOOK_OPERATIONS.redeliver,
      async handler(request, reply) {
        const { webhook_endpoint_id: id, delivery_id: deliveryId } = request.params;
        reply.code(202);
        return { delivery: await webhooks.redeliver(tenantOf(request), id, deliveryId) };
      },
    },
  );
}
