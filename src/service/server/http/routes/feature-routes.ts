import type { FastifyInstance } from 'fastify';
import { MAX_SCENES, MAX_VIDEO_SECONDS } from '../../../../contract/timeline/resolve-timeline.ts';
import type { ServiceFeatures } from '../../../../contract/wire/features.ts';
import { EXAMPLES } from '../schemas/examples.ts';
import { NO_QUERY, objectOf, type Schema, scoped } from '../schemas/json-schema.ts';
import { guardedProblems, json } from '../schemas/responses.ts';

const READ = { scope: 'render_session:read' } as const;

const FEATURES: ServiceFeatures = {
  scenes: { max_scenes: MAX_SCENES, max_seconds: MAX_VIDEO_SECONDS },
  sound: true,
  captions: true,
  languages: true,
};

const SCENES: Schema = {
  ...objectOf({
    max_scenes: { type: 'integer', description: 'Scenes of a video at most' },
    max_seconds: { type: 'number', description: 'Length of a video of several scenes at most, in seconds' },
  }),
  description: 'Requests with `scenes`',
};

const SOUND: Schema = {
  type: 'boolean',
  const: true,
  description: 'Requests with `loudness`, and tracks with a start, a level, ducking or `speech`',
};

const CAPTIONS: Schema = { type: 'boolean', const: true, description: 'Requests with `captions`' };

const LANGUAGES: Schema = { type: 'boolean', const: true, description: 'Outputs with `lang`' };

const GET_FEATURES: Schema = {
  tags: ['Render sessions'],
  security: scoped(READ.scope),
  operationId: 'getFeatures',
  summary: 'Get the features of the service',
  description:
    'What this service offers beyond the interface document. A client sends a request that needs a feature only to a service that has it. A service without this path has none of them.',
  querystring: NO_QUERY,
  response: {
    200: json(
      'The features',
      objectOf({ features: objectOf({ scenes: SCENES, sound: SOUND, captions: CAPTIONS, languages: LANGUAGES }) }),
      {},
      EXAMPLES.features,
    ),
    ...guardedProblems('bad_request'),
  },
};

/** `/v2/features` */
export function featureRoutes(app: FastifyInstance): void {
  app.get('/v2/features', { config: READ, schema: GET_FEATURES, handler: () => ({ features: FEATURES }) });
}
