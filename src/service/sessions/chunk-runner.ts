import { setMaxListeners } from 'node:events';
import { isOutage } from '../../contract/service-error.ts';
import { scenesOf } from '../../contract/wire/scene-request.ts';
import { RenderError } from '../../engine/render-error.ts';
import type { RenderedFile } from '../../engine/rendered-file.ts';
import { fileSha256, type Sha256 } from '../../kernel/digest.ts';
import { AttemptRecord } from './attempt-record.ts';
import type { BoundInput } from './bind-template.ts';
import type { RenderOptions, SessionProblem, StoredFile, StoredSession } from './ports.ts';
import { withFindings } from './render-request.ts';
import { failedSession, finishedSession, phasedSession, type SessionEndTimes } from './render-session.ts';
import {
  type ChunkEvent,
  type ChunkFile,
  type ChunkFiles,
  type ChunkJob,
  type ChunkKey,
  type DistributedRender,
  type DistributedRenderStore,
  packPayload,
  type SessionAttempt,
  unpackPayload,
} from './segments/distributed-renders.ts';
import { type FilePieces, type InputFiles, piecesOf } from './segments/pieces.ts';
import type { SegmentRenderer } from './segments/segment-renderer.ts';
import { sessionProblems } from './session-problems.ts';
import {
  PLAIN_JOB,
  type RenderJob,
  type RunnerEvent,
  type SessionRunner,
  type SessionRunnerPorts,
  sessionEnded,
} from './session-runner.ts';

interface ChunkRunnerPorts
  extends Pick<SessionRunnerPorts, 'outputs' | 'store' | 'environment' | 'pace' | 'retentionMs'> {
  readonly renders: DistributedRenderStore;
  readonly files: ChunkFiles;
  readonly renderer: SegmentRenderer;
  /** Identifies everything except the input that affects the bytes of this process. */
  readonly build: string;
  /** Renders sessions in one piece: `SessionRunner`. */
  readonly whole: Pick<SessionRunner, 'run' | 'fail'>;
  onEvent?(event: RunnerEvent | ChunkEvent): void;
}

interface RunningJob {
  readonly render: DistributedRender;
  readonly signal: AbortSignal;
  /** Called when the session no longer belongs to this attempt. */
  readonly onLost: () => void;
  readonly onStored: () => void;
}

/** Abort reason of a job whose session no longer needs it. */
const OBSOLETE = new Error('The session was canceled or removed, failed, or was claimed by another worker');

/**
 * Runs the jobs of sessions that are rendered in chunks. Each arrow is a transaction:
 *
 * ```
 * rs_…  ──DistributedRenderStore.begin──►  a row and a job for each chunk; the session's own job ends
 * rs_…/<attempt>/<chunk>  ──finish──►  the chunk is marked; the last mark creates the job that joins
 * rs_…/<attempt>/join  ──SessionStore.record──►  preview_rendered
 * ```
 *
 * A session is running while it is `preview_rendering` under the attempt that was distributed. Ending it (a failed chunk, a
 * cancellation) or starting another attempt stops all of its chunks, which check about once a second. A process may be
 * killed at any point: committed work is not repeated, and a retried job reuses a chunk or video that was stored before its
 * transaction. The sweeper removes leftovers.
 */
export class ChunkRunner {
  readonly #ports: ChunkRunnerPorts;
  readonly #running = new Map<AbortController, string>();

  constructor(ports: ChunkRunnerPorts) {
    this.#ports = ports;
  }

  /**
   * Runs a job.
   *
   * @throws the signal's reason when this process stops; outages (`isOutage`); errors of the store
   */
  async run(job: ChunkJob, signal: AbortSignal, running: RenderJob = PLAIN_JOB): Promise<void> {
    signal.throwIfAborted();
    const { renders, whole } = this.#ports;
    if (job.kind === 'wait') {
      if ((await renders.wait(job, job.count + 1)) === 'free') await whole.run(job.session, signal, running);
      return;
    }
    await running.takeSlot(signal);
    const render = await renders.find(job);
    if (render === null) return this.#clean(job);
    const obsolete = new AbortController();
    this.#running.set(obsolete, job.session);
    const stop = AbortSignal.any([signal, obsolete.signal]);
    setMaxListeners(0, stop);
    const work = { render, signal: stop, onStored: () => running.onStored(), onLost: () => obsolete.abort(OBSOLETE) };
    try {
      if (job.kind === 'chunk') await this.#chunk(job, work);
      else await this.#join(job, work);
    } catch (error) {
      signal.throwIfAborted();
      if (obsolete.signal.aborted) return await this.#clean(job);
      if (isOutage(error)) throw error;
      await this.#fail(job, render, sessionProblems(error, scenesOf(render.stored.session)));
    } finally {
      this.#running.delete(obsolete);
    }
  }

