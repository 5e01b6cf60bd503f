import type { Schema } from './json-schema.ts';
import { WEBHOOK_MESSAGES } from './webhook-schemas.ts';

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

/** The `webhooks` of the OpenAPI document: what endpoints are sent, by type. */
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
