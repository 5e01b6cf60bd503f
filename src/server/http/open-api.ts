import fastifySwagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import type { Schema } from './schemas/json-schema.ts';

const DESCRIPTION = `Creates videos from templates: read what a template takes, send a mapping, read the session until the video is there.

The calls of the interface document are \`getStyleVersionSpecs\`, \`createRenderSession\` and \`getRenderSession\`; a client that knows only those works. Everything else is an addition.`;

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
        description: DESCRIPTION,
        license: { name: 'MIT', identifier: 'MIT' } as { name: string },
      },
      servers: [{ url: about.publicUrl ?? '/' }],
      tags: [
        { name: 'Render sessions', description: 'A video that is being made, or was.' },
        { name: 'Template style versions', description: 'What videos are made from.' },
        { name: 'Sources', description: 'Images that have no URL.' },
        {
          name: 'Finished files',
          description: 'Videos and thumbnails, without a token: their URLs cannot be guessed.',
        },
        { name: 'Operation', description: 'For whoever runs the service, without a token.' },
      ],
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description: 'A server access token, `Authorization: Bearer rf_…`. `reelform token create` makes one.',
          },
        },
      },
      security: [{ bearer: [] }],
    },
    convertConstToEnum: false,
    stripBasePath: false,
    exposeHeadRoutes: false,
    refResolver: { buildLocalReference: (json: Schema) => String(json.$id) },
    transformObject: ({ openapiObject }: Record<string, unknown>) => withoutEmptyBodies(openapiObject as Document),
  } as Parameters<typeof fastifySwagger>[1]);
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { requestBody?: { required?: boolean } }>>>>;
}

/** A body that may be left out is no required one, whatever the plugin writes. */
function withoutEmptyBodies(document: Document): Document {
  for (const [path, operations] of Object.entries(document.paths)) {
    if (!/\/(?:render|cancel)$/.test(path)) continue;
    for (const operation of Object.values(operations)) {
      if (operation.requestBody !== undefined) operation.requestBody.required = false;
    }
  }
  return document;
}
