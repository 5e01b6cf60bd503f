import { setMaxListeners } from 'node:events';
import { isOutage } from '../../contract/service-error.ts';
import type { RenderSession, SessionPhase } from '../../contract/wire/render-session.ts';
import type { Sha256 } from '../../kernel/digest.ts';
import { AttemptRecord, recordRendered } from './attempt-record.ts';
import type { BindTemplate, BoundInput } from './bind-template.ts';
import { renderingDigest, videoFiles } from './input-digest.ts';
import {
  type NamedFile,
  type OutputStore,
  type Renderer,
  type RenderOptions,
  type SessionEnvironment,
  SessionFailure,
  type SessionProblem,
  type SessionStore,
  type SourceReader,
  type StoredOutput,
  type StoredSession,
  type TemplateRegistry,
  type TenantId,
} from './ports.ts';
import {
  failedSession,
  phasedSession,
  progressedSession,
  type SessionEndTimes,
  sourcedSession,
} from './render-session.ts';
import { type RenderTimeEstimate, renderWorkload } from './render-time.ts';
import type { DistributedRenders } from './segments/distributed-renders.ts';
import { sessionProblems } from './session-problems.ts';
import { SharedRenders } from './single-flight.ts';
import { readSources } from './sources/read-sources.ts';

export interface SessionRunnerPorts {
  readonly templates: TemplateRegistry;
  readonly sources: SourceReader;
  readonly bindTemplate: BindTemplate;
  readonly renderer: Renderer;
  readonly outputs: OutputStore;
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

interface RenderedInput {
  readonly renderInput: BoundInput;
  readonly others: readonly NamedFile[];
  readonly digest: Sha256;
  /** Called when segments of earlier renders are reused. */
  onReused(): void;
}

/** Abort reason of a session that is no longer this worker's. */
const UNWANTED = new Error('The session was canceled, removed or claimed by another worker');

/**
 * Renders queued sessions. A started session always ends, rendered or failed, unless this process stops: then another
 * worker resumes it. A failure affects one session only.
 */
export class SessionRunner {
  readonly #ports: SessionRunnerPorts;
  readonly #atWork = new Map<string, AbortController>();
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
    const unwanted = new AbortController();
    this.#atWork.set(id, unwanted);
    const either = AbortSignal.any([signal, unwanted.signal]);
    // Every fetch and render adds a listener; this is not a leak.
    setMaxListeners(0, either);
    const record = this.#record(stored, () => unwanted.abort(UNWANTED));
    const begunAt = this.#ports.environment.monotonicNow();
    this.#ports.onEvent?.({ kind: 'session-begun', id, tenant: stored.tenant, attempt: stored.attempt });
    let isOurs = true;
    try {
      isOurs = await this.#render({ stored, record, signal: either, job });
    } catch (error) {
      signal.throwIfAborted();
      if (unwanted.signal.aborted) return;
      // The job is retried when the component is back.
      if (isOutage(error)) throw error;
      await record.write(
        failedSession(record.session, sessionProblems(error, stored.session.mapping), this.#endTimes()),
      );
    } finally {
      if (this.#atWork.get(id) === unwanted) this.#atWork.delete(id);
      const elapsedMs = this.#ports.environment.monotonicNow() - begunAt;
      if (isOurs) this.#ports.onEvent?.(sessionEnded(stored.tenant, record.session, elapsedMs));
    }
  }

  /** Stops a session that was canceled or removed. */
  stop(id: string): void {
    this.#atWork.get(id)?.abort(UNWANTED);
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
    const { templates, sources: reader, environment, pace, outputs } = this.#ports;
    const { session } = stored;
    const begunAtMs = environment.now();
    const begunAt = environment.monotonicNow();
    this.#enter(record, 'fetching');
    const version = session.mapping.template_style_version_id;
    const template = await templates.find(stored.tenant, version);
    if (template === null) {
      const title = `The template style version ${version} no longer exists`;
      throw new SessionFailure({ code: 'template_invalid', title });
    }
    const sources = await readSources(stored, template, reader, signal);
    signal.throwIfAborted();
    const sourced = sourcedSession(record.session, sources.told, environment.now());
    if (sources.failures.length > 0) {
      record.step(sourced);
      throw new AggregateError(sources.failures);
    }
    const inputs = { ...session.mapping, output: session.output };
    const further = (session.outputs ?? []).slice(1).map(({ video_url: _, ...output }) => output);
    const { fingerprint, others, digest: files } = videoFiles(template, inputs, further, sources.digests);
    const bound = { template, request: { ...inputs, fingerprint }, fetched: sources.bytes };
    const renderInput = await this.#ports.bindTemplate(bound, { owner: stored.tenant, signal });
    signal.throwIfAborted();
    const digest = renderingDigest(files, this.#ports.scopeOf?.(stored.tenant) ?? '');
    // Recorded before the lookup, so that the sweeper keeps files of running sessions.
    await record.write(sourced, digest);
    signal.throwIfAborted();
    let known = await outputs.find(digest, stored.outputName);
    if (known === null) {
      await job.takeSlot(signal);
      // Another session may have rendered the input meanwhile.
      known = await outputs.find(digest, stored.outputName);
      signal.throwIfAborted();
    }
    const queuedAtMs = Date.parse(stored.attempt === 1 ? session.updated_at : session.created_at);
    const times = { queuedAtMs, begunAtMs };
    if (known === null && (await this.#handOver(work, { renderInput, others, digest }, times))) return false;
    let hasReused = false;
    const onReused = (): void => {
      hasReused = true;
    };
    const output = known ?? (await this.#renderFile(work, { renderInput, others, digest, onReused }));
    signal.throwIfAborted();
    const elapsedMs = environment.monotonicNow() - begunAt;
    const usage = await recordRendered({ record, renderInput, digest, output, elapsedMs, ...times }, this.#endTimes());
    if (known === null && !hasReused && others.length === 0)
      pace.learn(renderWorkload(renderInput), usage.render_seconds);
    return true;
  }

  /** Tries to distribute the render. @returns whether other jobs finish the session */
  async #handOver(
    { stored, record, signal }: Work,
    { renderInput, others, digest }: Omit<RenderedInput, 'onReused'>,
    times: { readonly queuedAtMs: number; readonly begunAtMs: number },
  ): Promise<boolean> {
    const { distributed: splits, environment } = this.#ports;
    if (splits === undefined || this.#renders.has(digest)) return false;
    // Flushes all writes: none may follow those of the other jobs.
    await record.write(phasedSession(record.session, 'rendering', environment.now()));
    signal.throwIfAborted();
    return splits.take({ stored: { ...stored, inputDigest: digest }, renderInput, others, ...times });
  }

  /** Renders and stores an input, or joins a running render of the same input. */
  async #renderFile(
    { stored, record, signal, job }: Work,
    { renderInput, others, digest, onReused }: RenderedInput,
  ): Promise<StoredOutput> {
    const { renderer, outputs, environment } = this.#ports;
    const name = stored.outputName;
    this.#enter(record, 'rendering');
    const onProgress: RenderOptions['onProgress'] = (done, count, segments) => {
      if (segments !== undefined && segments.reused > 0) onReused();
      record.progress(progressedSession(record.session, done / count, environment.now(), segments));
    };
    let saved: StoredOutput | null = null;
    const onStored = (): void => job.onStored();
    const rendering = await this.#renders.render(digest, { signal, onProgress, onStored }, async (options) => {
      const begunAt = environment.monotonicNow();
      const made = await renderer.render(renderInput, {
        ...options,
        owner: stored.tenant,
        ...(others.length === 0 ? {} : { others }),
      });
      const elapsedMs = environment.monotonicNow() - begunAt;
      options.signal.throwIfAborted();
      this.#enter(record, 'uploading');
      saved = await outputs.save(digest, name, made);
      this.#ports.onEvent?.({ kind: 'input-rendered', id: stored.session.id, inputDigest: digest, elapsedMs });
      return made;
    });
    const output = saved ?? (await outputs.find(digest, name)) ?? (await outputs.save(digest, name, rendering));
    return rendering.findings === undefined ? output : { ...output, findings: rendering.findings };
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
