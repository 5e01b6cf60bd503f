import {
  DISABLED_REASONS,
  TEST_TYPE,
  WEBHOOK_DELIVERY_STATUSES,
  WEBHOOK_SIGNATURES,
  WEBHOOK_TYPES,
  type WebhookType,
} from '../../../wire/webhook.ts';
import { WEBHOOK_EXAMPLES } from './examples.ts';
import {
  type Component,
  closedObjectOf,
  idSchema,
  listOf,
  objectOf,
  ref,
  type Schema,
  TIMESTAMP,
} from './json-schema.ts';
import { RENDER_SESSION } from './session-schemas.ts';
import { STYLE_VERSION_DETAILS } from './style-version-schemas.ts';

const TYPES: Schema = {
  anyOf: [listOf({ type: 'string', enum: [...WEBHOOK_TYPES] }, { minItems: 1, maxItems: 20 }), { type: 'null' }],
  description: 'What it is told; everything, later types too, when null',
};
const TIME_OR_NULL: Schema = { anyOf: [TIMESTAMP, { type: 'null' }] };

const WRITABLE = {
  url: {
    type: 'string',
    minLength: 1,
    maxLength: 2048,
    description: 'https, on port 443, and on a public address; others where the service allows them',
    examples: [WEBHOOK_EXAMPLES.endpoint.url],
  },
  description: { type: 'string', maxLength: 255, description: 'For people' },
  types: TYPES,
} as const;

const SIGNATURE: Schema = {
  type: 'string',
  enum: [...WEBHOOK_SIGNATURES],
  description:
    '`standard` (default): Standard Webhooks. `shakr`: bodies `{video_id, event, output_url}` of ended sessions, with the further header `X-Shakr-Signature`. Never changes',
};

export const CREATE_WEBHOOK_ENDPOINT: Component = {
  $id: 'CreateWebhookEndpoint',
  description: 'Where to be told what happens.',
  ...closedObjectOf({ ...WRITABLE, signature: SIGNATURE }, ['description', 'types', 'signature']),
  examples: [WEBHOOK_EXAMPLES.create],
};

export const CHANGE_WEBHOOK_ENDPOINT: Component = {
  $id: 'ChangeWebhookEndpoint',
  description: 'What is to be otherwise of a webhook endpoint.',
  ...closedObjectOf(
    {
      ...WRITABLE,
      enabled: {
        type: 'boolean',
        description: 'A disabled endpoint is told nothing, and what it still was to be told is canceled',
      },
    },
    ['url', 'description', 'types', 'enabled'],
  ),
  examples: [{ enabled: true }],
};

const ENDPOINT_FIELDS = {
  id: idSchema('Identifier', WEBHOOK_EXAMPLES.endpoint.id),
  ...WRITABLE,
  signature: SIGNATURE,
  client_id: {
    type: ['string', 'null'],
    description: 'Key of `X-Shakr-Signature`: the id of the client that created the endpoint; null for `standard`',
  },
  enabled: { type: 'boolean', description: 'Whether it is told anything' },
  disabled_because: {
    enum: [...DISABLED_REASONS, null],
    description: '`request`: by its owner. `gone`: it answered 410. `failing`: nothing got through for 5 days',
  },
  failing_since: {
    ...TIME_OR_NULL,
    description: 'Since when messages have failed for good without one that got through',
  },
  created_at: TIMESTAMP,
  updated_at: TIMESTAMP,
} as const;

export const WEBHOOK_ENDPOINT: Component = {
  $id: 'WebhookEndpoint',
  description: 'Where a tenant is told what happens. Its secret is not shown again.',
  ...objectOf(ENDPOINT_FIELDS),
  examples: [WEBHOOK_EXAMPLES.endpoint],
};

export const WEBHOOK_ENDPOINT_WITH_SECRET: Component = {
  $id: 'WebhookEndpointWithSecret',
  description: 'A webhook endpoint with the secret that has just been made.',
  ...objectOf({
    ...ENDPOINT_FIELDS,
    secret: { type: 'string', description: '`whsec_` and base64 of 32 bytes: what messages are verified with' },
  }),
  examples: [WEBHOOK_EXAMPLES.withSecret],
};