  /** Stops the jobs of a session that was canceled or removed. */
  stop(session: string): void {
    for (const [obsolete, id] of this.#running) if (id === session) obsolete.abort(OBSOLETE);
  }

  /** Fails a session if a worker could not finish one of its jobs. */
  async fail(job: ChunkJob, problem: SessionProblem): Promise<void> {
    if (job.kind === 'wait') return this.#ports.whole.fail(job.session, problem);
    const render = await this.#ports.renders.find(job);
    if (render === null) await this.#clean(job);
    else await this.#fail(job, render, [problem]);
  }

  async #chunk(job: ChunkKey, { render, signal, onLost, onStored }: RunningJob): Promise<void> {
    const { renders, files } = this.#ports;
    const row = render.chunks[job.chunk];
    if (row === undefined || row.sha256 !== null) return;
    let done = 0;
    let isReused = false;
    const onProgress: RenderOptions['onProgress'] = (frames, _, counted) => {
      done = frames;
      isReused ||= (counted?.reused ?? 0) > 0;
    };
    const unwatch = renders.watch(job, { chunk: job.chunk, framesDone: () => done }, onLost);
    try {
      const stored = await files.readChunk(job);
      const digest =
        stored === null
          ? await this.#render(job, render, { signal, onProgress, onStored, isReused: () => isReused })
          : await fileSha256(stored);
      done = row.frameCount;
      await unwatch();
      signal.throwIfAborted();
      await renders.finish(job, digest);
    } finally {
      await unwatch();
    }
  }

