import pLimit from 'p-limit';
import {
  changedSincePlan,
  type EmbeddedOptions,
  type EmbeddedRenderService,
  type FinishedSession,
  uploadEnded,
} from '../../contract/render-service.ts';
import { serviceError } from '../../contract/service-error.ts';
import type {
  ExternalUpload,
  ExternalUploadRequest,
  RenderSession,
  SessionRequest,
} from '../../contract/wire/render-session.ts';
import { scenesOf } from '../../contract/wire/scene-request.ts';
import { abortable } from '../../kernel/abortable.ts';
import type { Json } from '../../kernel/digest.ts';
import { attemptDelivery, type DeliveryEnd, type DeliveryPorts, failedDelivery } from './attempt-delivery.ts';
import { bindHere, type SessionTemplate } from './bind-template.ts';
import { newSession, refuse } from './new-session.ts';
import {
  type OutputStore,
  type Renderer,
  type SessionEnvironment,
  type SessionProblem,
  type SourceReader,
  sessionProblem,
  type TemplateRegistry,
  type TenantId,
} from './ports.ts';
import { renderRequest } from './render-request.ts';
import {
  adoptedSession,
  failedSession,
  finishedSession,
  progressedSession,
  requestedFiles,
  sourcedSession,
} from './render-session.ts';
import { addDeliveries, type Destinations } from './session-deliveries.ts';
import { sessionProblems } from './session-problems.ts';
import { findTemplates } from './session-scenes.ts';
import { SharedRenders } from './single-flight.ts';
import type { SourceUploadStore } from './sources/source-store.ts';
import { uploadUrl } from './sources/sources.ts';

interface EmbeddedServicePorts {
  readonly templates: TemplateRegistry;
  readonly sources: SourceReader;
  readonly renderer: Renderer;
  readonly outputs: OutputStore;
  readonly destinations: Destinations;
  readonly environment: SessionEnvironment & {
    /** Rejects when the signal is aborted. */
    wait(milliseconds: number, signal: AbortSignal): Promise<void>;
    /** 0..1 */
    random(): number;
  };
  readonly uploads: SourceUploadStore;
}

type Templates = ReadonlyMap<string, SessionTemplate>;

type EmbeddedService = EmbeddedRenderService &
  Required<Pick<EmbeddedRenderService, 'deliverVideo'>> & {
    /** Stops running renders and waits for running deliveries. */
    close(): Promise<void>;
  };

/** The only tenant: the user of the command. */
const SELF = 'embedded' as TenantId;

/** Ended sessions are not stored. */
const KEPT_MS = null;

/**
 * Creates the rendering service of this process. It answers with the sessions of `reelform serve`, without HTTP, database and
 * queue. Nothing outlives the process, so idempotency keys are not needed.
 */
export function createEmbeddedService(ports: EmbeddedServicePorts): EmbeddedService {
  const { environment, destinations, outputs } = ports;
  const closing = new AbortController();
  const running = new Set<Promise<RenderSession>>();
  /** Sessions with deliveries, after these have ended, by session id. */
  const delivered = new Map<string, Promise<RenderSession>>();
  const deliveries = createEmbeddedDeliveries({ outputs, destinations, environment, tenant: SELF });
  const renderPorts = {
    ...ports,
    bindTemplate: async (...[input]: Parameters<typeof bindHere>) => bindHere(input),
    renders: new SharedRenders(),
  };

  const find = (id: string): Promise<SessionTemplate | null> => ports.templates.find(SELF, id);

  /** Returns the session of a request, rendering. @throws ServiceError 422 */
  const createSession = (request: SessionRequest, templates: Templates): RenderSession => {
    const { session, problems } = newSession(
      { ...request, render: 'preview' },
      {
        tenant: SELF,
        templates,
        ids: { session: `rs_${environment.randomId()}`, mapping: `map_${environment.randomId()}` },
        nowMs: environment.now(),
        destinations,
        retentionMs: KEPT_MS,
      },
    );
    refuse(problems);
    return session;
  };

  /** Renders a session and starts its deliveries. Returns it when it has ended, rendered or failed. */
  const renderSession = async (
    created: RenderSession,
    templates: Templates,
    { outputName, onProgress }: Pick<EmbeddedOptions, 'outputName' | 'onProgress'>,
  ): Promise<RenderSession> => {
    let session = created;
    const change = (changed: RenderSession): void => {
      if (changed !== session) onProgress(changed.render_progress, changed.render_segments);
      session = changed;
    };
    const queuedAtMs = Date.parse(created.updated_at);
    const begunAtMs = environment.now();
    const begunAt = environment.monotonicNow();
    const endTimes = () => ({ nowMs: environment.now(), retentionMs: KEPT_MS });
    try {
      const request = { tenant: SELF, templates, ...requestedFiles(created) };
      const finished = await renderRequest(request, outputName, renderPorts, {
        signal: closing.signal,
        onSources: (sources) => change(sourcedSession(session, sources, environment.now())),
        onProgress: (done, count, segments) =>
          change(progressedSession(session, done / count, environment.now(), segments)),
      });
      const elapsedMs = environment.monotonicNow() - begunAt;
      const { bound, files } = finished!;
      change(finishedSession(session, { ...bound, files, queuedAtMs, begunAtMs, elapsedMs }, endTimes()));
    } catch (error) {
      const problems = closing.signal.aborted ? [closed(error)] : sessionProblems(error, scenesOf(created));
      change(failedSession(session, problems, endTimes()));
      return session;
    }
    if (session.external_uploads?.some((upload) => !uploadEnded(upload)) === true)
      delivered.set(session.id, deliveries.deliver(session));
    return session;
  };

  const deliverVideo = async (
    session: FinishedSession,
    requests: readonly ExternalUploadRequest[],
  ): Promise<readonly ExternalUpload[]> => {
    const finished = adoptedSession(session, environment.now());
    const { uploads, problems } = addDeliveries(finished, requests, SELF, destinations);
    refuse(problems);
    const { external_uploads = [] } = await deliveries.deliver({ ...finished, external_uploads: uploads });
    return external_uploads;
  };

  return {
    name: 'embedded',
    outlivesProcess: false,
    keyLifetimeMs: () => null,
    async getStyleVersion(id) {
      const template = await find(id);
      if (template === null) throw serviceError('not_found', `There is no template style version ${id}`);
      return template.spec;
    },
    async render(request, { outputName, signal, onProgress }) {
      const templates = await findTemplates(scenesOf(request), find);
      const session = createSession(request, templates);
      onProgress(session.render_progress);
      const rendering = renderSession(session, templates, { outputName, onProgress });
      running.add(rendering);
      void rendering.finally(() => running.delete(rendering));
      return abortable(rendering, signal);
    },
    async waitForUploads(id) {
      const session = delivered.get(id);
      if (session === undefined) throw serviceError('not_found', `There is no render session ${id} with deliveries`);
      return session;
    },
    async uploadSource({ bytes, sha256, name }) {
      if ((await ports.uploads.put(bytes, sha256)) !== sha256) throw changedSincePlan(name);
      return { remote_url: uploadUrl(sha256) };
    },
    deliverVideo,
    async close() {
      closing.abort();
      await Promise.all(running);
      await deliveries.close();
    },
  };
}

