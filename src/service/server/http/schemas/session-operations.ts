import type { ServiceCode } from '../../../../contract/service-error.ts';
import type { Scope } from '../../ports.ts';
import { EXAMPLES } from './examples.ts';
import { ADD_EXTERNAL_UPLOADS } from './external-upload-schemas.ts';
import {
  closedObjectOf,
  IDEMPOTENCY_HEADERS,
  IF_NONE_MATCH,
  identifierSchema,
  NO_BODY,
  NO_QUERY,
  objectOf,
  pageQuery,
  ref,
  type Schema,
  scoped,
  timeFilter,
} from './json-schema.ts';
import { BODY_CODES, bytes, empty, guardedProblems, HEADERS, json, page } from './responses.ts';
import { METADATA_FILTER } from './session-option-schemas.ts';
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
const reads = { tags, querystring: NO_QUERY, security: scoped(READ) };
const writes = { tags, querystring: NO_QUERY, security: scoped(WRITE) };
const params = objectOf({ render_session_id: identifierSchema('Identifier of the session', 'rs_81f2c0') });
const oneSession = objectOf({ render_session: ref(RENDER_SESSION) });
const CREATED_HEADERS = { ...HEADERS.location, ...HEADERS.retryAfter, ...HEADERS.idempotency };
const EDIT_TOKEN: Schema = {
  type: 'string',
  description:
    'If the request has `edit_token: true`: a token for an editor in a browser. For 24 hours it can read, change and render this session, and read its specification',
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
  'budget_exceeded',
  'webhook_url_refused',
);

/** Fastify route schemas of the operations on render sessions. */
export const SESSION_OPERATIONS = {
  create: {
    ...writes,
    operationId: 'createRenderSession',
    summary: 'Create a render session',
    description:
      'Creates a session from a mapping and, with `render: "preview"`, renders it. The response lists all mistakes of a mapping. With `dry_run=true`, the request is only validated.',
    headers: IDEMPOTENCY_HEADERS,
    querystring: closedObjectOf(
      { dry_run: { type: 'boolean', description: 'Validate the request without creating a session' } },
      ['dry_run'],
    ),
    body: ref(CREATE_RENDER_SESSION),
    response: {
      200: json('Result of the validation (`dry_run=true`)', ref(DRY_RUN)),
      201: json(
        'The session',
        objectOf({ render_session: ref(RENDER_SESSION), edit_token: EDIT_TOKEN }, ['edit_token']),
        CREATED_HEADERS,
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
      'Same as `createRenderSession` with `render: "preview"`, but returns the session at the top level. For compatibility with clients that use this path.',
    headers: IDEMPOTENCY_HEADERS,
    body: ref(CREATE_VIDEO),
    response: {
      201: json('The session', ref(RENDER_SESSION), CREATED_HEADERS),
      ...CREATE_PROBLEMS,
    },
  },
  getVideo: {
    ...reads,
    operationId: 'getVideo',
    summary: 'Get a video',
    description: 'Same as `getRenderSession`, but returns the session at the top level.',
    params,
    headers: IF_NONE_MATCH,
    response: {
      200: json('The session', ref(RENDER_SESSION), { ...HEADERS.etag, ...HEADERS.retryAfter }),
      304: empty('Not modified', HEADERS.etag),
      ...guardedProblems('not_found'),
    },
  },
  change: {
    ...writes,
    operationId: 'changeRenderSession',
    summary: 'Change the mapping of a draft',
    description:
      'Merges entries into the mapping by key; null removes an entry. Editables may stay empty until the draft is rendered: `missing_editables` lists them.',
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
      'Poll after `Retry-After` seconds until `terminal` is true; then `video_url` is set. Deliveries may continue after that: each entry of `external_uploads` has its own status.',
    params,
    headers: IF_NONE_MATCH,
    response: {
      200: json('The session', oneSession, { ...HEADERS.etag, ...HEADERS.retryAfter }),
      304: empty('Not modified', HEADERS.etag),
      ...guardedProblems('not_found'),
    },
  },
  events: {
    ...reads,
    operationId: 'streamRenderSession',
    summary: 'Follow a render session',
    description:
      'A stream of server-sent events. Each event `render_session` has the session in its `data`, as `getRenderSession` returns it: first the current state, then every change that lasts for a second. The stream ends when `terminal` is true, and after 15 minutes; `EventSource` then connects again.',
    params,
    response: {
      200: bytes('The events', ['text/event-stream']),
      ...guardedProblems('not_found'),
    },
  },
  list: {
    ...reads,
    operationId: 'listRenderSessions',
    summary: 'List render sessions',
    description: 'Lists sessions, newest first, in pages.',
    querystring: pageQuery('Sessions', {
      status: { type: 'string', enum: [...SESSION_STATUSES], description: 'Only sessions in this status' },
      template_style_version_id: identifierSchema('Only sessions of this style version', 'tsv_9c41e7d2'),
      created_since: timeFilter('Only sessions created at this time or later'),
      created_before: timeFilter('Only sessions created before this time'),
      metadata: METADATA_FILTER,
    }),
    response: { 200: page('render_sessions', RENDER_SESSION), ...guardedProblems() },
  },
  render: actionOn(
    'renderRenderSession',
    'Render a draft',
    'Queues a session that was created without `render`. If the mapping is incomplete, the response lists all missing editables.',
    EXAMPLES.started,
    ['mapping_invalid'],
  ),
  cancel: actionOn(
    'cancelRenderSession',
    'Cancel a render session',
    'Stops the render. A session that is already canceled is returned unchanged.',
    EXAMPLES.canceled,
  ),
  deliver: {
    ...writes,
    operationId: 'addExternalUploads',
    summary: 'Deliver a video',
    description:
      'Adds a destination. A finished video is delivered immediately, other videos when they are rendered. An earlier delivery to the same destination is repeated, even if it failed.',
    params,
    headers: IDEMPOTENCY_HEADERS,
    body: ref(ADD_EXTERNAL_UPLOADS),
    response: {
      201: json('The session', oneSession, CREATED_HEADERS, EXAMPLES.delivering),
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
    description: 'Cancels the session and deletes it with its files. Its `video_url` stops working.',
    params,
    response: { 204: empty('The session was deleted'), ...guardedProblems('not_found') },
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
        'budget_exceeded',
        ...codes,
      ),
    },
  };
}