  /** Renders and stores a chunk. @returns the digest of its file */
  async #render(
    job: ChunkKey,
    render: DistributedRender,
    {
      isReused,
      ...options
    }: { readonly signal: AbortSignal; isReused(): boolean } & Pick<RenderOptions, 'onProgress' | 'onStored'>,
  ): Promise<Sha256> {
    const { files, environment, pace, renderer, build } = this.#ports;
    const { pieces: span, frameCount } = render.chunks[job.chunk]!;
    const video = await this.#video(job, render);
    const begunAt = environment.monotonicNow();
    const ofChunk = piecesOf(video).slice(span.first, span.end);
    const pieces = await renderer.renderPieces(video, ofChunk, { ...options, owner: render.stored.tenant });
    const elapsedMs = environment.monotonicNow() - begunAt;
    if (!isReused() && video.others.length === 0) pace.learn({ ...video.renderInput, frameCount }, elapsedMs / 1000);
    const { bytes, sha256: digest } = packPayload({ build, pieces } satisfies ChunkFile);
    options.signal.throwIfAborted();
    await files.putChunk(job, bytes);
    const { session: id, attempt } = job;
    this.#ports.onEvent?.({ kind: 'chunk-rendered', id, attempt, chunk: job.chunk, frames: frameCount, elapsedMs });
    return digest;
  }

  /** Joins the chunks and ends the session like one rendered in one piece. */
  async #join(job: SessionAttempt, { render, signal, onLost }: RunningJob): Promise<void> {
    const { renders, outputs, onEvent } = this.#ports;
    const { stored, queuedAtMs, begunAtMs } = render;
    const record = this.#record(stored, onLost);
    const unwatch = renders.watch(job, null, onLost);
    try {
      const video = await this.#video(job, render);
      const { renderInput } = video;
      // The digest was recorded before the session was distributed.
      const digest = stored.inputDigest!;
      const known = await outputs.find(digest, stored.outputName);
      signal.throwIfAborted();
      const outputFiles = known ?? (await this.#save(job, { render, signal }, { video, digest, record }));
      signal.throwIfAborted();
      const elapsedMs = this.#sinceBegun(render);
      const finished = { renderInput, files: outputFiles, queuedAtMs, begunAtMs, elapsedMs };
      await record.write(finishedSession(record.session, finished, this.#endTimes()), digest);
      signal.throwIfAborted();
      onEvent?.(sessionEnded(stored.tenant, record.session, this.#sinceBegun(render)));
    } finally {
      await unwatch();
    }
    await this.#clean(job);
  }

  async #save(
    job: SessionAttempt,
    { render, signal }: Pick<RunningJob, 'render' | 'signal'>,
    {
      video,
      digest,
      record,
    }: { readonly video: InputFiles<BoundInput>; readonly digest: Sha256; readonly record: AttemptRecord },
  ): Promise<readonly StoredFile[]> {
    const { outputs, environment, onEvent } = this.#ports;
    const begunAt = environment.monotonicNow();
    const rendering =
      (await this.#joined(job, render, video, signal)) ??
      (await this.#whole(job, video, { signal, owner: render.stored.tenant }));
    const elapsedMs = environment.monotonicNow() - begunAt;
    try {
      signal.throwIfAborted();
      record.step(phasedSession(record.session, 'uploading', environment.now()));
      const names = video.others.map(({ name }) => name);
      const stored = await outputs.save(digest, render.stored.outputName, rendering, names);
      onEvent?.({ kind: 'input-rendered', id: job.session, inputDigest: digest, elapsedMs });
      return withFindings(stored, rendering, names);
    } finally {
      for (const file of rendering) file.video.close();
    }
  }

  /** Returns null if the chunks cannot be joined because one is lost or their builds differ. */
  async #joined(
    job: SessionAttempt,
    render: DistributedRender,
    video: InputFiles,
    signal: AbortSignal,
  ): Promise<readonly RenderedFile[] | null> {
    const { renderer } = this.#ports;
    try {
      return await renderer.join(video, this.#chunks(job, render), { signal, owner: render.stored.tenant });
    } catch (error) {
      // The chunks differ; rendering the video in one piece avoids that.
      if (error instanceof RenderError && error.code === 'encode_failed') return null;
      throw error;
    }
  }

  /** Reads one chunk after the other. @throws RenderError encode_failed if one is lost or of another build */
  async *#chunks(
    { session, attempt }: SessionAttempt,
    { chunks }: DistributedRender,
  ): AsyncGenerator<readonly FilePieces[]> {
    let build: string | undefined;
    for (const [chunk, { sha256: digest }] of chunks.entries()) {
      const bytes = await this.#ports.files.readChunk({ session, attempt, chunk });
      const file = digest === null ? null : unpackPayload<ChunkFile>(bytes, digest);
      if (file === null) throw new RenderError('encode_failed', 'A chunk of the video is missing');
      if (build !== undefined && file.value.build !== build) {
        throw new RenderError('encode_failed', 'The chunks of the video are of several builds');
      }
      build ??= file.value.build;
      yield file.value.pieces;
    }
  }

  #whole({ session: id, attempt }: SessionAttempt, { renderInput, others }: InputFiles, options: RenderOptions) {
    this.#ports.onEvent?.({ kind: 'chunks-unfit', id, attempt });
    return this.#ports.renderer.render(renderInput, { ...options, others });
  }

  /** Reads the inputs of a render. @throws RenderError if they are lost or were packed by an earlier version */
  async #video({ session, attempt }: SessionAttempt, render: DistributedRender): Promise<InputFiles<BoundInput>> {
    const bytes = await this.#ports.files.readInput({ session, attempt });
    const file = unpackPayload<InputFiles<BoundInput>>(bytes, render.inputSha256);
    if (file === null || !('others' in file.value))
      throw new RenderError('render_crashed', 'The inputs of the segments no longer exist');
    return file.value;
  }

  async #fail(job: SessionAttempt, render: DistributedRender, problems: readonly SessionProblem[]): Promise<void> {
    const { onEvent } = this.#ports;
    let isLost = false;
    const record = this.#record(render.stored, () => {
      isLost = true;
    });
    await record.write(failedSession(record.session, problems, this.#endTimes()));
    if (!isLost) onEvent?.(sessionEnded(render.stored.tenant, record.session, this.#sinceBegun(render)));
    this.stop(job.session);
    await this.#clean(job);
  }

  #record(stored: StoredSession, onLost: () => void): AttemptRecord {
    const { store, environment } = this.#ports;
    return new AttemptRecord(stored, { store, now: () => environment.monotonicNow(), intervalMs: 0, onLost });
  }

  /** Returns the milliseconds since the start of the attempt, by the wall clock because another machine may have started it. */
  #sinceBegun({ begunAtMs }: DistributedRender): number {
    return Math.max(0, this.#ports.environment.now() - begunAtMs);
  }

  /** Removes the files and chunks of an ended attempt. */
  async #clean({ session, attempt }: SessionAttempt): Promise<void> {
    await this.#ports.files.remove({ session, attempt });
    await this.#ports.renders.end({ session, attempt });
  }

  #endTimes(): SessionEndTimes {
    return { nowMs: this.#ports.environment.now(), retentionMs: this.#ports.retentionMs };
  }
}
