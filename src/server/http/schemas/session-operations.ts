import type { ServiceCode } from '../../../service/service-error.ts';
import type { Scope } from '../../ports.ts';
import { EXAMPLES } from './examples.ts';
import { ADD_EXTERNAL_UPLOADS } from './external-upload-schemas.ts';
import { closedObjectOf, idSchema, listOf, objectOf, ref, type Schema } from './json-schema.ts';
import { empty, guardedProblems, HEADERS, json } from './responses.ts';
import {
  CHANGE_RENDER_SESSION,
  CREATE_RENDER_SESSION,
  CREATE_VIDEO,
  DRY_RUN,
  RENDER_SESSION,
  SESSION_STATUSES,
} from './session-schemas.ts';

const WRITE: Scope = 'render_session:write';
const READ: Scope = 'render_session:read';
const tags = ['Render sessions'];
const noQuery = closedObjectOf({});
const params = objectOf({ render_session_id: idSchema('Identifier of the session', 'rs_81f2c0') });
const oneSession = objectOf({ render_session: ref(RENDER_SESSION) });
const keyHeader = objectOf(
  {
    'idempotency-key': {
      type: 'string',
      description: 'Makes the call safe to repeat: 1 to 255 visible ASCII characters, kept for 24 hours',
      examples: ['8e03978e-40d5-43dd-bc93-6894a57f9324'],
    },
  },
  ['idempotency-key'],
);

const ifNoneMatch = objectOf({ 'if-none-match': { type: 'string', description: 'The ETag of an earlier answer' } }, [
  'if-none-match',
]);
const EDIT_TOKEN: Schema = {
  type: 'string',
  description:
    'Where the request has `edit_token: true`: a token for an editor in a browser. For 24 hours it reads, changes and renders this session, and reads its specification',
};
const CREATE_PROBLEMS = guardedProblems(
  'not_found',
  'request_timeout',
  'style_version_processing',
  'idempotency_in_progress',
  'body_too_large',
  'unsupported_media_type',
  'mapping_invalid',
  'upload_invalid',
  'style_version_failed',
  'idempotency_key_reused',
  'queue_full',
  'service_full',
);

