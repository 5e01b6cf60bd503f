import fastifySwagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { SERVICE_CODES } from '../../../contract/service-error.ts';
import { SCOPES, type Scope } from '../ports.ts';
import { EXAMPLES, WEBHOOK_EXAMPLES } from './schemas/examples.ts';
import * as uploadSchemas from './schemas/external-upload-schemas.ts';
import type { Component, Schema } from './schemas/json-schema.ts';
import * as responses from './schemas/responses.ts';
import * as sessionSchemas from './schemas/session-schemas.ts';
import * as styleVersionSchemas from './schemas/style-version-schemas.ts';
import * as webhookSchemas from './schemas/webhook-schemas.ts';

/** Collects the routes that are registered afterwards into an OpenAPI document, which `app.swagger()` returns. */
export async function describeApi(
  app: FastifyInstance,
  about: { version: string; publicUrl: string | null },
): Promise<void> {
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Reelform rendering service',
        version: about.version,
        description: INTRODUCTION,
        contact: { name: 'The operator of this service' },
        license: { name: 'MIT', identifier: 'MIT' } as { name: string },
      },
      servers: [{ url: about.publicUrl ?? '/' }],
      tags: [
        { name: 'Access tokens', description: 'Token endpoint for OAuth 2.0 clients.' },
        {
          name: 'Render sessions',
          description: 'Create, render, read and cancel render sessions. A render session produces one video.',
        },
        { name: 'Template style versions', description: 'Immutable versions of templates. Videos are made from them.' },
        { name: 'Sources', description: 'Upload images, videos and sounds that have no public URL.' },
        {
          name: 'Finished files',
          description: 'Download videos and thumbnails. No token is needed: the URLs cannot be guessed.',
        },
        { name: 'Webhooks', description: 'Receive events at your own endpoint instead of polling.' },
        { name: 'Operation', description: 'Health checks and metrics for operators. No token is needed.' },
      ],
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description:
              'A server access token, `Authorization: Bearer rf_…`. `reelform token create` prints a token; `POST /oauth/token` issues a token that expires.',
          },
          oauth: {
            type: 'oauth2',
            description: 'The same, issued by `POST /oauth/token` for some of the scopes of a token.',
            flows: {
              clientCredentials: {
                tokenUrl: `${about.publicUrl ?? ''}/oauth/token`,
                scopes: Object.fromEntries(SCOPES.map((scope) => [scope, SCOPE_MEANINGS[scope]])),
              },
            },
          },
        },
      },
      security: [{ bearer: [] }],
    },
    convertConstToEnum: false,
    stripBasePath: false,
    exposeHeadRoutes: false,
    refResolver: { buildLocalReference: (json: Schema) => String(json.$id) },
    transformObject: ({ openapiObject }: Record<string, unknown>) => ({
      ...completed(openapiObject as Document),
      webhooks: webhookSchemas.WEBHOOK_DOCUMENT,
    }),
  } as Parameters<typeof fastifySwagger>[1]);
}

const SCOPE_MEANINGS: Readonly<Record<Scope, string>> = {
  'render_session:read': 'Read render sessions and usage',
  'render_session:write': 'Create, change and delete render sessions, and upload sources',
  'template_style_version:read': 'Read template style versions',
  'template_style_version:write': 'Upload templates',
  'webhook_endpoint:read': 'Read webhook endpoints and their events',
  'webhook_endpoint:write': 'Create, change and delete webhook endpoints',
};

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Record<string, { dependentSchemas?: unknown }> };
}

interface Operation {
  readonly security?: readonly unknown[];
  readonly requestBody?: { required?: boolean };
  readonly responses: Readonly<Record<string, { headers?: Record<string, unknown> }>>;
}

/**
 * Adds the facts that the plugin cannot express: optional bodies, and rate limit headers of all authenticated
 * responses. Removes conditional schemas, which linters reject; the descriptions name the conditions.
 */
function completed(document: Document): Document {
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const operation of Object.values(operations)) {
      if (operation.requestBody !== undefined && /\/(?:render|cancel|rotate_secret|test|redeliver)$/.test(path))
        operation.requestBody.required = false;
      if (operation.security?.length === 0) continue;
      for (const response of Object.values(operation.responses)) {
        for (const [name, { description, ...schema }] of Object.entries<Schema>(responses.HEADERS.rateLimit)) {
          response.headers = { ...response.headers, [name]: { description, schema } };
        }
      }
    }
  }
  for (const schema of Object.values(document.components.schemas)) delete schema.dependentSchemas;
  return document;
}