function closed(error: unknown): SessionProblem {
  const detail = error instanceof Error ? error.message : String(error);
  return sessionProblem({ code: 'canceled', title: 'The service was closed', detail, retryable: true });
}

/** Milliseconds between attempts of a delivery: short, because a user waits and the next apply tries again. */
const RETRY_DELAYS_MS = [2_000, 10_000, 30_000];
/** Concurrent attempts. */
const MAX_ATTEMPTS = 4;

interface EmbeddedDeliveriesOptions {
  readonly outputs: DeliveryPorts['outputs'];
  readonly destinations: Destinations;
  readonly environment: {
    /** Rejects when the signal is aborted. */
    wait(milliseconds: number, signal: AbortSignal): Promise<void>;
    /** 0..1 */
    random(): number;
  };
  readonly tenant: TenantId;
}

/** Delivers videos in this process, without the queue of `reelform serve`. */
function createEmbeddedDeliveries({ outputs, destinations, environment, tenant }: EmbeddedDeliveriesOptions) {
  const closing = new AbortController();
  /** A running attempt is never stopped, because it may be about to complete. */
  const { signal } = new AbortController();
  const running = new Set<Promise<RenderSession>>();
  const limit = pLimit(MAX_ATTEMPTS);
  const ports = { outputs, destinations, random: () => environment.random(), retryDelaysMs: RETRY_DELAYS_MS };

  /** Attempts a delivery until it ends. */
  const deliverFile = async (session: RenderSession, upload: ExternalUpload): Promise<DeliveryEnd> => {
    const stored = { tenant, session, inputDigest: null };
    let state: Json | null = null;
    const onState = async (changed: Json): Promise<void> => {
      state = changed;
    };
    try {
      for (let tries = 0; ; tries += 1) {
        const outcome = await limit(async () => {
          closing.signal.throwIfAborted();
          return attemptDelivery({ stored, upload, tries, state }, ports, { signal, onState });
        });
        if (outcome.kind === 'ended') return outcome.end;
        await environment.wait(outcome.delayMs, closing.signal);
      }
    } catch (error) {
      if (closing.signal.aborted) return failedDelivery('The service was closed before the delivery');
      return failedDelivery(`Internal error: ${error instanceof Error ? error.name : 'unknown'}`);
    }
  };

  const deliverAll = async (session: RenderSession): Promise<RenderSession> => {
    const uploads = (session.external_uploads ?? []).map(async (upload) =>
      uploadEnded(upload) ? upload : { ...upload, ...(await deliverFile(session, upload)) },
    );
    return { ...session, external_uploads: await Promise.all(uploads) };
  };

  return {
    /** Returns the session of a rendered video when all of its deliveries have ended, complete or failed. */
    deliver(session: RenderSession): Promise<RenderSession> {
      const delivering = deliverAll(session).finally(() => running.delete(delivering));
      running.add(delivering);
      return delivering;
    },
    /** Waits for running attempts and fails deliveries that wait for theirs. */
    async close(): Promise<void> {
      closing.abort();
      await Promise.all(running);
    },
  };
}