/** Fastify route schemas of the operations on render sessions. */
export const SESSION_OPERATIONS = {
  create: {
    operationId: 'createRenderSession',
    summary: 'Create a render session',
    description:
      'Makes a session from a mapping, and with `render: "preview"` renders it. All mistakes of a mapping are told in one answer. With `dry_run=true` nothing is kept and nothing is rendered.',
    tags,
    security: [{ bearer: [WRITE] }],
    headers: keyHeader,
    querystring: closedObjectOf(
      { dry_run: { type: 'boolean', description: 'Only say what the request would come to' } },
      ['dry_run'],
    ),
    body: ref(CREATE_RENDER_SESSION),
    response: {
      200: json('What the request would come to (`dry_run=true`)', ref(DRY_RUN)),
      201: json(
        'The session',
        objectOf({ render_session: ref(RENDER_SESSION), edit_token: EDIT_TOKEN }, ['edit_token']),
        { ...HEADERS.location, ...HEADERS.retryAfter, ...HEADERS.idempotency },
        EXAMPLES.started,
      ),
      ...CREATE_PROBLEMS,
    },
  },
  createVideo: {
    operationId: 'createVideo',
    summary: 'Render a video',
    description:
      'As `createRenderSession` with `render: "preview"`, with the session at the top level of the answer. For clients that call this path.',
    tags,
    security: [{ bearer: [WRITE] }],
    headers: keyHeader,
    querystring: noQuery,
    body: ref(CREATE_VIDEO),
    response: {
      201: json('The session', ref(RENDER_SESSION), {
        ...HEADERS.location,
        ...HEADERS.retryAfter,
        ...HEADERS.idempotency,
      }),
      ...CREATE_PROBLEMS,
    },
  },
  getVideo: {
    operationId: 'getVideo',
    summary: 'Get a video',
    description: 'As `getRenderSession`, with the session at the top level of the answer.',
    tags,
    security: [{ bearer: [READ] }],
    params,
    querystring: noQuery,
    headers: ifNoneMatch,
    response: {
      200: json('The session', ref(RENDER_SESSION), { ...HEADERS.etag, ...HEADERS.retryAfter }),
      304: empty('The session is as it was', HEADERS.etag),
      ...guardedProblems('not_found'),
    },
  },
  change: {
    operationId: 'changeRenderSession',
    summary: 'Change the mapping of a draft',
    description:
      'Merges entries into the mapping, key by key; null removes one. Editables may stay unfilled until the draft is rendered: `missing_editables` lists them.',
    tags,
    security: [{ bearer: [WRITE] }],
    params,
    querystring: noQuery,
    body: ref(CHANGE_RENDER_SESSION),
    response: {
      200: json('The session', oneSession),
      ...guardedProblems(
        'not_found',
        'request_timeout',
        'wrong_state',
        'style_version_processing',
        'body_too_large',
        'unsupported_media_type',
        'mapping_invalid',
        'style_version_failed',
      ),
    },
  },
  get: {
    operationId: 'getRenderSession',
    summary: 'Get a render session',
    description:
      'To be asked again, after `Retry-After`, until `terminal` is true; then `video_url` is there. Deliveries may go on after that: each of `external_uploads` has a status of its own.',
    tags,
    security: [{ bearer: [READ] }],
    params,
    querystring: noQuery,
    headers: ifNoneMatch,
    response: {
      200: json('The session', oneSession, { ...HEADERS.etag, ...HEADERS.retryAfter }),
      304: empty('The session is as it was', HEADERS.etag),
      ...guardedProblems('not_found'),
    },
  },
  list: {
    operationId: 'listRenderSessions',
    summary: 'List render sessions',
    description: 'Newest first, a page at a time.',
    tags,
    security: [{ bearer: [READ] }],
    querystring: closedObjectOf(
      {
        limit: { type: 'integer', minimum: 1, maximum: 100, description: 'Sessions on a page; 20 when absent' },
        cursor: {
          type: 'string',
          pattern: '^[A-Za-z0-9_.=-]{1,512}$',
          description: 'The `next_cursor` of the page before',
        },
        status: { type: 'string', enum: [...SESSION_STATUSES], description: 'Only sessions in this status' },
        template_style_version_id: idSchema('Only sessions of this style version', 'tsv_9c41e7d2'),
      },
      ['limit', 'cursor', 'status', 'template_style_version_id'],
    ),
    response: {
      200: json(
        'A page',
        objectOf({
          render_sessions: listOf(ref(RENDER_SESSION)),
          next_cursor: { type: ['string', 'null'], description: 'For the next page; null on the last' },
        }),
        HEADERS.link,
      ),
      ...guardedProblems(),
    },
  },
  render: actionOn(
    'renderRenderSession',
    'Render a draft',
    'Queues a session that was created without `render`. What its mapping still lacks is told in one answer.',
    EXAMPLES.started,
    ['mapping_invalid'],
  ),
  cancel: actionOn(
    'cancelRenderSession',
    'Cancel a render session',
    'Stops the render, wherever it is. A session that was canceled before is answered as it is.',
    EXAMPLES.canceled,
  ),
  deliver: {
    operationId: 'addExternalUploads',
    summary: 'Deliver a video',
    description:
      'Has the video delivered further: at once when it is finished, when it is rendered otherwise. What was delivered to the same place before, or failed, begins anew.',
    tags,
    security: [{ bearer: [WRITE] }],
    params,
    querystring: noQuery,
    headers: keyHeader,
    body: ref(ADD_EXTERNAL_UPLOADS),
    response: {
      201: json(
        'The session',
        oneSession,
        { ...HEADERS.location, ...HEADERS.retryAfter, ...HEADERS.idempotency },
        EXAMPLES.delivering,
      ),
      ...guardedProblems(
        'not_found',
        'request_timeout',
        'wrong_state',
        'idempotency_in_progress',
        'body_too_large',
        'unsupported_media_type',
        'upload_invalid',
        'idempotency_key_reused',
      ),
    },
  },
  remove: {
    operationId: 'deleteRenderSession',
    summary: 'Delete a render session',
    description: 'Stops it, and forgets it with its files: its `video_url` ends to work.',
    tags,
    security: [{ bearer: [WRITE] }],
    params,
    querystring: noQuery,
    response: { 204: empty('It is gone'), ...guardedProblems('not_found') },
  },
} as const satisfies Record<string, Schema>;

function actionOn(
  operationId: string,
  summary: string,
  description: string,
  example: object,
  codes: readonly ServiceCode[] = [],
) {
  return {
    operationId,
    summary,
    description,
    tags,
    security: [{ bearer: [WRITE] }],
    params,
    querystring: noQuery,
    headers: keyHeader,
    body: { anyOf: [closedObjectOf({}), { type: 'null' }] },
    response: {
      200: json('The session', oneSession, { ...HEADERS.retryAfter, ...HEADERS.idempotency }, example),
      ...guardedProblems(
        'not_found',
        'request_timeout',
        'wrong_state',
        'idempotency_in_progress',
        'style_version_processing',
        'body_too_large',
        'unsupported_media_type',
        'idempotency_key_reused',
        'style_version_failed',
        'queue_full',
        'service_full',
        ...codes,
      ),
    },
  };
}
