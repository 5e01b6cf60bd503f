import pLimit from 'p-limit';
import {
  type EmbeddedOptions,
  type EmbeddedRenderService,
  type FinishedVideo,
  uploadEnded,
} from '../../contract/render-service.ts';
import { serviceError } from '../../contract/service-error.ts';
import type { ExternalUpload, ExternalUploadRequest, RenderSession } from '../../contract/wire/render-session.ts';
import { abortable } from '../../kernel/abortable.ts';
import { type BindInput, bindHere } from './bind-template.ts';
import {
  type DeliveryJob,
  DeliveryRunner,
  type DeliveryStore,
  type FinishedFiles,
  type StartedDelivery,
} from './delivery-runner.ts';
import {
  type OutputStore,
  type SessionEnvironment,
  type SessionProblem,
  type SessionStore,
  type StoredSession,
  sessionProblem,
  type TenantId,
} from './ports.ts';
import { RenderTimeEstimate } from './render-time.ts';
import { type Destinations, withDelivery, withoutVideo } from './session-deliveries.ts';
import { SessionRunner, type SessionRunnerPorts } from './session-runner.ts';
import { Sessions } from './sessions.ts';
import type { SourceUploadStore } from './sources/source-store.ts';
import { uploadUrl } from './sources/sources.ts';

/** Milliseconds between attempts of a delivery: short, because a user waits and the next apply tries again. */
const RETRY_DELAYS_MS = [2_000, 10_000, 30_000];

