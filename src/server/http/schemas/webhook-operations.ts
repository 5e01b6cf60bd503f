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
  delivery_id: idSchema('Identifier of the delivery', WEBHOOK_EXAMPLES.delivery.id),
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
    description: `All of the tenant, oldest first; there are at most ${MAX_ENDPOINTS}.`,
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
      'From now on it is told what happens, as Standard Webhooks 1.0 has it. The secret is shown in this answer alone.',
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
    description: 'Without its secret.',
    params,
    response: { 200: json('The endpoint', oneEndpoint), ...guardedProblems('not_found') },
  },
  change: {
    ...writes,
    operationId: 'changeWebhookEndpoint',
    summary: 'Change a webhook endpoint',
    description:
      'Fields that are absent stay. With `enabled: true` an endpoint that was disabled is told what happens from then on.',
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
    description: 'It is told nothing any more, and its deliveries are forgotten.',
    params,
    response: { 204: empty('It is gone'), ...guardedProblems('not_found') },
  },
  rotate: {
    ...writes,
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the secret',
    description:
      'Makes a new secret, shown in this answer alone. The one so far signs as well for some hours, so that receivers can take both; the one before it does not any more.',
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
              description: 'For how long the secret so far signs as well: 24 when absent, 0 for not at all',
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
    summary: 'Send a test message',
    description:
      'Sends a message of the type `webhook_endpoint.test`, once, whatever types the endpoint asks for. What came of it is in its deliveries.',
    params,
    body: NO_BODY,
    response: {
      202: json('The delivery', oneDelivery),
      ...guardedProblems('not_found', ...BODY_CODES, 'endpoint_disabled'),
    },
  },
  deliveries: {
    ...reads,
    operationId: 'listWebhookDeliveries',
    summary: 'List deliveries',
    description: 'What the endpoint was told, or is to be told, of the last 30 days: newest first, a page at a time.',
    params,
    querystring: pageQuery('Deliveries', {
      status: {
        type: 'string',
        enum: [...WEBHOOK_DELIVERY_STATUSES],
        description: 'Only deliveries in this status',
      },
    }),
    response: { 200: page('deliveries', WEBHOOK_DELIVERY), ...guardedProblems('not_found') },
  },
  redeliver: {
    ...writes,
    operationId: 'redeliverWebhook',
    summary: 'Deliver a message again',
    description:
      'From the beginning of the schedule, with the same `webhook-id`, whether it had got through or not. Its body says what was so then.',
    params: deliveryParams,
    body: NO_BODY,
    response: {
      202: json('The delivery', oneDelivery),
      ...guardedProblems('not_found', ...BODY_CODES, 'endpoint_disabled'),
    },
  },
} as const satisfies Record<string, Schema>;
