import { sessionEnd } from '../../contract/render-service.ts';
import { type ServiceError, serviceError } from '../../contract/service-error.ts';
import type {
  ChangeRenderSession,
  CreateRenderSession,
  DryRun,
  ExternalUploadRequest,
  RenderSession,
} from '../../contract/wire/render-session.ts';
import type { StyleVersion } from '../../contract/wire/style-version.ts';
import { checkMapping } from '../../template/bind/check-mapping.ts';
import { resolveOutput } from '../../template/bind/resolve-output.ts';
import { outputBasis } from '../../template/video-measures.ts';
import type { SessionTemplate } from './bind-template.ts';
import { newSession, outputProblems, refuse } from './new-session.ts';
import type { Claimed, IdempotencyClaim, SessionQuery, TenantId } from './ports.ts';
import { canceledSession, changedDraft, changeMapping, queuedSession } from './render-session.ts';
import { renderWorkload } from './render-time.ts';
import { addDeliveries, type Destinations } from './session-deliveries.ts';
import type { SessionRunnerPorts } from './session-runner.ts';

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
    return (await this.#template(tenant, id)).spec;
  }

  /** Creates a draft, which may leave editables unfilled, or queues a session for rendering. */
  async create(tenant: TenantId, request: CreateRenderSession, claim: IdempotencyClaim | null = null): Promise<Answer> {
    const { environment, store } = this.#ports;
    const template = await this.#template(tenant, request.mapping.template_style_version_id);
    const ids = { session: `rs_${environment.randomId()}`, mapping: `map_${environment.randomId()}` };
    const { session, problems } = this.#newSession(tenant, request, template, ids);
    refuse(problems);
    const stored = {
      tenant,
      session,
      outputName: environment.randomId(),
      attempt: 0,
      inputDigest: null,
      videoSeconds: videoSeconds(template, session),
    };
    return answer(await store.create(stored, claim));
  }

  /** Validates a request as `create` does and estimates the render. Stores nothing. */
  async dryRun(tenant: TenantId, request: CreateRenderSession): Promise<DryRun> {
    const template = await this.#template(tenant, request.mapping.template_style_version_id);
    const ids = { session: 'rs_', mapping: 'map_' };
    const { session, problems: errors, missing } = this.#newSession(tenant, request, template, ids);
    const warnings = missing.map(({ code, pointer, detail }) => ({ code, pointer, detail }));
    // An invalid output has no size to estimate from.
    const output = outputProblems(request, template).length === 0 ? session.output : {};
    const extent = renderWorkload(resolveOutput(outputBasis(template), output));
    const estimate = { frames: extent.frameCount, render_seconds: this.#ports.pace.expect(extent) };
    return { valid: errors.length === 0, errors, warnings, estimate };
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
    const { spec } = await this.#template(tenant, draft.mapping.template_style_version_id);
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
    const draft = await this.get(tenant, id);
    const { spec } = await this.#template(tenant, draft.mapping.template_style_version_id);
    return this.#change(tenant, id, claim, (session) => {
      if (session.status !== 'draft') throw wrongState(session, 'Only a draft can be rendered');
      refuse(checkMapping(session.mapping, spec));
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

  #newSession(
    tenant: TenantId,
    request: CreateRenderSession,
    template: SessionTemplate,
    ids: { readonly session: string; readonly mapping: string },
  ): ReturnType<typeof newSession> {
    const { environment, destinations, retentionMs } = this.#ports;
    return newSession(request, { tenant, template, ids, nowMs: environment.now(), destinations, retentionMs });
  }

  async #template(tenant: TenantId, id: string): Promise<SessionTemplate> {
    const template = await this.#ports.templates.find(tenant, id);
    if (template === null) throw serviceError('not_found', `There is no template style version ${id}`);
    return template;
  }
}

/** Returns the length of a session's video; 0 for a still. */
function videoSeconds(template: SessionTemplate, { output }: RenderSession): number {
  const { frameCount, fps } = resolveOutput(outputBasis(template), output);
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
