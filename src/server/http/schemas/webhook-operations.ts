import { WEBHOOK_DELIVERY_STATUSES } from '../../../wire/webhook.ts';
import type { Scope } from '../../ports.ts';
import { MAX_ENDPOINTS } from '../../webhooks/webhooks.ts';
import { WEBHOOK_EXAMPLES } from './examples.ts';
import {
  closedObjectOf,
  IDEMPOTENCY_HEADERS,
  idSchema,
  listOf,
  NO_BODY,
  NO_QUERY,
  objectOf,
  pageQuery,
  ref,
  type Schema,
} from './json-schema.ts';
import { BODY_CODES, empty, guardedProblems, HEADERS, json, page } from './responses.ts';
import {
  CHANGE_WEBHOOK_ENDPOINT,
  CREATE_WEBHOOK_ENDPOINT,
  WEBHOOK_DELIVERY,
  WEBHOOK_ENDPOINT,
  WEBHOOK_ENDPOINT_WITH_SECRET,
} from './webhook-schemas.ts';

const WRITE: Scope = 'webhook_endpoint:write';
const READ: Scope = 'webhook_endpoint:read';
const tags = ['Webhooks'];
const reads = { tags, querystring: NO_QUERY, security: [{ bearer: [READ] }] };
const writes = { tags, querystring: NO_QUERY, security: [{ bearer: [WRITE] }] };
const id = idSchema('Identifier of the endpoint', WEBHOOK_EXAMPLES.endpoint.id);
const params = objectOf({ webhook_endpoint_id: id });
const deliveryParams = objectOf({
  webhook_endpoint_id: id,
  delivery_id: idSchema('Identifier of the webhook event', WEBHOOK_EXAMPLES.delivery.id),
});
const oneEndpoint = objectOf({ webhook_endpoint: ref(WEBHOOK_ENDPOINT) });
const oneWithSecret = objectOf({ webhook_endpoint: ref(WEBHOOK_ENDPOINT_WITH_SECRET) });
const oneDelivery = objectOf({ delivery: ref(WEBHOOK_DELIVERY) });

/** Fastify route schemas of the operations on webhook endpoints. */
export const WEBHOOK_OPERATIONS = {
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
