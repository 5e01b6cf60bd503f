import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  type ChangeWebhookEndpoint,
  type CreateWebhookEndpoint,
  WEBHOOK_DELIVERY_STATUSES,
  type WebhookDeliveryStatus,
} from '../../../../contract/wire/webhook.ts';
import type { IdempotencyClaim } from '../../../sessions/ports.ts';
import { MAX_ENDPOINTS } from '../../webhooks/webhooks.ts';
import type { AppPorts } from '../app-ports.ts';
import { HTTP_LIMITS } from '../http-limits.ts';
import { claimOf, echoClaim, linkNextPage, tenantOf } from '../request-context.ts';
import { WEBHOOK_EXAMPLES } from '../schemas/examples.ts';
import {
  closedObjectOf,
  IDEMPOTENCY_HEADERS,
  identifierSchema,
  listOf,
  NO_BODY,
  NO_QUERY,
  objectOf,
  pageQuery,
  ref,
  type Schema,
  scoped,
} from '../schemas/json-schema.ts';
import { BODY_CODES, empty, guardedProblems, HEADERS, json, page } from '../schemas/responses.ts';
import {
  CHANGE_WEBHOOK_ENDPOINT,
  CREATE_WEBHOOK_ENDPOINT,
  WEBHOOK_DELIVERY,
  WEBHOOK_ENDPOINT,
  WEBHOOK_ENDPOINT_WITH_SECRET,
} from '../schemas/webhook-schemas.ts';

const WRITE = { scope: 'webhook_endpoint:write' } as const;
const READ = { scope: 'webhook_endpoint:read' } as const;
const tags = ['Webhooks'];
const reads = { tags, querystring: NO_QUERY, security: scoped(READ.scope) };
const writes = { tags, querystring: NO_QUERY, security: scoped(WRITE.scope) };
const id = identifierSchema('Identifier of the endpoint', WEBHOOK_EXAMPLES.endpoint.id);
const params = objectOf({ webhook_endpoint_id: id });
const deliveryParams = objectOf({
  webhook_endpoint_id: id,
  delivery_id: identifierSchema('Identifier of the webhook event', WEBHOOK_EXAMPLES.delivery.id),
});
const oneEndpoint = objectOf({ webhook_endpoint: ref(WEBHOOK_ENDPOINT) });
const oneWithSecret = objectOf({ webhook_endpoint: ref(WEBHOOK_ENDPOINT_WITH_SECRET) });
const oneDelivery = objectOf({ delivery: ref(WEBHOOK_DELIVERY) });

