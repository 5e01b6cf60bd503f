import { setMaxListeners } from 'node:events';
import { isOutage } from '../../contract/service-error.ts';
import type { RenderSession, SessionPhase } from '../../contract/wire/render-session.ts';
import { scenesOf } from '../../contract/wire/scene-request.ts';
import type { Sha256 } from '../../kernel/digest.ts';
import { AttemptRecord } from './attempt-record.ts';
import type { BindTemplate, SessionTemplate } from './bind-template.ts';
import {
  type OutputStore,
  type Renderer,
  type SessionEnvironment,
  SessionFailure,
  type SessionProblem,
  type SessionStore,
  type SourceReader,
  type StoredSession,
  type TemplateRegistry,
  type TenantId,
} from './ports.ts';
import { type BoundRequest, type RenderRequest, renderRequest } from './render-request.ts';
import {
  failedSession,
  finishedSession,
  phasedSession,
  progressedSession,
  requestedFiles,
  type SessionEndTimes,
  sourcedSession,
} from './render-session.ts';
import { type RenderTimeEstimate, renderWorkload } from './render-time.ts';
import type { DistributedRenders } from './segments/distributed-renders.ts';
import { sessionProblems } from './session-problems.ts';
import { styleVersionsOf } from './session-scenes.ts';
import { SharedRenders } from './single-flight.ts';

export interface SessionRunnerPorts {
  readonly templates: TemplateRegistry;
  readonly sources: SourceReader;
  readonly bindTemplate: BindTemplate;
  readonly renderer: Renderer;
  readonly outputs: Pick<OutputStore, 'find' | 'save'>;
  readonly store: SessionStore;
  readonly environment: SessionEnvironment;
  readonly pace: RenderTimeEstimate;
  /** Absent: every video is rendered in one piece. */
  readonly distributed?: DistributedRenders;
  /** Tenants of one scope share renderings. Absent: all tenants do. */
  scopeOf?(tenant: TenantId): string;
  /** Milliseconds that an ended session is kept; null keeps it indefinitely. */
  readonly retentionMs: number | null;
  /** Minimum milliseconds between two writes of progress. */
  readonly progressIntervalMs: number;
  /** For logs, metrics and traces. */
  onEvent?(event: RunnerEvent): void;
}

/** Events of running sessions. */
export type RunnerEvent =
  | { readonly kind: 'session-begun'; readonly id: string; readonly tenant: TenantId; readonly attempt: number }
  /** An input was rendered and stored; it will not be rendered again. */
  | { readonly kind: 'input-rendered'; readonly id: string; readonly inputDigest: Sha256; readonly elapsedMs: number }
  | {
      readonly kind: 'session-ended';
      readonly id: string;
      readonly tenant: TenantId;
      readonly status: string;
      readonly codes: readonly string[];
      readonly elapsedMs: number;
    };

/** The job that renders a session. */
export interface RenderJob {
  /** Waits for a render slot. Preparation before it takes none. @throws the signal's reason */
  takeSlot(signal: AbortSignal): Promise<void>;
  /** Called when part of the result is stored, so that the next attempt continues from there. */
  onStored(): void;
}

/** A job that has its slot and keeps no record of its progress. */
export const PLAIN_JOB: RenderJob = {
  takeSlot: async () => undefined,
  onStored: () => undefined,
};

interface Work {
  readonly stored: StoredSession;
  readonly record: AttemptRecord;
  readonly signal: AbortSignal;
  readonly job: RenderJob;
}

/** Abort reason of a session that is no longer this worker's. */
const OBSOLETE = new Error('The session was canceled, removed or claimed by another worker');

/**
 * Renders queued sessions. A started session always ends, rendered or failed, unless this process stops: then another
 * worker resumes it. A failure affects one session only.
 */
export class SessionRunner {
  readonly #ports: SessionRunnerPorts;
  readonly #running = new Map<string, AbortController>();
  readonly #renders = new SharedRenders();

  constructor(ports: SessionRunnerPorts) {
    this.#ports = ports;
  }

