import fastifySwagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { INTRODUCTION } from './introduction.ts';
import type { Schema } from './schemas/json-schema.ts';
import { HEADERS } from './schemas/responses.ts';
import { WEBHOOK_DOCUMENT } from './schemas/webhook-document.ts';

/** Collects the routes that are registered afterwards into an OpenAPI document: `app.swagger()`. */
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

/** What the plugin cannot say: bodies that may be left out, and headers that every answer to a tenant may have. */
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
