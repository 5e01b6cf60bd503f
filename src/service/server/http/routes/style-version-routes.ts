import type { FastifyInstance } from 'fastify';
import { serviceError } from '../../../../contract/service-error.ts';
import type { AppPorts } from '../app-ports.ts';
import { sendWithEtag } from '../conditional-requests.ts';
import { editedSessionOf, tenantOf } from '../request-context.ts';
import { IF_NONE_MATCH, identifierSchema, listOf, NO_QUERY, objectOf, ref, scoped } from '../schemas/json-schema.ts';
import { BODY_CODES, bytes, empty, guardedProblems, HEADERS, json } from '../schemas/responses.ts';
import { STYLE_VERSION, STYLE_VERSION_DETAILS } from '../schemas/style-version-schemas.ts';
import { uploadedBytes } from './upload-routes.ts';

const tags = ['Template style versions'];
const id = identifierSchema('Identifier of the style version', 'tsv_9c41e7d2');
const params = objectOf({ template_style_version_id: id });
const read = {
  tags,
  security: scoped('template_style_version:read'),
  querystring: NO_QUERY,
};

interface ById {
  Params: { template_style_version_id: string };
}

/** `/v2/template_style_versions` except the upload. */
export function styleVersionRoutes(app: FastifyInstance, ports: AppPorts): void {
  const { sessions, styleVersions } = ports;
  const config = { scope: 'template_style_version:read' } as const;

  app.get<ById>('/v2/template_style_versions/:template_style_version_id/specs', {
    config: { ...config, isForEditing: true },
    schema: {
      ...read,
      operationId: 'getStyleVersionSpecs',
      summary: 'Get the mapping specification',
      description: 'Lists the editables of a template and the values they accept.',
      params,
      headers: IF_NONE_MATCH,
      response: {
        200: json('The mapping specification', objectOf({ style_version: ref(STYLE_VERSION) }), HEADERS.etag),
        304: empty('Not modified', HEADERS.etag),
        ...guardedProblems('not_found', 'style_version_processing', 'style_version_failed'),
      },
    },
    onSend: sendWithEtag,
    async handler(request) {
      const { template_style_version_id: id } = request.params;
      const tenant = tenantOf(request);
      const edited = editedSessionOf(request);
      if (edited !== null && (await sessions.get(tenant, edited)).mapping.template_style_version_id !== id) {
        throw serviceError('not_found', `There is no template style version ${id}`);
      }
      return { style_version: await sessions.styleVersion(tenant, id) };
    },
  });

  app.get('/v2/template_style_versions', {
    config,
    schema: {
      ...read,
      operationId: 'listStyleVersions',
      summary: 'List style versions',
      description: 'Lists all style versions that the tenant can use, newest first.',
      response: {
        200: json('The style versions', objectOf({ style_versions: listOf(ref(STYLE_VERSION_DETAILS)) })),
        ...guardedProblems(),
      },
    },
    async handler(request) {
      return { style_versions: await styleVersions.list(tenantOf(request)) };
    },
  });

  app.get<ById>('/v2/template_style_versions/:template_style_version_id', {
    config,
    schema: {
      ...read,
      operationId: 'getStyleVersion',
      summary: 'Get a style version',
      description: 'Poll after an upload until `status` is `edit_ready` or `failed`.',
      params,
      response: {
        200: json('The style version', objectOf({ style_version: ref(STYLE_VERSION_DETAILS) }), HEADERS.retryAfter),
        ...guardedProblems('not_found'),
      },
    },
    async handler(request, reply) {
      const details = await styleVersions.details(tenantOf(request), request.params.template_style_version_id);
      if (details === null) throw serviceError('not_found');
      if (details.status === 'processing') reply.header('retry-after', '1');
      return { style_version: details };
    },
  });

  app.get<ById & { Params: { name: string } }>(
    '/v2/template_style_versions/:template_style_version_id/stillcuts/:name.png',
    {
      config,
      schema: {
        ...read,
        operationId: 'getStillcut',
        summary: 'Get a stillcut',
        description: 'A frame of the template with its default values.',
        params: objectOf({
          template_style_version_id: id,
          name: identifierSchema('Name of the stillcut', 'stillcut_01'),
        }),
        response: { 200: bytes('The frame as an image', ['image/png']), ...guardedProblems('not_found') },
      },
      async handler(request, reply) {
        const { template_style_version_id, name } = request.params;
        const png = await styleVersions.stillcut(tenantOf(request), template_style_version_id, name);
        if (png === null) throw serviceError('not_found');
        // A style version never changes.
        reply.header('cache-control', 'private, max-age=86400').type('image/png');
        return Buffer.from(png.buffer, png.byteOffset, png.byteLength);
      },
    },
  );
}

/** The upload of a template package; must be registered in a scope with `readUploads` for zip archives. */
export function styleVersionUploadRoute(app: FastifyInstance, ports: AppPorts): void {
  app.post('/v2/template_style_versions', {
    config: { scope: 'template_style_version:write', isCreating: true },
    schema: {
      operationId: 'uploadStyleVersion',
      summary: 'Upload a template package',
      description:
        'A zip archive of a template folder, at most 50 MB. Style versions are immutable: identical content returns the same style version.',
      tags,
      security: scoped('template_style_version:write'),
      querystring: NO_QUERY,
      body: { content: { 'application/zip': { schema: {} } } },
      response: {
        200: json(
          'The style version already existed',
          objectOf({ style_version: ref(STYLE_VERSION_DETAILS) }),
          HEADERS.location,
        ),
        201: json(
          'The style version was created',
          objectOf({ style_version: ref(STYLE_VERSION_DETAILS) }),
          HEADERS.location,
        ),
        ...guardedProblems(...BODY_CODES, 'template_invalid'),
      },
    },
    async handler(request, reply) {
      const zip = uploadedBytes(request.body);
      const { details, isNew } = await ports.styleVersions.upload(tenantOf(request), zip);
      reply.code(isNew ? 201 : 200);
      reply.header('location', `${ports.settings.publicUrl ?? ''}/v2/template_style_versions/${details.id}`);
      return { style_version: details };
    },
  });
}
