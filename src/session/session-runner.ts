import { setMaxListeners } from 'node:events';
import type { Sha256 } from '../digest.ts';
import { isOutage } from '../service/service-error.ts';
import type { SessionPhase } from '../wire/render-session.ts';
import { AttemptRecord, recordRendered } from './attempt-record.ts';
import type { BindScene, BoundScene } from './bind-scene.ts';
import {
  type OutputStore,
  type Renderer,
  type SessionEnvironment,
  SessionFailure,
  type SessionProblem,
  type SessionStore,
  type SourceReader,
  type SplitRenders,
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
import { renderingDigest, sceneDigest } from './scene-digest.ts';
import { sessionProblems } from './session-problems.ts';
import { SharedRenders } from './single-flight.ts';
import { readSources } from './sources/read-sources.ts';

export interface SessionRunnerPorts {
  readonly templates: TemplateRegistry;
  readonly sources: SourceReader;
  readonly bindScene: BindScene;
  readonly renderer: Renderer;
  readonly outputs: OutputStore;
  readonly store: SessionStore;
  readonly environment: SessionEnvironment;
  readonly pace: RenderTimeEstimate;
  /** Where a service has none, every video is rendered in one piece. */
  readonly splits?: SplitRenders;
  /** Tenants of one scope share renderings; where a service has none, all tenants share them. */
  scopeOf?(tenant: TenantId): string;
  /** How long an ended session is kept; null for good. */
  readonly retentionMs: number | null;
  /** Milliseconds between two writes of progress, at least. */
  readonly progressIntervalMs: number;
  /** For logs, metrics and traces. */
  onEvent?(event: RunnerEvent): void;
}

/** What happens to a session at work. */
export type RunnerEvent =
  | { readonly kind: 'session-begun'; readonly id: string; readonly tenant: TenantId; readonly attempt: number }
  /** A scene was rendered to its end and is kept: nobody renders it again. */
  | { readonly kind: 'scene-rendered'; readonly id: string; readonly scene: Sha256; readonly elapsedMs: number }
  | {
      readonly kind: 'session-ended';
      readonly id: string;
      readonly tenant: TenantId;
      readonly status: string;
      /** Codes of its errors. */
      readonly codes: readonly string[];
      readonly elapsedMs: number;
    };

/** Waits for the capacity to render; work before that takes none. @throws the signal's reason */
export type TakeSlot = (signal: AbortSignal) => Promise<void>;

/** One session at work. */
interface Work {
  readonly stored: StoredSession;
  readonly record: AttemptRecord;
  readonly signal: AbortSignal;
  readonly takeSlot: TakeSlot;
}

/** Why the work on a session stops that nobody wants any more. */
const UNWANTED = new Error('The session was canceled, removed or taken over');

/**
 * Renders sessions that are queued. One that is taken up always ends, rendered or failed, unless this process is
 * stopped: then it stays as it is, for whoever takes it up next. What fails in one stays in it.
 */
export class SessionRunner {
  readonly #ports: SessionRunnerPorts;
  readonly #atWork = new Map<string, AbortController>();
  readonly #renders = new SharedRenders();

  constructor(ports: SessionRunnerPorts) {
    this.#ports = ports;
  }

  /**
   * Takes a session up; resolves when it has ended, or was none of ours to end.
   *
   * @param takeSlot called once its sources are there, unless its video is there already
   * @throws the signal's reason when this process is to stop; whatever the store threw; an outage (`isOutage`) of what
   * keeps templates, sources or outputs
   */
  async run(id: string, signal: AbortSignal, takeSlot: TakeSlot = async () => undefined): Promise<void> {
    signal.throwIfAborted();
    const stored = await this.#ports.store.begin(id);
    if (stored === null) return;
    const unwanted = new AbortController();
    this.#atWork.set(id, unwanted);
    const either = AbortSignal.any([signal, unwanted.signal]);
    // Every fetch and every render listens; that is no leak.
    setMaxListeners(0, either);
    const record = this.#record(stored, () => unwanted.abort(UNWANTED));
    const begunAt = this.#ports.environment.monotonicNow();
    this.#ports.onEvent?.({ kind: 'session-begun', id, tenant: stored.tenant, attempt: stored.attempt });
    let isOurs = true;
    try {
      isOurs = await this.#render({ stored, record, signal: either, takeSlot });
    } catch (error) {
      signal.throwIfAborted();
      if (unwanted.signal.aborted) return;
      // The session stays as it is, for whoever takes it up when the part that is away is back.
      if (isOutage(error)) throw error;
      await record.write(
        failedSession(record.session, sessionProblems(error, stored.session.mapping), this.#endTimes()),
      );
    } finally {
      if (this.#atWork.get(id) === unwanted) this.#atWork.delete(id);
      if (isOurs) this.#told(stored, record, begunAt);
    }
  }

  /** Ends the work on a session that was canceled or removed. */
  stop(id: string): void {
    this.#atWork.get(id)?.abort(UNWANTED);
  }

  /** Ends a session that no worker could bring to an end. */
  async fail(id: string, problem: SessionProblem): Promise<void> {
    const stored = await this.#ports.store.begin(id);
    if (stored === null) return;
    await this.#record(stored, () => undefined).write(failedSession(stored.session, [problem], this.#endTimes()));
  }

  /** @returns false when others bring the session to its end */
  async #render(work: Work): Promise<boolean> {
    const { stored, record, signal, takeSlot } = work;
    const { templates, sources: reader, environment, pace, outputs } = this.#ports;
    const { session } = stored;
    const begunAtMs = environment.now();
    const begunAt = environment.monotonicNow();
    this.#enter(record, 'fetching');
    const template = await templates.find(stored.tenant, session.mapping.template_style_version_id);
    if (template === null) throw templateGone(session.mapping.template_style_version_id);
    const sources = await readSources(stored, template, reader, signal);
    signal.throwIfAborted();
    const sourced = sourcedSession(record.session, sources.told, environment.now());
    if (sources.failures.length > 0) {
      record.step(sourced);
      throw new AggregateError(sources.failures);
    }
    const inputs = { ...session.mapping, output: session.output };
    const fingerprint = sceneDigest(template, inputs, sources.digests);
    const request = { ...inputs, fingerprint };
    const bound = { template, request, fetched: sources.bytes };
    const scene = await this.#ports.bindScene(bound, { owner: stored.tenant, signal });
    signal.throwIfAborted();
    const digest = renderingDigest(fingerprint, this.#ports.scopeOf?.(stored.tenant) ?? '');
    // Told before it is looked for: what a session at work refers to is not swept away.
    await record.write(sourced, digest);
    signal.throwIfAborted();
    let known = await outputs.find(digest, stored.outputName);
    if (known === null) {
      await takeSlot(signal);
      // Another session may have rendered it meanwhile.
      known = await outputs.find(digest, stored.outputName);
      signal.throwIfAborted();
    }
    const queuedAtMs = Date.parse(stored.attempt === 1 ? session.updated_at : session.created_at);
    const times = { queuedAtMs, begunAtMs };
    if (known === null && (await this.#handOver(work, { scene, digest }, times))) return false;
    const output = known ?? (await this.#renderScene(work, scene, digest));
    signal.throwIfAborted();
    const elapsedMs = environment.monotonicNow() - begunAt;
    const usage = await recordRendered({ record, scene, digest, output, elapsedMs, ...times }, this.#endTimes());
    if (known === null) pace.learn(renderWorkload(scene), usage.render_seconds);
    return true;
  }

  /** Whether others render it from here on, in parts. */
  async #handOver(
    { stored, record, signal }: Work,
    { scene, digest }: { readonly scene: BoundScene; readonly digest: Sha256 },
    times: { readonly queuedAtMs: number; readonly begunAtMs: number },
  ): Promise<boolean> {
    const { splits, environment } = this.#ports;
    if (splits === undefined || this.#renders.has(digest)) return false;
    // All of it written: nothing of this may come after what they write.
    await record.write(phasedSession(record.session, 'rendering', environment.now()));
    signal.throwIfAborted();
    return splits.take({ stored: { ...stored, scene: digest }, scene, ...times });
  }

  /** Renders and keeps a scene, or shares in the render of another session that has the same. */
  async #renderScene({ stored, record, signal }: Work, scene: BoundScene, digest: Sha256): Promise<StoredOutput> {
    const { renderer, outputs, environment } = this.#ports;
    const name = stored.outputName;
    this.#enter(record, 'rendering');
    const onProgress = (done: number, count: number): void =>
      record.progress(progressedSession(record.session, done / count, environment.now()));
    let saved: StoredOutput | null = null;
    const rendering = await this.#renders.render(digest, { signal, onProgress }, async (options) => {
      const begunAt = environment.monotonicNow();
      const made = await renderer.render(scene, { ...options, owner: stored.tenant });
      const elapsedMs = environment.monotonicNow() - begunAt;
      options.signal.throwIfAborted();
      this.#enter(record, 'uploading');
      saved = await outputs.save(digest, name, made);
      this.#ports.onEvent?.({ kind: 'scene-rendered', id: stored.session.id, scene: digest, elapsedMs });
      return made;
    });
    const output = saved ?? (await outputs.find(digest, name)) ?? (await outputs.save(digest, name, rendering));
    return rendering.findings === undefined ? output : { ...output, findings: rendering.findings };
  }

  #told({ tenant }: StoredSession, { session }: AttemptRecord, begunAt: number): void {
    const { id, status, errors } = session;
    const codes = errors.map(({ code }) => code);
    const elapsedMs = this.#ports.environment.monotonicNow() - begunAt;
    this.#ports.onEvent?.({ kind: 'session-ended', id, tenant, status, codes, elapsedMs });
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

function templateGone(id: string): SessionFailure {
  const title = `There is no template style version ${id} any more`;
  return new SessionFailure({ code: 'template_invalid', title });
}