/**
 * Rules that hold for every operation, in Markdown. Each error code has an anchor, which the `type` of a problem links
 * to.
 */
const INTRODUCTION = `Creates videos from templates: read the specification of a template, send a mapping, poll the session until the video is ready.

A client needs three calls: \`getStyleVersionSpecs\`, \`createRenderSession\` and \`getRenderSession\`. All other operations are optional.

## Three calls

A *style version* is an immutable version of a template. Its specification lists the *editables*: texts, colours and images that can be filled. A *mapping* fills them. A *render session* makes the video.

\`\`\`sh
# Read the specification of a template
curl "$REELFORM_URL/v2/template_style_versions/tsv_9c41e7d2/specs" \\
  -H "Authorization: Bearer $REELFORM_TOKEN"

# Create a video
curl -X POST "$REELFORM_URL/v2/render_sessions" \\
  -H "Authorization: Bearer $REELFORM_TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '{"title": "Berlin", "render": "preview", "mapping": {
        "template_style_version_id": "tsv_9c41e7d2",
        "resources": {"t_01": {"source": {"text": "Summer Collection"}}}}}'

# Poll until the status is preview_rendered
curl "$REELFORM_URL/v2/render_sessions/rs_81f2c0" \\
  -H "Authorization: Bearer $REELFORM_TOKEN"
\`\`\`

Poll after the number of seconds in \`Retry-After\`. With \`If-None-Match\`, an unchanged session returns 304 without a body.

## Authentication

Every call under \`/v2\` carries a server access token: \`Authorization: Bearer rf_…\`. A token belongs to a tenant and has scopes. Another tenant's resources behave as not found: 404.

A missing, unknown, expired or revoked token returns 401. A token without the required scope returns 403, and the response names the scope.

## Idempotency

Send an \`Idempotency-Key\` with a POST to make it safe to retry: only the first request is executed. A retry returns the same response with \`Idempotent-Replayed: true\`. Keys are kept for 24 hours.

The same key with a different body returns 422 \`idempotency_key_reused\`. While the first request is running, a retry returns 409 \`idempotency_in_progress\`.

## Rate limits

If a tenant has a limit, each response reports the remaining quota: \`RateLimit-Policy: "default";q=300;w=60\` and \`RateLimit: "default";r=299;t=58\` mean 299 requests for the next 58 seconds. When the quota is exhausted, requests return 429 with \`Retry-After\`.

## Webhooks

A webhook endpoint gets a POST for each event, signed as Standard Webhooks 1.0 defines. Verify it with the secret and the unchanged body, answer 2xx within 15 seconds, and do the work afterwards.

\`\`\`json
${JSON.stringify(WEBHOOK_EXAMPLES.uploadComplete, null, 2)}
\`\`\`

A failed event is retried for about three days, always with the same \`webhook-id\`: store the ids that you have processed. The order is not guaranteed. A 410 response disables the endpoint.

## Errors

Errors are \`application/problem+json\` (RFC 9457). \`errors\` lists all mistakes of a request, each with a JSON pointer into the body. Unknown fields are rejected.

\`\`\`json
${JSON.stringify(EXAMPLES.problem, null, 2)}
\`\`\`

| \`code\` | status | meaning |
|---|---|---|
${Object.entries(SERVICE_CODES)
  .map(([code, [status, meaning]]) => `| <a id="${code}"></a>\`${code}\` | ${status} | ${meaning} |`)
  .join('\n')}
`;

/** All shared schemas: every export of the schema files with an `$id`. */
export const COMPONENTS: readonly Component[] = [
  ...[sessionSchemas, uploadSchemas, styleVersionSchemas, webhookSchemas, responses].flatMap(Object.values),
  ...Object.values(webhookSchemas.WEBHOOK_MESSAGES),
].filter((value: { readonly $id?: unknown } | undefined): value is Component => typeof value?.$id === 'string');

/** Version of the API description. The first number matches the path prefix `/v2`; additions increase the second. */
export const API_VERSION = '2.1.0';
