import type { AnyScene } from '../../engine/packed-scene.ts';
import { SceneError } from '../../engine/scene-error.ts';
import { hasMedia, type RenderedSound } from '../../engine/scene-media.ts';
import type { JoinedScene, RenderedSegment } from '../../engine/segments/render-segments.ts';
import { type FrameRange, hasSegments, segmentRanges } from '../../engine/segments/segment.ts';
import { audioCodecOf } from '../../engine/writers/frame-writer.ts';
import type { RenderedVideo, Renderer, RenderOptions } from '../ports.ts';
import { DEFAULT_LIMITS } from '../processes/process-limits.ts';
import type { RenderTaskKind, TaskRunner } from '../processes/tasks.ts';
import { renderCached, renderSoundCached, type SegmentCache } from './segment-cache.ts';

/** Renders videos, whole or in segments to be joined. */
export interface SegmentRenderer extends Renderer {
  /** Renders some of `segmentRanges`, in order. @throws as `render` */
  renderSegments(scene: AnyScene, ranges: readonly FrameRange[], options?: RenderOptions): Promise<RenderedSegment[]>;
  /** @throws as `render` */
  renderSound(scene: AnyScene, options?: RenderOptions): Promise<RenderedSound>;
  /** Joins all segments of a video. @throws as `render` */
  joinSegments(
    scene: JoinedScene,
    segments: readonly RenderedSegment[],
    sound: RenderedSound,
    options?: RenderOptions,
  ): Promise<RenderedVideo>;
}

export interface SegmentRendererOptions {
  readonly runner: TaskRunner<RenderTaskKind>;
  /** Concurrent tasks of one video: the number of processes. */
  readonly parallel: number;
  /** Cache of finished segments; null to render all of them. */
  readonly cache: SegmentCache | null;
  /** Maximum milliseconds of a whole video; tasks have their own limits. */
  readonly totalMs?: number;
}

/** Maximum segments in one task: limits what a crash loses and how often a scene is sent. */
const MAX_TASK_SEGMENTS = 8;
/** Tasks per process, which balances the load between processes. */
const TASKS_PER_PROCESS = 3;
const SILENCE: RenderedSound = { track: null, findings: [] };

/** Renders MP4 and MOV in concurrent segments and joins them; other formats in one task. */
export function createSegmentRenderer({
  runner,
  parallel,
  cache,
  totalMs = DEFAULT_LIMITS.totalMs,
}: SegmentRendererOptions): SegmentRenderer {
  const renderer: SegmentRenderer = {
    async render(scene, options = {}) {
      if (!hasSegments(scene.output.format)) return runner.run('video', scene, options);
      const limit = timeLimit(totalMs, options.signal);
      const limited = { ...options, signal: limit.signal };
      try {
        const [segments, sound] = await allOrNone(limit.signal, (signal) => [
          renderer.renderSegments(scene, segmentRanges(scene), { ...options, signal }),
          renderer.renderSound(scene, { ...silenced(options), signal }),
        ]);
        return await renderer.joinSegments(scene, segments, sound, silenced(limited));
      } finally {
        limit.clear();
      }
    },

    renderSegments(scene, ranges, options = {}) {
      const { onProgress } = options;
      const frameCount = framesOf(ranges);
      let framesDone = 0;
      const segments = { done: 0, total: ranges.length, reused: 0 };
      const advance = (frames: number, finished: number): void => {
        framesDone += frames;
        segments.done += finished;
        onProgress?.(framesDone, frameCount, { ...segments });
      };
      // Segments contain no sound.
      const silent = { ...scene, sounds: [] };
      const render = (
        missing: readonly FrameRange[],
        keep: (segment: RenderedSegment) => Promise<void>,
      ): Promise<void> =>
        allOrNone(options.signal, (signal) =>
          inParallel(tasksOf(missing, parallel), parallel, async (task) => {
            signal.throwIfAborted();
            let done = 0;
            const onDone = (frames: number): void => {
              advance(frames - done, finishedIn(task, frames) - finishedIn(task, done));
              done = frames;
            };
            const taskOptions = { ...options, signal, onProgress: onDone };
            const rendered = await runner.run('segments', { scene: silent, ranges: task }, taskOptions);
            onDone(framesOf(task));
            for (const segment of rendered) await keep(segment);
          }),
        ).then(() => undefined);
      return renderCached(cache, silent, ranges, {
        render,
        renderStills: (frames) => runner.run('frames', { scene: silent, frames }, silenced(options)),
        onReused(range) {
          segments.reused += 1;
          advance(framesOf([range]), 1);
        },
        signal: options.signal,
      });
    },

    async renderSound(scene, options) {
      if (!hasMedia(scene)) return SILENCE;
      // Fonts and images do not affect when clips are audible.
      const heard = { ...scene, fonts: [], images: [] };
      return renderSoundCached(cache, scene, audioCodecOf(scene.output.format), (codec) =>
        runner.run('sound', { scene: heard, codec }, options),
      );
    },

    joinSegments(scene, segments, sound, options) {
      const { output, width, height, fps, frameCount, stills } = scene;
      const joined = { output, width, height, fps, frameCount, stills };
      return runner.run('join', { scene: joined, segments, sound }, options);
    },
  };
  return renderer;
}

