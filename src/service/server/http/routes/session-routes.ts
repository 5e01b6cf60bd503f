import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { uploadsEnded } from '../../../../contract/render-service.ts';
import { serviceError } from '../../../../contract/service-error.ts';
import type { Mapping } from '../../../../contract/wire/mapping.ts';
import type { RequestProblem } from '../../../../contract/wire/problem.ts';
import type {
  ChangeRenderSession,
  CreateRenderSession,
  ExternalUploadRequest,
  RenderSession,
  SessionRequest,
  SessionStatus,
} from '../../../../contract/wire/render-session.ts';
import type { SceneRequest, ScenesRequest } from '../../../../contract/wire/scene-request.ts';
import { defined } from '../../../../kernel/defined.ts';
import { FairQueue } from '../../../sessions/fair-queue.ts';
import type { IdempotencyClaim, SessionQuery, TenantId } from '../../../sessions/ports.ts';
import type { Scope } from '../../ports.ts';
import { sessionAt } from '../../public-urls.ts';
import type { AppPorts, ServedFiles } from '../app-ports.ts';
import { sendWithEtag } from '../conditional-requests.ts';
import { HTTP_LIMITS } from '../http-limits.ts';
import {
  claimOf,
  echoClaim,
  echoIdempotencyKey,
  editedSessionOf,
  linkNextPage,
  readTime,
  tenantOf,
} from '../request-context.ts';
import { SESSION_OPERATIONS } from '../schemas/session-operations.ts';
import { createSessionStreams } from '../session-streams.ts';

/** Seconds before a client should poll again. */
const POLL_SECONDS = '1';
const PATH = '/v2/render_sessions';
/** Path of an alternative interface: sessions that render at once, at the top level of the response. */
const VIDEOS = '/v3/videos';
const READ = { scope: 'render_session:read' } as const;
const WRITE = { scope: 'render_session:write' } as const;
const CREATE = { ...WRITE, isCreating: true } as const;
/**
 * Scopes of an edit token. They extend to one session, which the client that created it has received already, so they do
 * not depend on the other scopes of that client.
 */
const EDIT_SCOPES: readonly Scope[] = ['render_session:read', 'render_session:write', 'template_style_version:read'];
const EDIT_TOKEN_MS = 24 * 60 * 60 * 1000;

/** Mapping in a request: drafts may omit resources, and the `id` of the session it was read from may be present. */
type MappingRequest<M extends object = Mapping> = Omit<M, 'resources'> &
  Partial<Pick<Mapping, 'resources'>> & { readonly id?: string };

interface SessionBody extends Omit<CreateRenderSession, 'mapping'>, Partial<Omit<ScenesRequest, 'scenes'>> {
  readonly mapping?: MappingRequest;
  readonly scenes?: readonly (Omit<SceneRequest, 'mapping'> & {
    readonly mapping: MappingRequest<SceneRequest['mapping']>;
  })[];
  readonly edit_token?: boolean;
}

interface ById {
  Params: { render_session_id: string };
}

type Created = Awaited<ReturnType<AppPorts['sessions']['create']>>;

interface Filters {
  status?: SessionStatus;
  template_style_version_id?: string;
  created_since?: string;
  created_before?: string;
  /** `key:value`. */
  metadata?: string | string[];
}

interface PageQuery extends Filters {
  limit?: number;
  cursor?: string;
}

