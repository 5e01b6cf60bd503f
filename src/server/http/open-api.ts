import fastifySwagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { SERVICE_CODES } from '../../service/service-error.ts';
import { EXAMPLES, WEBHOOK_EXAMPLES } from './schemas/examples.ts';
import { ADD_EXTERNAL_UPLOADS, EXTERNAL_UPLOAD } from './schemas/external-upload-schemas.ts';
import type { Component, Schema } from './schemas/json-schema.ts';
import { HEADERS, PROBLEM, REQUEST_PROBLEM } from './schemas/responses.ts';
import {
  CHANGE_RENDER_SESSION,
  CREATE_RENDER_SESSION,
  CREATE_VIDEO,
  DRY_RUN,
  RENDER_SESSION,
  SOURCE_UPLOAD,
} from './schemas/session-schemas.ts';
import { EDITABLE, STYLE_VERSION, STYLE_VERSION_DETAILS } from './schemas/style-version-schemas.ts';
import {
  CHANGE_WEBHOOK_ENDPOINT,
  CREATE_WEBHOOK_ENDPOINT,
  WEBHOOK_DELIVERY,
  WEBHOOK_DOCUMENT,
  WEBHOOK_ENDPOINT,
  WEBHOOK_ENDPOINT_WITH_SECRET,
  WEBHOOK_MESSAGES,
} from './schemas/webhook-schemas.ts';

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
        license: { name: 'MIT', identifier: 'MIT' } as { name: string },
      },
      servers: [{ url: about.publicUrl ?? '/' }],
      tags: [
        { name: 'Access tokens', description: 'For clients that speak OAuth 2.0.' },
        { name: 'Render sessions', description: 'A video that is being made, or was.' },
        { name: 'Template style versions', description: 'What videos are made from.' },
        { name: 'Sources', description: 'Images, videos and sounds that have no URL.' },
        {
          name: 'Finished files',
          description: 'Videos and thumbnails, without a token: their URLs cannot be guessed.',
        },
        { name: 'Webhooks', description: 'Being told what happens, instead of asking.' },
        { name: 'Operation', description: 'For whoever runs the service, without a token.' },
      ],
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description:
              'A server access token, `Authorization: Bearer rf_…`. `reelform token create` prints one; `POST /oauth/token` issues one that expires.',
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
      webhooks: WEBHOOK_DOCUMENT,
    }),
  } as Parameters<typeof fastifySwagger>[1]);
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly security?: readonly unknown[];
  readonly requestBody?: { required?: boolean };
  readonly responses: Readonly<Record<string, { headers?: Record<string, unknown> }>>;
}

/**
 * Adds the facts that the plugin cannot express: optional bodies, and rate limit headers of all authenticated
 * responses.
 */
function completed(document: Document): Document {
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const operation of Object.values(operations)) {
      if (operation.requestBody !== undefined && /\/(?:render|cancel|rotate_secret|test|redeliver)$/.test(path))
        operation.requestBody.required = false;
      if (operation.security?.length === 0) continue;
      for (const response of Object.values(operation.responses)) {
        for (const [name, { description, ...schema }] of Object.entries<Schema>(HEADERS.rateLimit)) {
          response.headers = { ...response.headers, [name]: { description, schema } };
        }
      }
    }
  }
  return document;
}

/**
 * Rules that hold for every operation, in Markdown. Each error code has an anchor, which the `type` of a problem links
 * to.
 */
const INTRODUCTION = `Creates videos from templates: read what a template takes, send a mapping, read the session until the video is there.

The calls of the interface document are \`getStyleVersionSpecs\`, \`createRenderSession\` and \`getRenderSession\`; a client that knows only those works. Everything else is an addition.

## Three calls

A *style version* is an immutable version of a template. Its specification lists the *editables*: texts, colours and images that can be filled. A *mapping* fills them. A *render session* makes the video.

\`\`\`sh
# What a template takes
curl "$REELFORM_URL/v2/template_style_versions/tsv_9c41e7d2/specs" \\
  -H "Authorization: Bearer $REELFORM_TOKEN"

# A video from it
curl -X POST "$REELFORM_URL/v2/render_sessions" \\
  -H "Authorization: Bearer $REELFORM_TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '{"title": "Berlin", "render": "preview", "mapping": {
        "template_style_version_id": "tsv_9c41e7d2",
        "resources": {"t_01": {"source": {"text": "Summer Collection"}}}}}'

# Until its status is preview_rendered
curl "$REELFORM_URL/v2/render_sessions/rs_81f2c0" \\
  -H "Authorization: Bearer $REELFORM_TOKEN"
\`\`\`

Read the session again after the seconds in \`Retry-After\`. With \`If-None-Match\`, an answer that has not changed costs 304 and no body.

## Authentication

Every call under \`/v2\` carries a server access token: \`Authorization: Bearer rf_…\`. A token belongs to a tenant and has scopes. Another tenant's resources behave as not found: 404.

Without a token, or with one that is unknown, expired or revoked: 401. Without the scope: 403, which names it.

## Idempotency

Send an \`Idempotency-Key\` with a POST, and repeat the request as often as you like: the first one counts. A repetition answers the same, with \`Idempotent-Replayed: true\`. Keys are kept for 24 hours.

The key with another body: 422 \`idempotency_key_reused\`. While the first request is running: 409 \`idempotency_in_progress\`.

## Rate limits

Where a tenant has a limit, each answer reports what is left: \`RateLimit-Policy: "default";q=300;w=60\` and \`RateLimit: "default";r=299;t=58\`, 299 requests for the next 58 seconds. After the last: 429 with \`Retry-After\`.

## Webhooks

A webhook endpoint gets a POST for each event, signed as Standard Webhooks 1.0 defines. Verify it with the secret and the unchanged body, answer 2xx within 15 seconds, and do the work afterwards.

\`\`\`json
${JSON.stringify(WEBHOOK_EXAMPLES.uploadComplete, null, 2)}
\`\`\`

A message that failed is sent again for about three days, always with the same \`webhook-id\`: remember the ids that you have seen. The order is not guaranteed. 410 disables the endpoint.

## Errors

Errors are \`application/problem+json\` (RFC 9457). \`errors\` lists every mistake at once, each with a JSON pointer into the body. A field that does not exist is refused, not ignored.

\`\`\`json
${JSON.stringify(EXAMPLES.problem, null, 2)}
\`\`\`

| \`code\` | status | meaning |
|---|---|---|
${Object.entries(SERVICE_CODES)
  .map(([code, [status, meaning]]) => `| <a id="${code}"></a>\`${code}\` | ${status} | ${meaning} |`)
  .join('\n')}
`;

/** All shared schemas. */
export const COMPONENTS: readonly Component[] = [
  RENDER_SESSION,
  CREATE_RENDER_SESSION,
  CREATE_VIDEO,
  CHANGE_RENDER_SESSION,
  EXTERNAL_UPLOAD,
  ADD_EXTERNAL_UPLOADS,
  DRY_RUN,
  EDITABLE,
  STYLE_VERSION,
  STYLE_VERSION_DETAILS,
  SOURCE_UPLOAD,
  WEBHOOK_ENDPOINT,
  WEBHOOK_ENDPOINT_WITH_SECRET,
  CREATE_WEBHOOK_ENDPOINT,
  CHANGE_WEBHOOK_ENDPOINT,
  WEBHOOK_DELIVERY,
  ...Object.values(WEBHOOK_MESSAGES),
  PROBLEM,
  REQUEST_PROBLEM,
];

/** Version of the API description. The first number matches the path prefix `/v2`; additions increase the second. */
export const API_VERSION = '2.1.0';