const ATTEMPT: Schema = objectOf({
  at: TIMESTAMP,
  status_code: { type: ['integer', 'null'], description: 'Null where there was no answer' },
  error: {
    type: ['string', 'null'],
    description:
      'Null when it succeeded. `status`: no 2xx. `redirect`: none is followed. `timeout`: no answer in 15 s. `forbidden_address`, `forbidden_url`: not a public one, or not https. `interrupted`: the service was. Else the code of what happened, as `ECONNREFUSED` or `CERT_HAS_EXPIRED`',
  },
  duration_ms: { type: 'number', description: 'Milliseconds' },
});

export const WEBHOOK_DELIVERY: Component = {
  $id: 'WebhookDelivery',
  description: 'One message on its way to one endpoint.',
  ...objectOf({
    id: idSchema('Identifier', WEBHOOK_EXAMPLES.delivery.id),
    message_id: idSchema('The `webhook-id` of every try', WEBHOOK_EXAMPLES.delivery.message_id),
    type: { type: 'string', enum: [...WEBHOOK_TYPES, TEST_TYPE] },
    status: {
      type: 'string',
      enum: [...WEBHOOK_DELIVERY_STATUSES],
      description: '`failed`: after the last try. `canceled`: the endpoint was disabled before',
    },
    attempts: listOf(ATTEMPT, { description: 'Oldest first' }),
    next_attempt_at: { ...TIME_OR_NULL, description: 'While it is pending' },
    created_at: TIMESTAMP,
    ended_at: TIME_OR_NULL,
  }),
  examples: [WEBHOOK_EXAMPLES.delivery],
};

function message($id: string, type: WebhookType | typeof TEST_TYPE, data: Schema, example: object): Component {
  return {
    $id,
    description: `The body of \`${type}\`.`,
    ...objectOf({
      type: { type: 'string', const: type },
      timestamp: { ...TIMESTAMP, description: 'When it happened: ISO 8601, UTC, with milliseconds' },
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
      render_session_id: idSchema('Identifier of the session', 'rs_81f2c0'),
      to: { type: 'string', description: 'Where it was delivered', examples: ['s3://videos/berlin.mp4'] },
      remote_id: { type: ['string', 'null'], description: 'What the storage calls it: an ETag or a version' },
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
    objectOf({ webhook_endpoint_id: idSchema('Identifier of the endpoint', WEBHOOK_EXAMPLES.endpoint.id) }),
    WEBHOOK_EXAMPLES.test,
  ),
} as const satisfies Record<string, Component>;

const text = (description: string, example: string): Schema => ({ type: 'string', description, examples: [example] });

const HEADERS: readonly (readonly [name: string, schema: Schema])[] = [
  ['webhook-id', text('The name of the message: the same for each try', 'msg_2fQx8c')],
  ['webhook-timestamp', text('Seconds since 1970, of this try', '1767225607')],
  [
    'webhook-signature',
    text(
      '`v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`; two of them, separated by a space, while a secret is rotated',
      'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    ),
  ],
];

const SUMMARIES: Readonly<Record<keyof typeof WEBHOOK_MESSAGES, string>> = {
  'render_session.status.changed': 'A session came into another status',
  'render_session.external_upload.complete': 'A finished video was delivered',
  'template_style_version.status.changed': 'An uploaded template came into another status',
  'webhook_endpoint.test': 'Somebody asked for a test message',
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
          'Verify it with the secret of the endpoint and the body as it came, answer 2xx within 15 seconds, and do the work afterwards. The same message may come more than once, and messages may come in another order than they happened.',
        tags: ['Webhooks'],
        security: [],
        parameters: HEADERS.map(([name, { description, ...schema }]) => ({
          ...{ name, in: 'header', required: true, description, schema },
        })),
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: `#/components/schemas/${component.$id}` } } },
        },
        responses: {
          '2XX': { description: 'It was received; nothing else counts as success, redirects are not followed' },
          '410': { description: 'The endpoint is disabled at once' },
        },
      },
    },
  ]),
);