/** `/v2/render_sessions` */
export function sessionRoutes(app: FastifyInstance, ports: AppPorts): void {
  const { sessions, settings, outputs } = ports;
  const place = `${settings.publicUrl ?? ''}${PATH}`;
  const { idempotencyMs, dryRunsAtOnce, waitMs } = { ...HTTP_LIMITS, ...ports.limits };
  const dryRuns = new FairQueue({ places: dryRunsAtOnce, maxWaiting: settings.maxWaiting, waitMs });
  const streams = createSessionStreams({ ...HTTP_LIMITS, ...ports.limits });
  app.addHook('preClose', (done) => {
    streams.close();
    done();
  });
  const withUrls = (stored: RenderSession): RenderSession => {
    const session = settings.publicUrl === null ? stored : sessionAt(settings.publicUrl, stored);
    return withDownload(session, outputs, { nowMs: ports.now(), lifetimeMs: settings.downloadMinutes * 60_000 });
  };
  const shown = (request: FastifyRequest, session: RenderSession): RenderSession =>
    withUrls(editedSessionOf(request) === null ? session : sessionForEditing(session));
  const respond = (request: FastifyRequest, reply: FastifyReply, session: RenderSession): RenderSession => {
    const isRendering = session.status === 'preview_rendering';
    if (isRendering || (session.status === 'preview_rendered' && !uploadsEnded(session)))
      reply.header('retry-after', POLL_SECONDS);
    return shown(request, session);
  };
  const requireWebhook = async (tenant: TenantId, { webhook_url: url }: SessionRequest): Promise<void> => {
    if (url !== undefined) await ports.webhooks.requireEndpoint(tenant, url);
  };
  const claim = (request: FastifyRequest): IdempotencyClaim | null => claimOf(request, ports.now() + idempotencyMs);

  const created = (request: FastifyRequest, reply: FastifyReply, { session, isReplay }: Created, at: string) => {
    reply.code(201).header('location', `${at}/${session.id}`);
    // Derived from the session's creation, so that the first response and a replay report the same time.
    const expiresAt = Date.parse(session.created_at) + idempotencyMs - 1000;
    echoIdempotencyKey(request, reply, { isReplay, expiresAt });
    return respond(request, reply, session);
  };

  const issueEditToken = async (request: FastifyRequest, sessionId: string): Promise<string> => {
    const { clientId } = request.principal!;
    const expiresAt = new Date(ports.now() + EDIT_TOKEN_MS).toISOString();
    const issued = await ports.tokens.issue({ clientId, scopes: EDIT_SCOPES, expiresAt, sessionId });
    if (issued === null) throw serviceError('unauthorized');
    return issued.text;
  };

  app.post<{ Body: SessionBody; Querystring: { dry_run?: boolean } }>(PATH, {
    config: CREATE,
    schema: SESSION_OPERATIONS.create,
    async handler(request, reply) {
      const tenant = tenantOf(request);
      const input = readRequest(request.body);
      await requireWebhook(tenant, input);
      if (request.query.dry_run === true) return dryRuns.run(tenant, () => sessions.dryRun(tenant, input));
      const answer = await sessions.create(tenant, input, claim(request));
      const render_session = created(request, reply, answer, place);
      if (request.body.edit_token !== true) return { render_session };
      return { render_session, edit_token: await issueEditToken(request, answer.session.id) };
    },
  });

  app.post<{ Body: SessionBody }>(VIDEOS, {
    config: CREATE,
    schema: SESSION_OPERATIONS.createVideo,
    async handler(request, reply) {
      const input = { ...readRequest(request.body), render: 'preview' } as const;
      await requireWebhook(tenantOf(request), input);
      const answer = await sessions.create(tenantOf(request), input, claim(request));
      return created(request, reply, answer, `${settings.publicUrl ?? ''}${VIDEOS}`);
    },
  });

  app.get<ById>(`${VIDEOS}/:render_session_id`, {
    config: READ,
    schema: SESSION_OPERATIONS.getVideo,
    onSend: sendWithEtag,
    async handler(request, reply) {
      return respond(request, reply, await sessions.get(tenantOf(request), request.params.render_session_id));
    },
  });

  app.get<ById>(`${PATH}/:render_session_id`, {
    config: { ...READ, isForEditing: true },
    schema: SESSION_OPERATIONS.get,
    onSend: sendWithEtag,
    async handler(request, reply) {
      const session = await sessions.get(tenantOf(request), request.params.render_session_id);
      return { render_session: respond(request, reply, session) };
    },
  });

  app.get<ById>(`${PATH}/:render_session_id/events`, {
    config: { ...READ, isForEditing: true },
    exposeHeadRoute: false,
    schema: SESSION_OPERATIONS.events,
    async handler(request, reply) {
      const tenant = tenantOf(request);
      const { render_session_id: id } = request.params;
      const read = async (): Promise<RenderSession> => shown(request, await sessions.get(tenant, id));
      const stream = await streams.open(tenant, read);
      // Proxies must not collect the events.
      return reply.type('text/event-stream').header('x-accel-buffering', 'no').send(stream);
    },
  });

  app.patch<ById & { Body: ChangeRenderSession }>(`${PATH}/:render_session_id`, {
    config: { ...CREATE, isForEditing: true },
    schema: SESSION_OPERATIONS.change,
    async handler(request, reply) {
      const { render_session_id: id } = request.params;
      const session = await sessions.changeMapping(tenantOf(request), id, request.body);
      return { render_session: respond(request, reply, session) };
    },
  });

  app.get<{ Querystring: PageQuery }>(PATH, {
    config: READ,
    schema: SESSION_OPERATIONS.list,
    async handler(request, reply) {
      const { limit = 20, cursor = null, ...filters } = request.query;
      const page = await sessions.list(tenantOf(request), { limit, cursor, ...readFilters(filters) });
      linkNextPage(reply, place, { limit, ...filters }, page.nextCursor);
      return { render_sessions: page.sessions.map(withUrls), next_cursor: page.nextCursor };
    },
  });

  for (const [action, act] of [
    ['render', sessions.start.bind(sessions)],
    ['cancel', sessions.cancel.bind(sessions)],
  ] as const) {
    app.post<ById>(`${PATH}/:render_session_id/${action}`, {
      config: { ...WRITE, isForEditing: action === 'render', isCreating: action === 'render' },
      schema: SESSION_OPERATIONS[action],
      async handler(request, reply) {
        const claimed = claim(request);
        const answer = await act(tenantOf(request), request.params.render_session_id, claimed);
        echoClaim(request, reply, answer, claimed);
        return { render_session: respond(request, reply, answer.session) };
      },
    });
  }

  app.post<ById & { Body: { external_uploads: ExternalUploadRequest[] } }>(
    `${PATH}/:render_session_id/external_uploads`,
    {
      config: CREATE,
      schema: SESSION_OPERATIONS.deliver,
      async handler(request, reply) {
        const { render_session_id: id } = request.params;
        const claimed = claim(request);
        const answer = await sessions.addUploads(tenantOf(request), id, request.body.external_uploads, claimed);
        reply.code(201).header('location', `${place}/${id}`);
        echoClaim(request, reply, answer, claimed);
        return { render_session: respond(request, reply, answer.session) };
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

function readFilters(filters: Filters): Omit<SessionQuery, 'limit' | 'cursor'> {
  const { status = null, template_style_version_id: styleVersionId = null } = filters;
  const { created_since = null, created_before = null, metadata = [] } = filters;
  const entries = [metadata].flat().map((entry): [string, string] => {
    const end = entry.indexOf(':');
    return [entry.slice(0, end), entry.slice(end + 1)];
  });
  return {
    status,
    styleVersionId,
    createdSince: created_since === null ? null : readTime('created_since', created_since),
    createdBefore: created_before === null ? null : readTime('created_before', created_before),
    metadata: Object.fromEntries(entries),
  };
}

/** Removes the fields that concern the tenant and not the holder of an edit token. */
function sessionForEditing({ metadata: _, webhook_url: _url, ...session }: RenderSession): RenderSession {
  return { ...session, external_uploads: [] };
}

/**
 * Converts a request body for `Sessions`: drops the `id` of mappings, because the service assigns its own.
 *
 * @throws ServiceError 400 for fields of both kinds of requests
 */
function readRequest({ mapping, scenes, edit_token: _token, ...request }: SessionBody): SessionRequest {
  if (scenes !== undefined && mapping === undefined) {
    return { ...request, scenes: scenes.map((scene) => ({ ...scene, mapping: readMapping(scene.mapping) })) };
  }
  const { size, rate, audio_tracks, ...plain } = request;
  const foreign = Object.keys(defined({ scenes, size, rate, audio_tracks }));
  if (mapping === undefined || foreign.length > 0) {
    const problems = foreign.map((field): RequestProblem => {
      const detail = `${field} and mapping cannot be combined`;
      return { code: 'unknown_field', pointer: `#/${field}`, detail };
    });
    throw serviceError('bad_request', problems.map(({ detail }) => detail).join('; '), problems);
  }
  return { ...plain, mapping: readMapping(mapping) };
}

function readMapping<M extends { readonly id?: string; readonly resources?: Mapping['resources'] }>({
  id: _,
  resources = {},
  ...rest
}: M) {
  return { ...rest, resources };
}

/**
 * Adds a `download_url` that works for at least `lifetimeMs`. The URL stays the same for a while, so that an unchanged
 * session keeps its ETag. It does not contain the permanent URL.
 *
 * @param options.lifetimeMs minimum validity of the URL
 */
function withDownload(
  session: RenderSession,
  outputs: Pick<ServedFiles, 'signDownload'>,
  options: { readonly nowMs: number; readonly lifetimeMs: number },
): RenderSession {
  const place = /^(.*)\/outputs\/[\w-]+\/([\w.-]+)$/.exec(session.video_url ?? '');
  if (place === null) return { ...session, download_url: null };
  const [, base = '', file = ''] = place;
  const expiresAt = Math.ceil((options.nowMs + options.lifetimeMs) / options.lifetimeMs) * options.lifetimeMs;
  const seconds = Math.floor(expiresAt / 1000);
  const signature = outputs.signDownload(session.id, seconds * 1000);
  return {
    ...session,
    download_url: `${base}/downloads/${session.id}/${file}?expires=${seconds}&signature=${signature}`,
  };
}