/** Drops the progress callback: only frames count as progress. */
function silenced({ onProgress: _, ...options }: RenderOptions): RenderOptions {
  return options;
}

/** Returns a signal that is aborted by another one or after a time. */
function timeLimit(totalMs: number, signal: AbortSignal | undefined): { signal: AbortSignal; clear(): void } {
  const ending = new AbortController();
  const expire = (): void =>
    ending.abort(new SceneError('render_timeout', `The render took longer than ${totalMs / 1000} s`));
  const timer = setTimeout(expire, totalMs);
  const either = AbortSignal.any([ending.signal, ...(signal === undefined ? [] : [signal])]);
  return { signal: either, clear: () => clearTimeout(timer) };
}

function framesOf(ranges: readonly FrameRange[]): number {
  return ranges.reduce((sum, { first, end }) => sum + end - first, 0);
}

/** Counts the ranges of a task that are finished after so many frames: a process renders them in order. */
function finishedIn(task: readonly FrameRange[], frames: number): number {
  return task.filter((_, at) => framesOf(task.slice(0, at + 1)) <= frames).length;
}

/** Groups consecutive ranges into tasks. */
function tasksOf(ranges: readonly FrameRange[], parallel: number): (readonly FrameRange[])[] {
  const length = Math.min(MAX_TASK_SEGMENTS, Math.ceil(ranges.length / (parallel * TASKS_PER_PROCESS)));
  const count = length === 0 ? 0 : Math.ceil(ranges.length / length);
  return Array.from({ length: count }, (_, at) => ranges.slice(at * length, (at + 1) * length));
}

/** Processes items in order with several lanes. A lane ends at its first failure. */
function inParallel<T>(items: readonly T[], lanes: number, work: (item: T) => Promise<void>): Promise<void>[] {
  const rest = items.values();
  const lane = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  return Array.from({ length: Math.min(lanes, items.length) }, lane);
}

/**
 * Waits for all work. The first failure aborts the rest and is thrown when all work has ended.
 *
 * @throws the failure; the signal's reason
 */
async function allOrNone<Work extends readonly Promise<unknown>[]>(
  signal: AbortSignal | undefined,
  start: (signal: AbortSignal) => readonly [...Work],
): Promise<{ -readonly [Index in keyof Work]: Awaited<Work[Index]> }> {
  const ending = new AbortController();
  const either = AbortSignal.any([ending.signal, ...(signal === undefined ? [] : [signal])]);
  const work = start(either);
  for (const one of work) one.catch((error: unknown) => ending.abort(error));
  await Promise.allSettled(work);
  signal?.throwIfAborted();
  if (ending.signal.aborted) throw ending.signal.reason;
  return (await Promise.all(work)) as never;
}
