import {
  DISABLED_REASONS,
  TEST_TYPE,
  WEBHOOK_DELIVERY_STATUSES,
  WEBHOOK_SIGNATURES,
  WEBHOOK_TYPES,
  type WebhookType,
} from '../../../../contract/wire/webhook.ts';
import { WEBHOOK_EXAMPLES } from './examples.ts';
import {
  type Component,
  closedObjectOf,
  identifierSchema,
  listOf,
  objectOf,
  ref,
  type Schema,
  TIMESTAMP,
} from './json-schema.ts';
import { headerSchema } from './responses.ts';
import { RENDER_SESSION } from './session-schemas.ts';
import { STYLE_VERSION_DETAILS } from './style-version-schemas.ts';

const TYPES: Schema = {
  anyOf: [listOf({ type: 'string', enum: [...WEBHOOK_TYPES] }, { minItems: 1, maxItems: 20 }), { type: 'null' }],
  description: 'Event types to send; null for all, including future ones',
};
const TIME_OR_NULL: Schema = { anyOf: [TIMESTAMP, { type: 'null' }] };

const WRITABLE = {
  url: {
    type: 'string',
    minLength: 1,
    maxLength: 2048,
    description: 'An https URL on port 443 with a public address, unless the service allows others',
    examples: [WEBHOOK_EXAMPLES.endpoint.url],
  },
  description: { type: 'string', maxLength: 255, description: 'Description for humans' },
  types: TYPES,
} as const;

const SIGNATURE: Schema = {
  type: 'string',
  enum: [...WEBHOOK_SIGNATURES],
  description:
    '`standard` (default): Standard Webhooks. `shakr`: only ended sessions, with the body `{video_id, event, output_url}` and the additional header `X-Shakr-Signature`. Cannot be changed later',
};

export const CREATE_WEBHOOK_ENDPOINT: Component = {
  $id: 'CreateWebhookEndpoint',
  description: 'A new webhook endpoint.',
  ...closedObjectOf({ ...WRITABLE, signature: SIGNATURE }, ['description', 'types', 'signature']),
  examples: [WEBHOOK_EXAMPLES.create],
};

export const CHANGE_WEBHOOK_ENDPOINT: Component = {
  $id: 'ChangeWebhookEndpoint',
  description: 'Changes to a webhook endpoint.',
  ...closedObjectOf(
    {
      ...WRITABLE,
      enabled: {
        type: 'boolean',
        description: 'A disabled endpoint receives no events, and its pending events are canceled',
      },
    },
    ['url', 'description', 'types', 'enabled'],
  ),
  examples: [{ enabled: true }],
};

const ENDPOINT_FIELDS = {
  id: identifierSchema('Identifier', WEBHOOK_EXAMPLES.endpoint.id),
  ...WRITABLE,
  signature: SIGNATURE,
  client_id: {
    type: ['string', 'null'],
    description: 'Key of `X-Shakr-Signature`: the id of the client that created the endpoint; null for `standard`',
  },
  enabled: { type: 'boolean', description: 'Whether the endpoint receives events' },
  disabled_because: {
    enum: [...DISABLED_REASONS, null],
    description: '`request`: by its owner. `gone`: it responded with 410. `failing`: every attempt failed for 5 days',
  },
  failing_since: {
    ...TIME_OR_NULL,
    description: 'Time since which all events have failed',
  },
  created_at: TIMESTAMP,
  updated_at: TIMESTAMP,
} as const;

export const WEBHOOK_ENDPOINT: Component = {
  $id: 'WebhookEndpoint',
  description: 'A webhook endpoint of a tenant, without its secret.',
  ...objectOf(ENDPOINT_FIELDS),
  examples: [WEBHOOK_EXAMPLES.endpoint],
};

export const WEBHOOK_ENDPOINT_WITH_SECRET: Component = {
  $id: 'WebhookEndpointWithSecret',
  description: 'A webhook endpoint with its new secret.',
  ...objectOf({
    ...ENDPOINT_FIELDS,
    secret: { type: 'string', description: 'Signing secret: `whsec_` and base64 of 32 bytes' },
  }),
  examples: [WEBHOOK_EXAMPLES.withSecret],
};

const ATTEMPT: Schema = objectOf({
  at: TIMESTAMP,
  status_code: { type: ['integer', 'null'], description: 'Null if there was no response' },
  error: {
    type: ['string', 'null'],
    description:
      'Null for a successful attempt. `status`: not 2xx. `redirect`: redirects are not followed. `timeout`: no response within 15 s. `forbidden_address`, `forbidden_url`: not public, or not https. `interrupted`: the service was stopped. Otherwise a system error code such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`',
  },
  duration_ms: { type: 'number', description: 'Milliseconds' },
});

