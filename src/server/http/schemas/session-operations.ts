import type { ServiceCode } from '../../../service/service-error.ts';
import type { Scope } from '../../ports.ts';
import { EXAMPLES } from './examples.ts';
import { ADD_EXTERNAL_UPLOADS } from './external-upload-schemas.ts';
import {
  closedObjectOf,
  IDEMPOTENCY_HEADERS,
  idSchema,
  NO_BODY,
  NO_QUERY,
  objectOf,
  pageQuery,
  ref,
  type Schema,
} from './json-schema.ts';
import { BODY_CODES, empty, guardedProblems, HEADERS, json, page } from './responses.ts';
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
const reads = { tags, querystring: NO_QUERY, security: [{ bearer: [READ] }] };
const writes = { tags, querystring: NO_QUERY, security: [{ bearer: [WRITE] }] };
const params = objectOf({ render_session_id: idSchema('Identifier of the session', 'rs_81f2c0') });
const oneSession = objectOf({ render_session: ref(RENDER_SESSION) });
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
  ...BODY_CODES,
  'style_version_processing',
  'idempotency_in_progress',
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
    ...writes,
    operationId: 'createRenderSession',
    summary: 'Create a render session',
    description:
      'Makes a session from a mapping, and with `render: "preview"` renders it. All mistakes of a mapping are told in one answer. With `dry_run=true` nothing is kept and nothing is rendered.',
    headers: IDEMPOTENCY_HEADERS,
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
    ...writes,
    operationId: 'createVideo',
    summary: 'Render a video',
    description:
      'As `createRenderSession` with `render: "preview"`, with the session at the top level of the answer. For clients that call this path.',
    headers: IDEMPOTENCY_HEADERS,
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
    ...reads,
    operationId: 'getVideo',
    summary: 'Get a video',
    description: 'As `getRenderSession`, with the session at the top level of the answer.',
    params,
    headers: ifNoneMatch,
    response: {
      200: json('The session', ref(RENDER_SESSION), { ...HEADERS.etag, ...HEADERS.retryAfter }),
      304: empty('The session is as it was', HEADERS.etag),
      ...guardedProblems('not_found'),
    },
  },
  change: {
    ...writes,
    operationId: 'changeRenderSession',
    summary: 'Change the mapping of a draft',
    description:
      'Merges entries into the mapping, key by key; null removes one. Editables may stay unfilled until the draft is rendered: `missing_editables` lists them.',
    params,
    body: ref(CHANGE_RENDER_SESSION),
    response: {
      200: json('The session', oneSession),
      ...guardedProblems(
        'not_found',
        ...BODY_CODES,
        'wrong_state',
        'style_version_processing',
        'mapping_invalid',
        'style_version_failed',
      ),
    },
  },
  get: {
    ...reads,
    operationId: 'getRenderSession',
    summary: 'Get a render session',
    description:
      'To be asked again, after `Retry-After`, until `terminal` is true; then `video_url` is there. Deliveries may go on after that: each of `external_uploads` has a status of its own.',
    params,
    headers: ifNoneMatch,
    response: {
      200: json('The session', oneSession, { ...HEADERS.etag, ...HEADERS.retryAfter }),
      304: empty('The session is as it was', HEADERS.etag),
      ...guardedProblems('not_found'),
    },
  },
  list: {
    ...reads,
    operationId: 'listRenderSessions',
    summary: 'List render sessions',
    description: 'Newest first, a page at a time.',
    querystring: pageQuery('Sessions', {
      status: { type: 'string', enum: [...SESSION_STATUSES], description: 'Only sessions in this status' },
      template_style_version_id: idSchema('Only sessions of this style version', 'tsv_9c41e7d2'),
    }),
    response: { 200: page('render_sessions', RENDER_SESSION), ...guardedProblems() },
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
    ...writes,
    operationId: 'addExternalUploads',
    summary: 'Deliver a video',
    description:
      'Has the video delivered further: at once when it is finished, when it is rendered otherwise. What was delivered to the same place before, or failed, begins anew.',
    params,
    headers: IDEMPOTENCY_HEADERS,
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
        ...BODY_CODES,
        'wrong_state',
        'idempotency_in_progress',
        'upload_invalid',
        'idempotency_key_reused',
      ),
    },
  },
  remove: {
    ...writes,
    operationId: 'deleteRenderSession',
    summary: 'Delete a render session',
    description: 'Stops it, and forgets it with its files: its `video_url` ends to work.',
    params,
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
    ...writes,
    operationId,
    summary,
    description,
    params,
    headers: IDEMPOTENCY_HEADERS,
    body: NO_BODY,
    response: {
      200: json('The session', oneSession, { ...HEADERS.retryAfter, ...HEADERS.idempotency }, example),
      ...guardedProblems(
        'not_found',
        ...BODY_CODES,
        'wrong_state',
        'idempotency_in_progress',
        'style_version_processing',
        'idempotency_key_reused',
        'style_version_failed',
        'queue_full',
        'service_full',
        ...codes,
      ),
    },
  };
}
