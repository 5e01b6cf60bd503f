import pLimit from 'p-limit';
import { abortable } from '../abortable.ts';
import type { EmbeddedOptions, EmbeddedRenderService, FinishedVideo } from '../service/render-service.ts';
import type { ExternalUpload, ExternalUploadRequest } from '../wire/render-session.ts';
import { type BindInput, bindHere } from './bind-scene.ts';
import { type DeliveryJob, DeliveryRunner, type FinishedFiles } from './delivery-runner.ts';
import { createMemoryStore } from './memory-store.ts';
import type { OutputStore, Renderer, SessionEnvironment, SourceReader, TemplateRegistry, TenantId } from './ports.ts';
import { RenderTimeEstimate } from './render-time.ts';
import type { Destinations } from './session-deliveries.ts';
import { SessionRunner } from './session-runner.ts';
import { Sessions } from './sessions.ts';
import type { SourceUploadStore } from './sources/source-store.ts';
import { uploadUrl } from './sources/sources.ts';

/** Milliseconds between attempts of a delivery: short, because a user waits and the next apply tries again. */
const RETRY_DELAYS_MS = [2_000, 10_000, 30_000];

export interface EmbeddedServicePorts {
  readonly templates: TemplateRegistry;
  readonly sources: SourceReader;
  readonly renderer: Renderer;
  readonly outputs: OutputStore & FinishedFiles;
  readonly destinations: Destinations;
  readonly environment: SessionEnvironment & {
    /** Rejects when the signal is aborted. */
    wait(milliseconds: number, signal: AbortSignal): Promise<void>;
    /** 0..1 */
    random(): number;
  };
  readonly uploads: SourceUploadStore;
}

export type EmbeddedService = EmbeddedRenderService &
  Required<Pick<EmbeddedRenderService, 'deliverVideo'>> & {
    /** Stops running renders and waits for running deliveries. */
    close(): Promise<void>;
  };

/** The only tenant: the user of the command. */
const SELF = 'embedded' as TenantId;

/**
 * Creates the rendering service of this process: the sessions of `reelform serve` without HTTP, database and queue.
 * Nothing outlives the process, so idempotency keys are not needed.
 */
export function createEmbeddedService(ports: EmbeddedServicePorts): EmbeddedService {
  const { environment } = ports;
  const stopped = new AbortController();
  /** Running renders by session id. */
  const running = new Map<string, Promise<void>>();
  const progress = new Map<string, EmbeddedOptions['onProgress']>();
  const shared = {
    ...ports,
    bindScene: async (input: BindInput) => bindHere(input),
    pace: new RenderTimeEstimate(),
    retentionMs: null,
  };
  const enqueue = (id: string): void => {
    const work = runner.run(id, stopped.signal).catch((error: unknown) => runner.fail(id, closed(error)));
    running.set(id, work);
    void work.finally(() => running.delete(id));
  };
  const store = createMemoryStore(enqueue, {
    now: () => environment.now(),
    onUpload: (job, delayMs) => deliveries.plan(job, delayMs),
    onRecord: ({ id, render_progress, render_segments }) => progress.get(id)?.(render_progress, render_segments),
  });
  const runner = new SessionRunner({ ...shared, store, progressIntervalMs: 0 });
  const uploadRunner = new DeliveryRunner({
    store,
    files: ports.outputs,
    destinations: ports.destinations,
    monotonicNow: () => environment.monotonicNow(),
    random: () => environment.random(),
    retryDelaysMs: RETRY_DELAYS_MS,
  });
  const deliveries = createEmbeddedDeliveries(uploadRunner, (ms, signal) => environment.wait(ms, signal));
  const sessions = new Sessions({ ...shared, store, stop: (id) => runner.stop(id) });

  const deliverVideo = async (
    video: FinishedVideo,
    asked: readonly ExternalUploadRequest[],
  ): Promise<readonly ExternalUpload[]> => {
    const { id } = await sessions.adopt(SELF, video, asked);
    await deliveries.idle(id);
    const { external_uploads = [] } = await sessions.get(SELF, id);
    await sessions.remove(SELF, id);
    return external_uploads;
  };

  return {
    name: 'embedded',
    outlivesProcess: false,
    keyLifetimeMs: () => null,
    getStyleVersion: (id) => sessions.styleVersion(SELF, id),
    async render(request, { outputName, signal, onProgress }) {
      const { id, render_progress } = (await sessions.create(SELF, request, { outputName })).session;
      progress.set(id, onProgress);
      onProgress(render_progress);
      try {
        await abortable(running.get(id) ?? Promise.resolve(), signal);
        return await sessions.get(SELF, id);
      } finally {
        progress.delete(id);
      }
    },
    async waitForUploads(id) {
      await deliveries.idle(id);
      return sessions.get(SELF, id);
    },
    getRenderSession: async (id) => ({ session: await sessions.get(SELF, id), retryAfterMs: null }),
    async uploadSource({ bytes, sha256 }) {
      return { remote_url: uploadUrl(await ports.uploads.put(bytes, sha256)) };
    },
    deliverVideo,
    async close() {
      stopped.abort();
      await Promise.all(running.values());
      await deliveries.close();
    },
  };
}

function closed(error: unknown): Parameters<SessionRunner['fail']>[1] {
  const detail = error instanceof Error ? error.message : String(error);
  return { code: 'canceled', title: 'The service was closed', detail, severity: 'error', retryable: true };
}

/** Concurrent deliveries. */
const PLACES = 4;
const CLOSED = 'The service was closed before the delivery';

interface EmbeddedDeliveries {
  /** Runs the job after the delay. */
  plan(job: DeliveryJob, delayMs: number): void;
  /** Resolves when a session, or all sessions, have no planned or running deliveries. */
  idle(session?: string): Promise<void>;
  /** Waits for running attempts and fails planned ones. */
  close(): Promise<void>;
}

/**
 * Runs deliveries in this process, without the queue of `reelform serve`.
 *
 * @param wait rejects when the signal is aborted
 */
function createEmbeddedDeliveries(
  runner: Pick<DeliveryRunner, 'run' | 'fail'>,
  wait: (milliseconds: number, signal: AbortSignal) => Promise<void>,
): EmbeddedDeliveries {
  const closing = new AbortController();
  const goesOn = new AbortController().signal;
  const atWork = new Map<Promise<void>, string>();
  const limit = pLimit(PLACES);

  const deliver = async (job: DeliveryJob, delayMs: number): Promise<void> => {
    try {
      if (delayMs > 0) await wait(delayMs, closing.signal);
      await limit(async () => {
        closing.signal.throwIfAborted();
        await runner.run(job, goesOn);
      });
    } catch (error) {
      await runner.fail(job, closing.signal.aborted ? CLOSED : nameOf(error));
    }
  };
  const idle = async (session?: string): Promise<void> => {
    for (;;) {
      const works = [...atWork].filter(([, of]) => session === undefined || of === session).map(([work]) => work);
      if (works.length === 0) return;
      // A finished attempt may have planned another.
      await Promise.all(works);
    }
  };

  return {
    plan(job, delayMs) {
      const work = deliver(job, delayMs).finally(() => atWork.delete(work));
      atWork.set(work, job.session);
    },
    idle,
    close() {
      closing.abort();
      return idle();
    },
  };
}

function nameOf(error: unknown): string {
  return `Internal error: ${error instanceof Error ? error.name : 'unknown'}`;
}
