import { sessionEnd } from '../../contract/render-service.ts';
import { type ServiceError, serviceError } from '../../contract/service-error.ts';
import type { VideoMeasures } from '../../contract/video-measures.ts';
import type {
  ChangeRenderSession,
  DryRun,
  ExternalUploadRequest,
  RenderSession,
  SessionRequest,
} from '../../contract/wire/render-session.ts';
import { scenesOf } from '../../contract/wire/scene-request.ts';
import type { StyleVersion } from '../../contract/wire/style-version.ts';
import { defined } from '../../kernel/defined.ts';
import { resolveOutput } from '../../template/bind/resolve-output.ts';
import type { SessionTemplate } from './bind-template.ts';
import { checkScenes } from './check-scenes.ts';
import { newSession, outputProblems, refuse } from './new-session.ts';
import type { Claimed, IdempotencyClaim, SessionQuery, TenantId } from './ports.ts';
import { canceledSession, changedDraft, changeMapping, queuedSession } from './render-session.ts';
import { renderWorkload } from './render-time.ts';
import { addDeliveries, type Destinations } from './session-deliveries.ts';
import type { SessionRunnerPorts } from './session-runner.ts';
import { findTemplates } from './session-scenes.ts';

interface SessionsPorts
  extends Pick<SessionRunnerPorts, 'templates' | 'store' | 'environment' | 'pace' | 'retentionMs'> {
  readonly destinations: Destinations;
  /** Stops the render and the deliveries of a session if they run in this process. */
  stop(id: string): void;
}

/** A session, and whether it is the stored answer of an earlier request with the same key. */
interface Answer {
  readonly session: RenderSession;
  readonly isReplay: boolean;
}

/**
 * The operations on render sessions that clients can call, over ports for all I/O. `SessionRunner` renders the
 * sessions.
 *
 * Each call acts for one tenant; other tenants' sessions behave as not found. All throw ServiceError: 404 if missing,
 * 409 for a wrong state, 422 for an invalid request.
 */
export class Sessions {
  readonly #ports: SessionsPorts;

  constructor(ports: SessionsPorts) {
    this.#ports = ports;
  }

  async styleVersion(tenant: TenantId, id: string): Promise<StyleVersion> {
    const template = await this.#ports.templates.find(tenant, id);
    if (template === null) throw serviceError('not_found', `There is no template style version ${id}`);
    return template.spec;
  }

  /** Creates a draft, which may leave editables unfilled, or queues a session for rendering. */
  async create(tenant: TenantId, request: SessionRequest, claim: IdempotencyClaim | null = null): Promise<Answer> {
    const { environment, store } = this.#ports;
    const ids = { session: `rs_${environment.randomId()}`, mapping: `map_${environment.randomId()}` };
    const { session, problems, measures } = await this.#newSession(tenant, request, ids);
    refuse(problems);
    const stored = {
      tenant,
      session,
      outputName: environment.randomId(),
      attempt: 0,
      inputDigest: null,
      videoSeconds: videoSeconds(measures!, session),
    };
    return answer(await store.create(stored, claim));
  }

  /** Validates a request as `create` does and estimates the render. Stores nothing. */
  async dryRun(tenant: TenantId, request: SessionRequest): Promise<DryRun> {
    const ids = { session: 'rs_', mapping: 'map_' };
    const created = await this.#newSession(tenant, request, ids);
    const { session, problems: errors, missing, warnings, measures } = created;
    const unfilled = missing.map(({ code, pointer, detail, scene }) => ({
      code,
      pointer,
      detail,
      ...defined({ scene }),
    }));
    return {
      valid: errors.length === 0,
      errors,
      warnings: [...unfilled, ...warnings],
      estimate: measures && this.#estimate(request, session, measures),
    };
  }

  #estimate(request: SessionRequest, { output }: RenderSession, measures: VideoMeasures): DryRun['estimate'] {
    // An invalid output has no size to estimate from.
    const valid = outputProblems(request, measures).length === 0 ? output : {};
    const extent = renderWorkload(resolveOutput({ ...measures, stills: [] }, valid));
    return { frames: extent.frameCount, render_seconds: this.#ports.pace.expect(extent) };
  }

  async get(tenant: TenantId, id: string): Promise<RenderSession> {
    const stored = await this.#ports.store.get(tenant, id);
    if (stored === null) throw noSession(id);
    return stored.session;
  }

  async list(
    tenant: TenantId,
    query: SessionQuery,
  ): Promise<{ readonly sessions: RenderSession[]; readonly nextCursor: string | null }> {
    const { sessions, nextCursor } = await this.#ports.store.list(tenant, query);
    return { sessions: sessions.map(({ session }) => session), nextCursor };
  }

