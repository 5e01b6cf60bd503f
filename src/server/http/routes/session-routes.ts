import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { uploadsEnded } from '../../../service/render-service.ts';
import type { IdempotencyClaim } from '../../../session/ports.ts';
import type { Answer } from '../../../session/sessions.ts';
import type { ExternalUploadRequest } from '../../../wire/external-upload.ts';
import type { CreateRenderSession, RenderSession, SessionStatus } from '../../../wire/render-session.ts';
import type { AppPorts } from '../app-ports.ts';
import { sendWithEtag } from '../conditional.ts';
import { HTTP_LIMITS } from '../http-limits.ts';
import { claimOf, tenantOf } from '../request-context.ts';
import { SESSION_OPERATIONS } from '../schemas/session-operations.ts';
import { toldSession } from '../told-session.ts';

/** Seconds after which a session is worth another look. */
const POLL_SECONDS = '1';
const PATH = '/v2/render_sessions';
const READ = { scope: 'render_session:read' } as const;
const WRITE = { scope: 'render_session:write' } as const;

interface ById {
  Params: { render_session_id: string };
}

interface PageQuery {
  limit?: number;
  cursor?: string;
  status?: SessionStatus;
  template_style_version_id?: string;
}

/** `/v2/render_sessions` */
export function sessionRoutes(app: FastifyInstance, ports: AppPorts): void {
  const { sessions, settings, outputs } = ports;
  const place = `${settings.publicUrl ?? ''}${PATH}`;
  const idempotencyMs = ports.limits?.idempotencyMs ?? HTTP_LIMITS.idempotencyMs;
  const told = (session: RenderSession): RenderSession =>
    toldSession(session, outputs, { nowMs: ports.now(), lifetimeMs: settings.downloadMinutes * 60_000 });
  const claim = (request: FastifyRequest): IdempotencyClaim | null => claimOf(request, ports.now() + idempotencyMs);

  app.post<{ Body: CreateRenderSession; Querystring: { dry_run?: boolean } }>(PATH, {
    config: WRITE,
    schema: SESSION_OPERATIONS.create,
    async handler(request, reply) {
      const tenant = tenantOf(request);
      if (request.query.dry_run === true) return sessions.dryRun(tenant, request.body);
      const answer = await sessions.create(tenant, request.body, { claim: claim(request) });
      reply.code(201).header('location', `${place}/${answer.session.id}`);
      // The first answer and a replay say the same; the key was taken no later than the session was made.
      tellKey(request, reply, answer, Date.parse(answer.session.created_at) + idempotencyMs - 1000);
      pacePolls(answer.session, reply);
      return { render_session: told(answer.session) };
    },
  });

  app.get<ById>(`${PATH}/:render_session_id`, {
    config: READ,
    schema: SESSION_OPERATIONS.get,
    onSend: sendWithEtag,
    async handler(request, reply) {
      const session = await sessions.get(tenantOf(request), request.params.render_session_id);
      pacePolls(session, reply);
      return { render_session: told(session) };
    },
  });

  app.get<{ Querystring: PageQuery }>(PATH, {
    config: READ,
    schema: SESSION_OPERATIONS.list,
    async handler(request, reply) {
      const { limit = 20, cursor = null, status = null, template_style_version_id = null } = request.query;
      const query = { limit, cursor, status, styleVersionId: template_style_version_id };
      const page = await sessions.list(tenantOf(request), query);
      if (page.nextCursor !== null) reply.header('link', nextPage(place, request.query, limit, page.nextCursor));
      return { render_sessions: page.sessions.map(told), next_cursor: page.nextCursor };
    },
  });

  for (const [action, act] of [
    ['render', sessions.start.bind(sessions)],
    ['cancel', sessions.cancel.bind(sessions)],
  ] as const) {
    app.post<ById>(`${PATH}/:render_session_id/${action}`, {
      config: WRITE,
      schema: SESSION_OPERATIONS[action],
      async handler(request, reply) {
        const claimed = claim(request);
        const answer = await act(tenantOf(request), request.params.render_session_id, claimed);
        tellKey(request, reply, answer, answer.isReplay ? null : (claimed?.expiresAt ?? null));
        pacePolls(answer.session, reply);
        return { render_session: told(answer.session) };
      },
    });
  }

  app.post<ById & { Body: { external_uploads: ExternalUploadRequest[] } }>(
    `${PATH}/:render_session_id/external_uploads`,
    {
      config: WRITE,
      schema: SESSION_OPERATIONS.deliver,
      async handler(request, reply) {
        const { render_session_id: id } = request.params;
        const claimed = claim(request);
        const answer = await sessions.addUploads(tenantOf(request), id, request.body.external_uploads, claimed);
        reply.code(201).header('location', `${place}/${id}`);
        tellKey(request, reply, answer, answer.isReplay ? null : (claimed?.expiresAt ?? null));
        pacePolls(answer.session, reply);
        return { render_session: told(answer.session) };
      },
    },
  );

  app.delete<ById>(`${PATH}/:render_session_id`, {
    config: WRITE,
    schema: SESSION_OPERATIONS.remove,
    async handler(request, reply) {
      await sessions.remove(tenantOf(request), request.params.render_session_id);
      return reply.code(204).send();
    },
  });
}

function pacePolls(session: RenderSession, reply: FastifyReply): void {
  const isAtWork = session.status === 'preview_rendering';
  if (isAtWork || (session.status === 'preview_rendered' && !uploadsEnded(session)))
    reply.header('retry-after', POLL_SECONDS);
}

/** Repeats the key that a request came with, so that its client knows that keys are kept. */
function tellKey(request: FastifyRequest, reply: FastifyReply, answer: Answer, expiresAt: number | null): void {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return;
  reply.header('idempotency-key', key);
  if (expiresAt !== null) reply.header('idempotency-key-expires', new Date(expiresAt).toUTCString());
  if (answer.isReplay) reply.header('idempotent-replayed', 'true');
}

/** @see RFC 8288 */
function nextPage(place: string, query: PageQuery, limit: number, cursor: string): string {
  const { status, template_style_version_id: styleVersionId } = query;
  const next = new URLSearchParams({ limit: String(limit) });
  if (status !== undefined) next.set('status', status);
  if (styleVersionId !== undefined) next.set('template_style_version_id', styleVersionId);
  next.set('cursor', cursor);
  return `<${place}?${next}>; rel="next"`;
}
