import { setMaxListeners } from 'node:events';
import { fileSha256, type Sha256 } from '../../digest.ts';
import { SceneError } from '../../engine/scene-error.ts';
import { segmentRanges } from '../../engine/segments/segment.ts';
import { isOutage } from '../../service/service-error.ts';
import { AttemptRecord, recordRendered } from '../attempt-record.ts';
import type { BoundScene } from '../bind-scene.ts';
import type {
  OutputStore,
  RenderedVideo,
  RenderOptions,
  SessionEnvironment,
  SessionProblem,
  SessionStore,
  StoredOutput,
} from '../ports.ts';
import { failedSession, phasedSession, type SessionEndTimes } from '../render-session.ts';
import type { RenderTimeEstimate } from '../render-time.ts';
import { sessionProblems } from '../session-problems.ts';
import type { RunnerEvent, TakeSlot } from '../session-runner.ts';
import type { SegmentRenderer } from './segment-renderer.ts';
import {
  type PartEvent,
  type PartFile,
  type PartFiles,
  type PartJob,
  type PartKey,
  packPayload,
  type SegmentSpan,
  type SessionAttempt,
  type Split,
  type SplitStore,
  unpackPayload,
} from './split-ports.ts';

export interface PartRunnerPorts {
  readonly splits: SplitStore;
  readonly files: PartFiles;
  readonly renderer: SegmentRenderer;
  readonly outputs: OutputStore;
  readonly store: SessionStore;
  readonly environment: SessionEnvironment;
  readonly pace: RenderTimeEstimate;
  /** What this process's bytes depend on beside the scene. */
  readonly build: string;
  /** How long an ended session is kept; null for good. */
  readonly retentionMs: number | null;
  /** Those that are rendered whole: `SessionRunner`. */
  readonly whole: {
    run(id: string, signal: AbortSignal, takeSlot?: TakeSlot): Promise<void>;
    fail(id: string, problem: SessionProblem): Promise<void>;
  };
  onEvent?(event: RunnerEvent | PartEvent): void;
}

/** A job at work. */
interface Work {
  readonly split: Split;
  readonly signal: AbortSignal;
  /** The session is not this attempt's any more. */
  readonly onLost: () => void;
}

/** Why the work on a part stops that nobody wants any more. */
const UNWANTED = new Error('The session was canceled, failed, was removed or taken over');

/**
 * Does the jobs of sessions that are rendered in parts. The life of one, each arrow a transaction:
 *
 * ```
 * rs_…  ──SplitStore.begin──►  a row and a job for each part, the session's own job ends
 * rs_…/<attempt>/<part>  ──finish──►  the part is marked; with the last mark comes the job that joins
 * rs_…/<attempt>/join  ──SessionStore.record──►  preview_rendered
 * ```
 *
 * A session is at work as long as it is `preview_rendering` under the attempt that was split: whoever ends it (a part that
 * cannot be rendered, somebody who cancels it) or takes it up anew (its own job, whose end was not heard of) ends all of its
 * parts, which look every second or so. A process may be killed anywhere: what was committed is not done again, a file that
 * was stored before its mark is found by the part's next attempt, and what was joined by the join's. What nobody could
 * remove is the sweeper's.
 */
export class PartRunner {
  readonly #ports: PartRunnerPorts;
  readonly #atWork = new Map<AbortController, string>();

  constructor(ports: PartRunnerPorts) {
    this.#ports = ports;
  }

  /** @throws the signal's reason when this process is to stop; an outage (`isOutage`); whatever the store threw */
  async run(job: PartJob, signal: AbortSignal, takeSlot: TakeSlot = async () => undefined): Promise<void> {
    signal.throwIfAborted();
    const { splits, whole } = this.#ports;
    if (job.kind === 'wait') {
      if ((await splits.wait(job, job.count + 1)) === 'free') await whole.run(job.session, signal, takeSlot);
      return;
    }
    await takeSlot(signal);
    const split = await splits.find(job);
    if (split === null) return this.#clean(job);
    const unwanted = new AbortController();
    this.#atWork.set(unwanted, job.session);
    const either = AbortSignal.any([signal, unwanted.signal]);
    setMaxListeners(0, either);
    const work = { split, signal: either, onLost: () => unwanted.abort(UNWANTED) };
    try {
      if (job.kind === 'part') await this.#part(job, work);
      else await this.#join(job, work);
    } catch (error) {
      signal.throwIfAborted();
      if (unwanted.signal.aborted) return await this.#clean(job);
      if (isOutage(error)) throw error;
      await this.#fail(job, split, sessionProblems(error, split.stored.session.mapping));
    } finally {
      this.#atWork.delete(unwanted);
    }
  }