  /**
   * Changes the mapping of a draft, key by key.
   *
   * @throws ServiceError 409 if the session is not a draft, 422 with all mistakes except unfilled editables
   */
  async changeMapping(tenant: TenantId, id: string, { mapping }: ChangeRenderSession): Promise<RenderSession> {
    const draft = await this.get(tenant, id);
    if (draft.scenes !== undefined)
      throw wrongState(draft, 'A draft with scenes cannot be changed: create a new session');
    const [{ spec }] = [...(await this.#templates(tenant, draft)).values()] as [SessionTemplate];
    const { session: changed } = await this.#change(tenant, id, null, (session) => {
      if (session.status !== 'draft') throw wrongState(session, 'Only the mapping of a draft can be changed');
      const changed = changeMapping(session.mapping, mapping, spec);
      refuse(changed.mistakes);
      const unfilled = changed.missing.map(({ editable }) => editable);
      return changedDraft(session, changed.mapping, unfilled, this.#ports.environment.now());
    });
    return changed;
  }

  /** Queues a draft. @throws ServiceError 422 with everything that is missing or invalid in its mapping */
  async start(tenant: TenantId, id: string, claim: IdempotencyClaim | null = null): Promise<Answer> {
    const templates = await this.#templates(tenant, await this.get(tenant, id));
    return this.#change(tenant, id, claim, (session) => {
      if (session.status !== 'draft') throw wrongState(session, 'Only a draft can be rendered');
      refuse(checkScenes({ video: scenesOf(session), templates }).problems);
      return queuedSession(session, this.#ports.environment.now());
    });
  }

  /** Cancels a draft or a running render. A canceled session stays unchanged. */
  async cancel(tenant: TenantId, id: string, claim: IdempotencyClaim | null = null): Promise<Answer> {
    const { environment, retentionMs } = this.#ports;
    const canceled = await this.#change(tenant, id, claim, (session) => {
      if (session.status === 'preview_canceled') return session;
      if (session.terminal === true) throw wrongState(session, 'It has already ended');
      return canceledSession(session, { nowMs: environment.now(), retentionMs });
    });
    this.#ports.stop(id);
    return canceled;
  }

  /**
   * Adds deliveries of a finished or running session.
   *
   * @throws ServiceError 409 if the session ended without a video
   */
  async addUploads(
    tenant: TenantId,
    id: string,
    asked: readonly ExternalUploadRequest[],
    claim: IdempotencyClaim | null = null,
  ): Promise<Answer> {
    const { environment, destinations } = this.#ports;
    return this.#change(tenant, id, claim, (session) => {
      if (sessionEnd(session.status) === 'failed') throw wrongState(session, 'It has no video to deliver');
      const { uploads, problems } = addDeliveries(session, asked, tenant, destinations);
      refuse(problems);
      return { ...session, external_uploads: uploads, updated_at: new Date(environment.now()).toISOString() };
    });
  }

  /** Removes a session and invalidates its `video_url`. */
  async remove(tenant: TenantId, id: string): Promise<void> {
    if (!(await this.#ports.store.remove(tenant, id))) throw noSession(id);
    this.#ports.stop(id);
  }

  async #change(
    tenant: TenantId,
    id: string,
    claim: IdempotencyClaim | null,
    change: (session: RenderSession) => RenderSession,
  ): Promise<Answer> {
    const changed = await this.#ports.store.change(tenant, id, claim, change);
    if (changed === null) throw noSession(id);
    return answer(changed);
  }

  async #newSession(
    tenant: TenantId,
    request: SessionRequest,
    ids: { readonly session: string; readonly mapping: string },
  ): Promise<ReturnType<typeof newSession>> {
    const { environment, destinations, retentionMs } = this.#ports;
    const templates = await this.#templates(tenant, request);
    return newSession(request, { tenant, templates, ids, nowMs: environment.now(), destinations, retentionMs });
  }

  /** Returns the templates of all scenes by style version. */
  #templates(tenant: TenantId, video: Parameters<typeof scenesOf>[0]): Promise<Map<string, SessionTemplate>> {
    return findTemplates(scenesOf(video), (id) => this.#ports.templates.find(tenant, id));
  }
}

/** Returns the length of a session's video in seconds; 0 for a still. */
function videoSeconds(measures: VideoMeasures, { output }: RenderSession): number {
  const { frameCount, fps } = resolveOutput({ ...measures, stills: [] }, output);
  return output?.format === 'png' ? 0 : frameCount / fps;
}

function answer({ value: session, isReplay }: Claimed<RenderSession>): Answer {
  return { session, isReplay };
}

function noSession(id: string): ServiceError {
  return serviceError('not_found', `There is no render session ${id}`);
}

function wrongState(session: RenderSession, why: string): ServiceError {
  return serviceError('wrong_state', `The session is in the state ${session.status}. ${why}`);
}
