import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CreateRenderSession, RenderSession, SessionStatus } from '../../../service/wire.ts';
import type { IdempotencyClaim } from '../../../session/ports.ts';
import type { Answer } from '../../../session/sessions.ts';
import type { AppPorts } from '../app-ports.ts';
import { sendWithEtag } from '../conditional.ts';
import { HTTP_LIMITS } from '../http-limits.ts';
import { claimOf, tenantOf } from '../request-context.ts';
import { empty, guardedProblems, HEADERS, json } from '../schemas/answers.ts';
import { EXAMPLES } from '../schemas/examples.ts';
import { closedObjectOf, idSchema, listOf, objectOf, ref } from '../schemas/json-schema.ts';
import { CREATE_RENDER_SESSION, DRY_RUN, RENDER_SESSION, SESSION_STATUSES } from '../schemas/session-schemas.ts';
import { toldSession } from '../told-session.ts';

/** Seconds after which a session is worth another look. */
const POLL_SECONDS = '1';

const tags = ['Render sessions'];
const noQuery = closedObjectOf({});
const params = objectOf({ render_session_id: idSchema('Identifier of the session', 'rs_81f2c0') });
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
const oneSession = objectOf({ render_session: ref(RENDER_SESSION) });
const emptyBody = { anyOf: [closedObjectOf({}), { type: 'null' }] };

interface ById {
  Params: { render_session_id: string };
}