export const WEBHOOK_DELIVERY: Component = {
  $id: 'WebhookDelivery',
  description: 'A webhook event for one endpoint, with its attempts.',
  ...objectOf({
    id: identifierSchema('Identifier', WEBHOOK_EXAMPLES.delivery.id),
    message_id: identifierSchema('`webhook-id` of all attempts', WEBHOOK_EXAMPLES.delivery.message_id),
    type: { type: 'string', enum: [...WEBHOOK_TYPES, TEST_TYPE] },
    url: {
      type: ['string', 'null'],
      description: 'The `webhook_url` of the session; null for the URL of the endpoint',
    },
    status: {
      type: 'string',
      enum: [...WEBHOOK_DELIVERY_STATUSES],
      description: '`failed`: all attempts failed. `canceled`: the endpoint was disabled first',
    },
    attempts: listOf(ATTEMPT, { description: 'Attempts, oldest first' }),
    next_attempt_at: { ...TIME_OR_NULL, description: 'Set while the event is pending' },
    created_at: TIMESTAMP,
    ended_at: TIME_OR_NULL,
  }),
  examples: [WEBHOOK_EXAMPLES.delivery],
};

function message($id: string, type: WebhookType | typeof TEST_TYPE, data: Schema, example: object): Component {
  return {
    $id,
    description: `Body of a \`${type}\` event.`,
    ...objectOf({
      type: { type: 'string', const: type },
      timestamp: { ...TIMESTAMP, description: 'Time of the event: ISO 8601, UTC, with milliseconds' },
      data,
    }),
    examples: [example],
  };
}

/** Bodies of webhooks, by type. */
export const WEBHOOK_MESSAGES = {
  'render_session.status.changed': message(
    'RenderSessionStatusChanged',
    'render_session.status.changed',
    objectOf({ render_session: ref(RENDER_SESSION) }),
    WEBHOOK_EXAMPLES.sessionChanged,
  ),
  'render_session.external_upload.complete': message(
    'ExternalUploadComplete',
    'render_session.external_upload.complete',
    objectOf({
      render_session_id: identifierSchema('Identifier of the session', 'rs_81f2c0'),
      to: { type: 'string', description: 'Destination of the delivery', examples: ['s3://videos/berlin.mp4'] },
      remote_id: { type: ['string', 'null'], description: 'ETag or version of the object in the storage' },
    }),
    WEBHOOK_EXAMPLES.uploadComplete,
  ),
  'template_style_version.status.changed': message(
    'StyleVersionStatusChanged',
    'template_style_version.status.changed',
    objectOf({ style_version: ref(STYLE_VERSION_DETAILS) }),
    WEBHOOK_EXAMPLES.styleVersionChanged,
  ),
  [TEST_TYPE]: message(
    'WebhookEndpointTest',
    TEST_TYPE,
    objectOf({ webhook_endpoint_id: identifierSchema('Identifier of the endpoint', WEBHOOK_EXAMPLES.endpoint.id) }),
    WEBHOOK_EXAMPLES.test,
  ),
} as const satisfies Record<string, Component>;

const HEADERS: readonly (readonly [name: string, schema: Schema])[] = [
  ['webhook-id', headerSchema('Id of the event, identical for all attempts', 'msg_2fQx8c')],
  ['webhook-timestamp', headerSchema('Time of this attempt, in seconds since 1970', '1767225607')],
  [
    'webhook-signature',
    headerSchema(
      '`v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`. While a secret is rotated, two signatures separated by a space',
      'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    ),
  ],
];

const SUMMARIES: Readonly<Record<keyof typeof WEBHOOK_MESSAGES, string>> = {
  'render_session.status.changed': 'The status of a session changed',
  'render_session.external_upload.complete': 'A finished video was delivered',
  'template_style_version.status.changed': 'The status of an uploaded template changed',
  'webhook_endpoint.test': 'A test event was requested',
};

/** The `webhooks` section of the OpenAPI document, by type. */
export const WEBHOOK_DOCUMENT: Readonly<Record<string, object>> = Object.fromEntries(
  Object.entries(WEBHOOK_MESSAGES).map(([type, component]) => [
    type,
    {
      post: {
        operationId: component.$id,
        summary: SUMMARIES[type as keyof typeof WEBHOOK_MESSAGES],
        description:
          'Verify the signature with the secret of the endpoint and the unchanged body, respond with 2xx within 15 seconds, and process the event afterwards. An event may arrive more than once, and events may arrive out of order.',
        tags: ['Webhooks'],
        security: [],
        parameters: HEADERS.map(([name, { description, ...schema }]) => ({
          name,
          in: 'header',
          required: true,
          description,
          schema,
        })),
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: `#/components/schemas/${component.$id}` } } },
        },
        responses: {
          '2XX': { description: 'The event was received. Any other status is a failure; redirects are not followed' },
          '410': { description: 'The endpoint is disabled immediately' },
        },
      },
    },
  ]),
);