  /**
   * Renders a session; resolves when it has ended or no longer belongs to this worker.
   *
   * @param job its `takeSlot` is called once the sources are fetched, unless the video already exists
   * @throws the signal's reason when this process stops; errors of the store; an outage (`isOutage`) of templates,
   * sources or outputs
   */
  async run(id: string, signal: AbortSignal, job: RenderJob = PLAIN_JOB): Promise<void> {
    signal.throwIfAborted();
    const stored = await this.#ports.store.begin(id);
    if (stored === null) return;
    const obsolete = new AbortController();
    this.#running.set(id, obsolete);
    const stop = AbortSignal.any([signal, obsolete.signal]);
    // Every fetch and render adds a listener; this is not a leak.
    setMaxListeners(0, stop);
    const record = this.#record(stored, () => obsolete.abort(OBSOLETE));
    const begunAt = this.#ports.environment.monotonicNow();
    this.#ports.onEvent?.({ kind: 'session-begun', id, tenant: stored.tenant, attempt: stored.attempt });
    let endsHere = true;
    try {
      endsHere = await this.#render({ stored, record, signal: stop, job });
    } catch (error) {
      signal.throwIfAborted();
      if (obsolete.signal.aborted) return;
      // The job is retried when the component is back.
      if (isOutage(error)) throw error;
      await record.write(
        failedSession(record.session, sessionProblems(error, scenesOf(stored.session)), this.#endTimes()),
      );
    } finally {
      if (this.#running.get(id) === obsolete) this.#running.delete(id);
      const elapsedMs = this.#ports.environment.monotonicNow() - begunAt;
      if (endsHere) this.#ports.onEvent?.(sessionEnded(stored.tenant, record.session, elapsedMs));
    }
  }

  /** Stops a session that was canceled or removed. */
  stop(id: string): void {
    this.#running.get(id)?.abort(OBSOLETE);
  }

  /** Fails a session that no worker could finish. */
  async fail(id: string, problem: SessionProblem): Promise<void> {
    const stored = await this.#ports.store.begin(id);
    if (stored === null) return;
    await this.#record(stored, () => undefined).write(failedSession(stored.session, [problem], this.#endTimes()));
  }

  /** @returns false if other jobs finish the session */
  async #render(work: Work): Promise<boolean> {
    const { stored, record, signal, job } = work;
    const { environment, pace } = this.#ports;
    const { session } = stored;
    const begunAtMs = environment.now();
    const begunAt = environment.monotonicNow();
    const queuedAtMs = Date.parse(stored.attempt === 1 ? session.updated_at : session.created_at);
    const times = { queuedAtMs, begunAtMs };
    this.#enter(record, 'fetching');
    const request = await this.#request(stored);
    const phaseAt = { rendering: begunAt, uploading: begunAt };
    const ports = { ...this.#ports, renders: this.#renders };
    const finished = await renderRequest(request, stored.outputName, ports, {
      signal,
      onSources: (sources) => record.keep(sourcedSession(record.session, sources, environment.now())),
      onBound: ({ digest }) => record.write(record.session, digest),
      takeSlot: () => job.takeSlot(signal),
      handOver: (bound) => this.#handOver(work, bound, times),
      onPhase: (phase) => {
        phaseAt[phase] = environment.monotonicNow();
        this.#enter(record, phase);
      },
      onProgress: (done, count, segments) =>
        record.progress(progressedSession(record.session, done / count, environment.now(), segments)),
      onStored: () => job.onStored(),
      onRendered: (inputDigest) => {
        const elapsedMs = phaseAt.uploading - phaseAt.rendering;
        this.#ports.onEvent?.({ kind: 'input-rendered', id: session.id, inputDigest, elapsedMs });
      },
    });
    if (finished === null) return false;
    const { bound, files, isAllNew } = finished;
    const elapsedMs = environment.monotonicNow() - begunAt;
    const ended = finishedSession(record.session, { ...bound, ...times, files, elapsedMs }, this.#endTimes());
    await record.write(ended, bound.digest);
    if (isAllNew && bound.others.length === 0)
      pace.learn(renderWorkload(bound.renderInput), ended.usage.render_seconds);
    return true;
  }

  async #request({ tenant, session }: StoredSession): Promise<RenderRequest> {
    const files = requestedFiles(session);
    const templates = new Map<string, SessionTemplate>();
    for (const version of styleVersionsOf(files.video)) {
      const template = await this.#ports.templates.find(tenant, version);
      if (template === null) {
        const title = `The template style version ${version} no longer exists`;
        throw new SessionFailure({ code: 'template_invalid', title });
      }
      templates.set(version, template);
    }
    return { tenant, templates, ...files, scope: this.#ports.scopeOf?.(tenant) };
  }

  /** Tries to distribute the render. @returns whether other jobs finish the session */
  async #handOver(
    { stored, record, signal }: Work,
    { renderInput, others, digest }: BoundRequest,
    times: { readonly queuedAtMs: number; readonly begunAtMs: number },
  ): Promise<boolean> {
    const { distributed, environment } = this.#ports;
    if (distributed === undefined || this.#renders.has(digest)) return false;
    // Flushes all writes: none may follow those of the other jobs.
    await record.write(phasedSession(record.session, 'rendering', environment.now()));
    signal.throwIfAborted();
    return distributed.take({ stored: { ...stored, inputDigest: digest }, renderInput, others, ...times });
  }

  #enter(record: AttemptRecord, phase: SessionPhase): void {
    record.step(phasedSession(record.session, phase, this.#ports.environment.now()));
  }

  #record(stored: StoredSession, onLost: () => void): AttemptRecord {
    const { store, environment, progressIntervalMs: intervalMs } = this.#ports;
    return new AttemptRecord(stored, { store, now: () => environment.monotonicNow(), intervalMs, onLost });
  }

  #endTimes(): SessionEndTimes {
    return { nowMs: this.#ports.environment.now(), retentionMs: this.#ports.retentionMs };
  }
}

/** Describes the end of a session for logs, metrics and traces. */
export function sessionEnded(tenant: TenantId, session: RenderSession, elapsedMs: number): RunnerEvent {
  const { id, status, errors } = session;
  return { kind: 'session-ended', id, tenant, status, codes: errors.map(({ code }) => code), elapsedMs };
}