/** `/v2/render_sessions` */
export function sessionRoutes(app: FastifyInstance, ports: AppPorts): void {
  const { sessions, settings, outputs } = ports;
  const baseUrl = settings.publicUrl ?? '';
  const idempotencyMs = ports.limits?.idempotencyMs ?? HTTP_LIMITS.idempotencyMs;
  const told = (session: RenderSession): RenderSession =>
    toldSession(session, outputs, { nowMs: ports.now(), lifetimeMs: settings.downloadMinutes * 60_000 });
  const claim = (request: FastifyRequest): IdempotencyClaim | null => claimOf(request, ports.now() + idempotencyMs);
  const pacePolls = (session: RenderSession, reply: FastifyReply): void => {
    if (session.status === 'preview_rendering') reply.header('retry-after', POLL_SECONDS);
  };
  const answer = (
    request: FastifyRequest,
    reply: FastifyReply,
    answered: Answer,
    keyExpiresAt: number | null,
  ): object => {
    pacePolls(answered.session, reply);
    const key = request.headers['idempotency-key'];
    if (key !== undefined) reply.header('idempotency-key', key);
    if (key !== undefined && keyExpiresAt !== null) {
      reply.header('idempotency-key-expires', new Date(keyExpiresAt).toUTCString());
    }
    if (answered.isReplay) reply.header('idempotent-replayed', 'true');
    return { render_session: told(answered.session) };
  };

  app.post<{ Body: CreateRenderSession; Querystring: { dry_run?: boolean } }>('/v2/render_sessions', {
    config: { scope: 'render_session:write' },
    schema: {
      operationId: 'createRenderSession',
      summary: 'Create a render session',
      description:
        'Makes a session from a mapping, and with `render: "preview"` renders it. All mistakes of a mapping are told in one answer. With `dry_run=true` nothing is kept and nothing is rendered.',
      tags,
      security: [{ bearer: ['render_session:write'] }],
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
          oneSession,
          { ...HEADERS.location, ...HEADERS.retryAfter, ...HEADERS.idempotency },
          EXAMPLES.started,
        ),
        ...guardedProblems(
          'not_found',
          'request_timeout',
          'style_version_processing',
          'idempotency_in_progress',
          'body_too_large',
          'unsupported_media_type',
          'mapping_invalid',
          'not_supported',
          'style_version_failed',
          'idempotency_key_reused',
        ),
      },
    },
    async handler(request, reply) {
      const tenant = tenantOf(request);
      if (request.query.dry_run === true) return sessions.dryRun(tenant, request.body);
      const claimed = claim(request);
      const answered = await sessions.create(tenant, request.body, { claim: claimed });
      const { id, created_at } = answered.session;
      reply.code(201).header('location', `${baseUrl}/v2/render_sessions/${id}`);
      // The first answer and a replay say the same: the key was taken no later than the session was made.
      return answer(request, reply, answered, Date.parse(created_at) + idempotencyMs - 1000);
    },
  });

  app.get<ById>('/v2/render_sessions/:render_session_id', {
    config: { scope: 'render_session:read' },
    schema: {
      operationId: 'getRenderSession',
      summary: 'Get a render session',
      description: 'To be asked again, after `Retry-After`, until `terminal` is true; then `video_url` is there.',
      tags,
      security: [{ bearer: ['render_session:read'] }],
      params,
      querystring: noQuery,
      headers: objectOf({ 'if-none-match': { type: 'string', description: 'The ETag of an earlier answer' } }, [
        'if-none-match',
      ]),
      response: {
        200: json('The session', oneSession, { ...HEADERS.etag, ...HEADERS.retryAfter }),
        304: empty('The session is as it was', HEADERS.etag),
        ...guardedProblems('not_found'),
      },
    },
    onSend: sendWithEtag,
    async handler(request, reply) {
      const session = await sessions.get(tenantOf(request), request.params.render_session_id);
      pacePolls(session, reply);
      return { render_session: told(session) };
    },
  });

  app.get<{
    Querystring: { limit?: number; cursor?: string; status?: SessionStatus; template_style_version_id?: string };
  }>('/v2/render_sessions', {
    config: { scope: 'render_session:read' },
    schema: {
      operationId: 'listRenderSessions',
      summary: 'List render sessions',
      description: 'Newest first, a page at a time.',
      tags,
      security: [{ bearer: ['render_session:read'] }],
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
    async handler(request, reply) {
      const { limit = 20, cursor = null, status = null, template_style_version_id = null } = request.query;
      const query = { limit, cursor, status, styleVersionId: template_style_version_id };
      const page = await sessions.list(tenantOf(request), query);
      if (page.nextCursor !== null) {
        const next = new URLSearchParams({ limit: String(limit) });
        if (status !== null) next.set('status', status);
        if (template_style_version_id !== null) next.set('template_style_version_id', template_style_version_id);
        next.set('cursor', page.nextCursor);
        reply.header('link', `<${baseUrl}/v2/render_sessions?${next}>; rel="next"`);
      }
      return { render_sessions: page.sessions.map(told), next_cursor: page.nextCursor };
    },
  });

  for (const [action, operation] of Object.entries({
    render: {
      operationId: 'renderRenderSession',
      summary: 'Render a draft',
      description: 'Queues a session that was created without `render`.',
      run: sessions.start.bind(sessions),
    },
    cancel: {
      operationId: 'cancelRenderSession',
      summary: 'Cancel a render session',
      description: 'Stops the render, wherever it is. A session that was canceled before is answered as it is.',
      run: sessions.cancel.bind(sessions),
    },
  })) {
    const { run, ...about } = operation;
    app.post<ById>(`/v2/render_sessions/:render_session_id/${action}`, {
      config: { scope: 'render_session:write' },
      schema: {
        ...about,
        tags,
        security: [{ bearer: ['render_session:write'] }],
        params,
        querystring: noQuery,
        headers: keyHeader,
        body: emptyBody,
        response: {
          200: json(
            'The session',
            oneSession,
            { ...HEADERS.retryAfter, ...HEADERS.idempotency },
            action === 'render' ? EXAMPLES.started : EXAMPLES.canceled,
          ),
          ...guardedProblems(
            'not_found',
            'request_timeout',
            'wrong_state',
            'idempotency_in_progress',
            'body_too_large',
            'unsupported_media_type',
            'idempotency_key_reused',
            ...(action === 'render' ? (['style_version_processing', 'style_version_failed'] as const) : []),
          ),
        },
      },
      async handler(request, reply) {
        const claimed = claim(request);
        const answered = await run(tenantOf(request), request.params.render_session_id, claimed);
        return answer(request, reply, answered, answered.isReplay ? null : (claimed?.expiresAt ?? null));
      },
    });
  }

  app.delete<ById>('/v2/render_sessions/:render_session_id', {
    config: { scope: 'render_session:write' },
    schema: {
      operationId: 'deleteRenderSession',
      summary: 'Delete a render session',
      description: 'Stops it, and forgets it with its files: its `video_url` ends to work.',
      tags,
      security: [{ bearer: ['render_session:write'] }],
      params,
      querystring: noQuery,
      response: { 204: empty('It is gone'), ...guardedProblems('not_found') },
    },
    async handler(request, reply) {
      await sessions.remove(tenantOf(request), request.params.render_session_id);
      return reply.code(204).send();
    },
  });
}