interface EmbeddedServicePorts extends Pick<SessionRunnerPorts, 'templates' | 'sources' | 'renderer'> {
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

type EmbeddedService = EmbeddedRenderService &
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
    bindTemplate: async (input: BindInput) => bindHere(input),
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

function closed(error: unknown): SessionProblem {
  const detail = error instanceof Error ? error.message : String(error);
  return sessionProblem({ code: 'canceled', title: 'The service was closed', detail, retryable: true });
}

/** Concurrent deliveries. */
const PLACES = 4;
const CLOSED = 'The service was closed before the delivery';

/**
 * Runs deliveries in this process, without the queue of `reelform serve`.
 *
 * @param wait rejects when the signal is aborted
 */
function createEmbeddedDeliveries(
  runner: Pick<DeliveryRunner, 'run' | 'fail'>,
  wait: (milliseconds: number, signal: AbortSignal) => Promise<void>,
) {
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
  /** Resolves when a session, or all sessions, have no planned or running deliveries. */
  const idle = async (session?: string): Promise<void> => {
    for (;;) {
      const works = [...atWork].filter(([, of]) => session === undefined || of === session).map(([work]) => work);
      if (works.length === 0) return;
      // A finished attempt may have planned another.
      await Promise.all(works);
    }
  };

  return {
    /** Runs the job after the delay. */
    plan(job: DeliveryJob, delayMs: number): void {
      const work = deliver(job, delayMs).finally(() => atWork.delete(work));
      atWork.set(work, job.session);
    },
    idle,
    /** Waits for running attempts and fails planned ones. */
    close(): Promise<void> {
      closing.abort();
      return idle();
    },
  };
}

function nameOf(error: unknown): string {
  return `Internal error: ${error instanceof Error ? error.name : 'unknown'}`;
}

interface MemoryStoreOptions {
  /** Called for each delivery that is due after `delayMs`. */
  onUpload?(job: DeliveryJob, delayMs: number): void;
  /** Called when progress or the end of a session is recorded. */
  onRecord?(session: RenderSession): void;
  /** Milliseconds since the epoch. */
  now?(): number;
}

/** Internal state of a delivery, see `StartedDelivery`. */
interface UploadWork {
  readonly round: number;
  readonly attempt: number;
  readonly tries: number;
  readonly state: StartedDelivery['state'];
}

/**
 * Keeps sessions in memory for the lifetime of the process. Idempotency-Keys are not needed and not kept.
 *
 * @param enqueue called for each session to render
 */
export function createMemoryStore(
  enqueue: (id: string) => void,
  { onUpload, onRecord, now = () => 0 }: MemoryStoreOptions = {},
): SessionStore & DeliveryStore {
  const kept = new Map<string, StoredSession>();
  const works = new Map<string, UploadWork>();

  const own = (tenant: TenantId, id: string): StoredSession | null => {
    const stored = kept.get(id);
    return stored?.tenant === tenant ? stored : null;
  };
  const plan = (session: string, position: number, work: Partial<UploadWork>, delayMs: number): void => {
    const key = keyOf(session, position);
    const before = works.get(key) ?? { round: -1, attempt: 0, tries: 0, state: null };
    const planned = { ...before, ...work, round: before.round + 1 };
    works.set(key, planned);
    onUpload?.({ session, position, round: planned.round }, delayMs);
  };
  /** Stores a session and plans its new pending deliveries. */
  const keep = (stored: StoredSession, before: readonly ExternalUpload[]): void => {
    kept.set(stored.session.id, stored);
    if (stored.session.status !== 'preview_rendered') return;
    for (const [position, upload] of (stored.session.external_uploads ?? []).entries()) {
      if (upload.status === 'pending' && upload !== before[position])
        plan(stored.session.id, position, { tries: 0, state: null }, 0);
    }
  };
  /** Returns the session of a delivery if the attempt is the latest. */
  const ours = ({ stored, position, attempt }: StartedDelivery): StoredSession | null => {
    const found = kept.get(stored.session.id);
    return found !== undefined && works.get(keyOf(stored.session.id, position))?.attempt === attempt ? found : null;
  };
  const write = (stored: StoredSession, position: number, change: Partial<ExternalUpload>): StoredSession => {
    const changed = { ...stored, session: withDelivery(stored.session, position, change, now()) };
    kept.set(stored.session.id, changed);
    return changed;
  };

  return {
    async create(stored) {
      keep(stored, []);
      if (stored.session.status === 'preview_rendering') enqueue(stored.session.id);
      return { value: stored.session, isReplay: false };
    },
    async get(tenant, id) {
      return own(tenant, id);
    },
    async list(tenant, { limit, cursor, status, styleVersionId, createdSince, createdBefore, metadata }) {
      const sessions = [...kept.values()].reverse().filter(({ tenant: owner, session }) => {
        if (owner !== tenant || (status !== null && session.status !== status)) return false;
        if (createdSince !== null && session.created_at < createdSince) return false;
        if (createdBefore !== null && session.created_at >= createdBefore) return false;
        if (Object.entries(metadata).some(([key, value]) => session.metadata?.[key] !== value)) return false;
        return styleVersionId === null || session.mapping.template_style_version_id === styleVersionId;
      });
      const from = cursor === null ? 0 : sessions.findIndex(({ session }) => session.id === cursor) + 1;
      if (cursor !== null && from === 0) throw serviceError('bad_request', 'The cursor is not valid');
      const page = sessions.slice(from, from + limit);
      return { sessions: page, nextCursor: from + limit < sessions.length ? page.at(-1)!.session.id : null };
    },
    async change(tenant, id, _claim, change) {
      const stored = own(tenant, id);
      if (stored === null) return null;
      const session = change(stored.session);
      keep({ ...stored, session }, stored.session.external_uploads ?? []);
      if (stored.session.status === 'draft' && session.status === 'preview_rendering') enqueue(id);
      return { value: session, isReplay: false };
    },
    async remove(tenant, id) {
      return own(tenant, id) !== null && kept.delete(id);
    },
    async begin(id) {
      const stored = kept.get(id);
      if (stored === undefined || stored.session.status !== 'preview_rendering') return null;
      const begun = { ...stored, attempt: stored.attempt + 1 };
      kept.set(id, begun);
      return begun;
    },
    async record(id, attempt, session, inputDigest) {
      const stored = kept.get(id);
      if (stored?.attempt !== attempt || stored.session.status !== 'preview_rendering') return false;
      const render_progress = Math.max(stored.session.render_progress, session.render_progress);
      // Deliveries may have been added during rendering.
      const { external_uploads } = stored.session;
      const uploads = external_uploads === undefined ? {} : { external_uploads };
      const recorded = { ...session, render_progress, ...uploads };
      const hasVideo = session.status === 'preview_rendering' || session.status === 'preview_rendered';
      keep(
        {
          ...stored,
          session: hasVideo ? recorded : withoutVideo(recorded),
          inputDigest: inputDigest ?? stored.inputDigest,
        },
        [],
      );
      onRecord?.(recorded);
      return true;
    },
    async beginUpload({ session: id, position, round }) {
      const stored = kept.get(id);
      const work = works.get(keyOf(id, position));
      const upload = stored?.session.external_uploads?.[position];
      if (stored === undefined || upload === undefined || work?.round !== round || uploadEnded(upload)) return null;
      const begun = { ...work, attempt: work.attempt + 1 };
      works.set(keyOf(id, position), begun);
      const written = write(stored, position, { status: 'uploading' });
      return { ...begun, stored: written, position, upload };
    },
    async keepUploadState(begun, state) {
      if (ours(begun) === null) return false;
      const key = keyOf(begun.stored.session.id, begun.position);
      works.set(key, { ...works.get(key)!, state });
      return true;
    },
    async retryUpload(begun, delayMs) {
      const stored = ours(begun);
      if (stored === null) return false;
      write(stored, begun.position, { status: 'pending' });
      plan(stored.session.id, begun.position, { tries: begun.tries + 1 }, delayMs);
      return true;
    },
    async endUpload(begun, end) {
      const stored = ours(begun);
      if (stored === null) return false;
      write(stored, begun.position, end);
      return true;
    },
  };
}

function keyOf(session: string, position: number): string {
  return `${session}/${position}`;
}