/** Fastify route schemas of the operations on webhook endpoints. */
const WEBHOOK_OPERATIONS = {
  list: {
    ...reads,
    operationId: 'listWebhookEndpoints',
    summary: 'List webhook endpoints',
    description: `Lists all endpoints of the tenant, oldest first. A tenant can have at most ${MAX_ENDPOINTS}.`,
    response: {
      200: json('The endpoints', objectOf({ webhook_endpoints: listOf(ref(WEBHOOK_ENDPOINT)) })),
      ...guardedProblems(),
    },
  },
  create: {
    ...writes,
    operationId: 'createWebhookEndpoint',
    summary: 'Create a webhook endpoint',
    description:
      'Creates an endpoint that receives all new events as Standard Webhooks 1.0 messages. The secret is only in this response.',
    headers: IDEMPOTENCY_HEADERS,
    body: ref(CREATE_WEBHOOK_ENDPOINT),
    response: {
      201: json(
        'The endpoint and its secret',
        oneWithSecret,
        { ...HEADERS.location, ...HEADERS.idempotency },
        { webhook_endpoint: WEBHOOK_EXAMPLES.withSecret },
      ),
      ...guardedProblems(
        ...BODY_CODES,
        'too_many_endpoints',
        'idempotency_in_progress',
        'idempotency_key_reused',
        'webhook_url_refused',
      ),
    },
  },
  get: {
    ...reads,
    operationId: 'getWebhookEndpoint',
    summary: 'Get a webhook endpoint',
    description: 'Returns the endpoint without its secret.',
    params,
    response: { 200: json('The endpoint', oneEndpoint), ...guardedProblems('not_found') },
  },
  change: {
    ...writes,
    operationId: 'changeWebhookEndpoint',
    summary: 'Change a webhook endpoint',
    description:
      'Absent fields are unchanged. `enabled: true` enables a disabled endpoint again; it receives events from then on.',
    params,
    body: ref(CHANGE_WEBHOOK_ENDPOINT),
    response: {
      200: json('The endpoint', oneEndpoint),
      ...guardedProblems('not_found', ...BODY_CODES, 'webhook_url_refused'),
    },
  },
  remove: {
    ...writes,
    operationId: 'deleteWebhookEndpoint',
    summary: 'Delete a webhook endpoint',
    description: 'Deletes the endpoint and its events.',
    params,
    response: { 204: empty('The endpoint was deleted'), ...guardedProblems('not_found') },
  },
  rotate: {
    ...writes,
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the secret',
    description:
      'Creates a new secret, which is only in this response. The current secret keeps signing for some hours, so that receivers can accept both. Older secrets stop signing.',
    params,
    headers: IDEMPOTENCY_HEADERS,
    body: {
      anyOf: [
        closedObjectOf(
          {
            keep_hours: {
              type: 'integer',
              minimum: 0,
              maximum: 168,
              description: 'Hours for which the current secret keeps signing. Defaults to 24; 0 stops it immediately',
            },
          },
          ['keep_hours'],
        ),
        { type: 'null' },
      ],
    },
    response: {
      200: json('The endpoint and its new secret', oneWithSecret, HEADERS.idempotency, {
        webhook_endpoint: WEBHOOK_EXAMPLES.withSecret,
      }),
      ...guardedProblems('not_found', ...BODY_CODES, 'idempotency_in_progress', 'idempotency_key_reused'),
    },
  },
  test: {
    ...writes,
    operationId: 'testWebhookEndpoint',
    summary: 'Send a test event',
    description:
      'Sends one event of type `webhook_endpoint.test`, regardless of the event types of the endpoint. The list of webhook events shows the result.',
    params,
    body: NO_BODY,
    response: {
      202: json('The webhook event', oneDelivery),
      ...guardedProblems('not_found', ...BODY_CODES, 'endpoint_disabled'),
    },
  },
  deliveries: {
    ...reads,
    operationId: 'listWebhookDeliveries',
    summary: 'List webhook events',
    description: 'Lists the events of the endpoint from the last 30 days, sent and pending, newest first, in pages.',
    params,
    querystring: pageQuery('Deliveries', {
      status: {
        type: 'string',
        enum: [...WEBHOOK_DELIVERY_STATUSES],
        description: 'Only events in this status',
      },
    }),
    response: { 200: page('deliveries', WEBHOOK_DELIVERY), ...guardedProblems('not_found') },
  },
  redeliver: {
    ...writes,
    operationId: 'redeliverWebhook',
    summary: 'Resend a webhook event',
    description:
      'Sends the event again with the same `webhook-id` and body, whether or not it succeeded before. The retry schedule starts over.',
    params: deliveryParams,
    body: NO_BODY,
    response: {
      202: json('The webhook event', oneDelivery),
      ...guardedProblems('not_found', ...BODY_CODES, 'endpoint_disabled'),
    },
  },
} as const satisfies Record<string, Schema>;

const PATH = '/v2/webhook_endpoints';
const ENDPOINT_PATH = `${PATH}/:webhook_endpoint_id`;
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

  app.get<ById>(ENDPOINT_PATH, {
    config: READ,
    schema: WEBHOOK_OPERATIONS.get,
    async handler(request) {
      return { webhook_endpoint: await webhooks.get(tenantOf(request), request.params.webhook_endpoint_id) };
    },
  });

  app.patch<ById & { Body: ChangeWebhookEndpoint }>(ENDPOINT_PATH, {
    config: WRITE,
    schema: WEBHOOK_OPERATIONS.change,
    async handler(request) {
      const { webhook_endpoint_id: id } = request.params;
      return { webhook_endpoint: await webhooks.change(tenantOf(request), id, request.body) };
    },
  });

  app.delete<ById>(ENDPOINT_PATH, {
    config: WRITE,
    schema: WEBHOOK_OPERATIONS.remove,
    async handler(request, reply) {
      await webhooks.remove(tenantOf(request), request.params.webhook_endpoint_id);
      return reply.code(204).send();
    },
  });

  app.post<ById & { Body: { keep_hours?: number } | null | undefined }>(`${ENDPOINT_PATH}/rotate_secret`, {
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

  app.post<ById>(`${ENDPOINT_PATH}/test`, {
    config: WRITE,
    schema: WEBHOOK_OPERATIONS.test,
    async handler(request, reply) {
      reply.code(202);
      return { delivery: await webhooks.test(tenantOf(request), request.params.webhook_endpoint_id) };
    },
  });

  app.get<ById & { Querystring: PageQuery }>(`${ENDPOINT_PATH}/deliveries`, {
    config: READ,
    schema: WEBHOOK_OPERATIONS.deliveries,
    async handler(request, reply) {
      const { limit = 20, cursor = null, status = null } = request.query;
      const { webhook_endpoint_id: id } = request.params;
      const page = await webhooks.deliveries(tenantOf(request), id, { limit, cursor, status });
      linkNextPage(reply, `${place}/${id}/deliveries`, { limit, status }, page.nextCursor);
      return { deliveries: page.deliveries, next_cursor: page.nextCursor };
    },
  });

  app.post<{ Params: { webhook_endpoint_id: string; delivery_id: string } }>(
    `${ENDPOINT_PATH}/deliveries/:delivery_id/redeliver`,
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