  /** Ends the work on parts of a session that was canceled or removed. */
  stop(session: string): void {
    for (const [unwanted, id] of this.#atWork) if (id === session) unwanted.abort(UNWANTED);
  }

  /** Ends a session one of whose jobs no worker could bring to an end. */
  async fail(job: PartJob, problem: SessionProblem): Promise<void> {
    if (job.kind === 'wait') return this.#ports.whole.fail(job.session, problem);
    const split = await this.#ports.splits.find(job);
    if (split === null) await this.#clean(job);
    else await this.#fail(job, split, [problem]);
  }

  async #part(job: PartKey, { split, signal, onLost }: Work): Promise<void> {
    const { splits, files } = this.#ports;
    const row = split.parts[job.part];
    if (row === undefined || row.sha256 !== null) return;
    let done = 0;
    const unwatch = splits.watch(job, { part: job.part, framesDone: () => done }, onLost);
    try {
      const there = await files.readPart(job);
      const digest =
        there === null
          ? await this.#render(job, split, { signal, onProgress: (frames) => (done = frames) })
          : await fileSha256(there);
      done = row.frameCount;
      await unwatch();
      signal.throwIfAborted();
      await splits.finish(job, digest);
    } finally {
      await unwatch();
    }
  }

  /** Renders and stores a part. @returns the digest of its file */
  async #render(
    job: PartKey,
    split: Split,
    options: { readonly signal: AbortSignal; onProgress(framesDone: number): void },
  ): Promise<Sha256> {
    const { files, environment, pace } = this.#ports;
    const { segments, frameCount } = split.parts[job.part]!;
    const scene = await this.#scene(job, split);
    const begunAt = environment.monotonicNow();
    const file = await this.#renderFile(scene, segments, { ...options, owner: split.stored.tenant });
    const elapsedMs = environment.monotonicNow() - begunAt;
    pace.learn({ ...scene, frameCount }, elapsedMs / 1000);
    const { bytes, sha256: digest } = packPayload(file);
    options.signal.throwIfAborted();
    await files.putPart(job, bytes);
    const { session: id, attempt } = job;
    this.#ports.onEvent?.({ kind: 'part-rendered', id, attempt, part: job.part, frames: frameCount, elapsedMs });
    return digest;
  }

  async #renderFile(scene: BoundScene, { first, end }: SegmentSpan, options: RenderOptions): Promise<PartFile> {
    const { renderer, build } = this.#ports;
    const { owner = '', signal } = options;
    // Before the segments: media that cannot be read end the session before anything is drawn.
    const sound = first === 0 ? await renderer.renderSound(scene, { owner, ...(signal && { signal }) }) : null;
    const segments = await renderer.renderSegments(scene, segmentRanges(scene).slice(first, end), options);
    return { build, segments, sound };
  }

  /** Ends the session as one that was rendered in one piece ends. */
  async #join(job: SessionAttempt, { split, signal, onLost }: Work): Promise<void> {
    const { splits, outputs, store, environment } = this.#ports;
    const { stored, queuedAtMs, begunAtMs } = split;
    const now = (): number => environment.monotonicNow();
    const record = new AttemptRecord(stored, { store, now, intervalMs: 0, onLost });
    const unwatch = splits.watch(job, null, onLost);
    try {
      const scene = await this.#scene(job, split);
      // Told before the session was split.
      const digest = stored.scene!;
      const known = await outputs.find(digest, stored.outputName);
      signal.throwIfAborted();
      const output = known ?? (await this.#save(job, { split, signal, onLost }, { scene, digest, record }));
      signal.throwIfAborted();
      const elapsedMs = this.#sinceBegun(split);
      const work = { record, scene, digest, output, queuedAtMs, begunAtMs, elapsedMs };
      await recordRendered(work, this.#endTimes());
      signal.throwIfAborted();
      this.#told(split, record);
    } finally {
      await unwatch();
    }
    await this.#clean(job);
  }

  async #save(
    job: SessionAttempt,
    { split, signal }: Work,
    { scene, digest, record }: { readonly scene: BoundScene; readonly digest: Sha256; readonly record: AttemptRecord },
  ): Promise<StoredOutput> {
    const { outputs, environment, onEvent } = this.#ports;
    const begunAt = environment.monotonicNow();
    const rendering =
      (await this.#joined(job, split, scene, signal)) ??
      (await this.#whole(job, scene, { signal, owner: split.stored.tenant }));
    const elapsedMs = environment.monotonicNow() - begunAt;
    signal.throwIfAborted();
    record.step(phasedSession(record.session, 'uploading', environment.now()));
    const output = await outputs.save(digest, split.stored.outputName, rendering);
    onEvent?.({ kind: 'scene-rendered', id: job.session, scene: digest, elapsedMs });
    return rendering.findings === undefined ? output : { ...output, findings: rendering.findings };
  }

  /** Null when the parts cannot be joined: one is lost, or they are of several builds. */
  async #joined(
    job: SessionAttempt,
    split: Split,
    scene: BoundScene,
    signal: AbortSignal,
  ): Promise<RenderedVideo | null> {
    const { files, renderer } = this.#ports;
    const { session, attempt } = job;
    const read = split.parts.map(async ({ sha256: digest }, part) => {
      const bytes = await files.readPart({ session, attempt, part });
      return digest === null ? null : unpackPayload<PartFile>(bytes, digest);
    });
    const found = (await Promise.all(read)).flatMap((file) => (file === null ? [] : [file.value]));
    if (found.length < split.parts.length) return null;
    if (new Set(found.map(({ build }) => build)).size !== 1) return null;
    try {
      const segments = found.flatMap((file) => file.segments);
      const sound = found.find((file) => file.sound !== null)?.sound ?? null;
      if (sound === null) return null;
      return await renderer.joinSegments(scene, segments, sound, { signal, owner: split.stored.tenant });
    } catch (error) {
      // Whatever made them differ: rendered in one piece, they cannot.
      if (error instanceof SceneError && error.code === 'encode_failed') return null;
      throw error;
    }
  }

  #whole({ session: id, attempt }: SessionAttempt, scene: BoundScene, options: RenderOptions): Promise<RenderedVideo> {
    this.#ports.onEvent?.({ kind: 'parts-unfit', id, attempt });
    return this.#ports.renderer.render(scene, options);
  }

  /** @throws SceneError when it is lost, or an earlier version packed it */
  async #scene({ session, attempt }: SessionAttempt, split: Split): Promise<BoundScene> {
    const file = unpackPayload<BoundScene>(await this.#ports.files.readScene({ session, attempt }), split.sceneSha256);
    if (file === null || !('usedFonts' in file.value))
      throw new SceneError('render_crashed', 'What its parts are rendered from is not there any more');
    return file.value;
  }

  async #fail(job: SessionAttempt, split: Split, problems: readonly SessionProblem[]): Promise<void> {
    const { store, environment } = this.#ports;
    let isLost = false;
    const now = (): number => environment.monotonicNow();
    const onLost = (): void => {
      isLost = true;
    };
    const record = new AttemptRecord(split.stored, { store, now, intervalMs: 0, onLost });
    await record.write(failedSession(record.session, problems, this.#endTimes()));
    if (!isLost) this.#told(split, record);
    this.stop(job.session);
    await this.#clean(job);
  }

  /** By the wall clock: another process may have begun it, and monotonic clocks of two machines have nothing in common. */
  #sinceBegun({ begunAtMs }: Split): number {
    return Math.max(0, this.#ports.environment.now() - begunAtMs);
  }

  #told(split: Split, { session }: AttemptRecord): void {
    const { stored } = split;
    const { id, status, errors } = session;
    const codes = errors.map(({ code }) => code);
    const elapsedMs = this.#sinceBegun(split);
    this.#ports.onEvent?.({ kind: 'session-ended', id, tenant: stored.tenant, status, codes, elapsedMs });
  }

  /** Removes what an attempt has left that is not at work any more. */
  async #clean({ session, attempt }: SessionAttempt): Promise<void> {
    await this.#ports.files.remove({ session, attempt });
    await this.#ports.splits.end({ session, attempt });
  }

  #endTimes(): SessionEndTimes {
    return { nowMs: this.#ports.environment.now(), retentionMs: this.#ports.retentionMs };
  }
}
