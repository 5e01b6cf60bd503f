import type { AnyScene } from '../../engine/packed-scene.ts';
import { SceneError } from '../../engine/scene-error.ts';
import { hasMedia, type RenderedSound } from '../../engine/scene-media.ts';
import type { RenderedSegment } from '../../engine/segments/render-segments.ts';
import { type FrameRange, hasSegments, segmentRanges } from '../../engine/segments/segment.ts';
import { audioCodecOf, drawingKey } from '../../engine/writers/frame-writer.ts';
import { groupBy } from '../../group-by.ts';
import type { SceneFile, SceneOutput } from '../../template/scene.ts';
import type { RenderedSegments } from '../../wire/render-session.ts';
import type { RenderedVideo, Renderer, RenderOptions } from '../ports.ts';
import { DEFAULT_LIMITS } from '../processes/process-limits.ts';
import type { RenderTaskKind, TaskOptions, TaskRunner } from '../processes/tasks.ts';
import { type MissingSegments, renderCached, renderSoundCached, type SegmentCache } from './segment-cache.ts';

/** Renders videos, whole or in segments to be joined. */
export interface SegmentRenderer extends Renderer {
  /** Renders some of `segmentRanges`, in order. @throws as `render` */
  renderSegments(scene: AnyScene, ranges: readonly FrameRange[], options?: RenderOptions): Promise<RenderedSegment[]>;
  /** @throws as `render` */
  renderSound(scene: AnyScene, options?: RenderOptions): Promise<RenderedSound>;
  /** Joins all segments of a video. @throws as `render` */
  joinSegments(
    scene: SceneFile,
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

/**
 * Renders MP4 and MOV in concurrent segments and joins them; other formats in one task. Draws files with equal `drawingKey` once.
 */
export function createSegmentRenderer({
  runner,
  parallel,
  cache,
  totalMs = DEFAULT_LIMITS.totalMs,
}: SegmentRendererOptions): SegmentRenderer {
  const renderer: SegmentRenderer = {
    async render(scene, { others = [], ...options } = {}) {
      const files = [fileOf(scene), ...others.map(withoutStills)];
      const rendered = new Map<SceneFile, RenderedVideo>();
      const progress = sharedProgress(files, options.onProgress);
      const video = Symbol('video');
      for (const group of groupBy(files, drawingKey).values()) {
        const tracked = { ...options, onProgress: progress.begin(group), video };
        const videos = await renderGroup({ ...scene, ...group[0]! }, group, tracked);
        for (const [at, video] of videos.entries()) rendered.set(group[at]!, video);
        options.signal?.throwIfAborted();
      }
      const [main, ...more] = files.map((file) => rendered.get(file)!);
      if (more.length === 0) return main!;
      return { ...main!, others: more.map(({ format, video }, at) => ({ name: others[at]!.name, format, video })) };
    },

    async renderSegments(scene, ranges, options = {}) {
      const own = { ...options, video: Symbol('video') };
      const [segments] = await renderOutputSegments(scene, [scene.output], ranges, own);
      return segments!;
    },

    async renderSound(scene, options) {
      if (!hasMedia(scene)) return SILENCE;
      // Fonts and images do not affect when clips are audible.
      const heard = { ...scene, fonts: [], images: [] };
      const question = { codec: audioCodecOf(scene.output.format), owner: options?.owner ?? '' };
      return renderSoundCached(cache, heard, question, (codec) =>
        runner.run('sound', { scene: heard, codec }, options),
      );
    },

    joinSegments(scene, segments, sound, options) {
      return runner.run('join', { scene: fileOf(scene), segments, sound }, options);
    },
  };

  /** @param scene with the fields of the first file of the group */
  const renderGroup = async (
    scene: AnyScene,
    group: readonly SceneFile[],
    options: TaskOptions,
  ): Promise<readonly RenderedVideo[]> => {
    const outputs = group.map(({ output }) => output);
    if (!hasSegments(scene.output.format)) {
      return group.length === 1
        ? [await runner.run('video', scene, options)]
        : runner.run('files', { scene, outputs }, options);
    }
    const limit = timeLimit(totalMs, options.signal);
    const limited = { ...options, signal: limit.signal };
    try {
      const [segments, ...sounds] = await allOrNone(limit.signal, (signal) => [
        renderOutputSegments(scene, outputs, segmentRanges(scene), { ...options, signal }),
        ...group.map((file) => renderer.renderSound({ ...scene, ...file }, { ...silenced(options), signal })),
      ]);
      const videos: RenderedVideo[] = [];
      for (const [at, file] of group.entries()) {
        videos.push(await renderer.joinSegments(file, segments[at]!, sounds[at]!, silenced(limited)));
      }
      return videos;
    } finally {
      limit.clear();
    }
  };

  /** @returns the segments of each output, in the order of the ranges */
  const renderOutputSegments = (
    scene: AnyScene,
    outputs: readonly SceneOutput[],
    ranges: readonly FrameRange[],
    options: TaskOptions,
  ): Promise<RenderedSegment[][]> => {
    const { onProgress } = options;
    const frameCount = framesOf(ranges) * outputs.length;
    let framesDone = 0;
    const segments = { done: 0, total: ranges.length * outputs.length, reused: 0 };
    const advance = (frames: number, finished: number): void => {
      framesDone += frames;
      segments.done += finished;
      onProgress?.(framesDone, frameCount, { ...segments });
    };
    // Segments contain no sound.
    const silent = { ...scene, sounds: [] };
    const render = (
      missing: readonly MissingSegments[],
      keep: (output: number, segment: RenderedSegment) => Promise<void>,
    ): Promise<void> =>
      allOrNone(options.signal, (signal) =>
        inParallel(tasksOf(missing, parallel), parallel, async ({ ranges: task, outputs: wanted }) => {
          signal.throwIfAborted();
          let done = 0;
          const onDone = (frames: number): void => {
            const finished = finishedIn(task, frames) - finishedIn(task, done);
            advance((frames - done) * wanted.length, finished * wanted.length);
            done = frames;
          };
          const taskOptions = { ...options, signal, onProgress: onDone };
          const input = { scene: silent, outputs: wanted.map((at) => outputs[at]!), ranges: task };
          const rendered = await runner.run('segments', input, taskOptions);
          onDone(framesOf(task));
          for (const ofRange of rendered) {
            for (const [at, segment] of ofRange.entries()) await keep(wanted[at]!, segment);
          }
        }),
      ).then(() => undefined);
    return renderCached(cache, silent, outputs, ranges, {
      owner: options.owner ?? '',
      render,
      renderStills: (frames) => runner.run('frames', { scene: silent, frames }, silenced(options)),
      onReused(range) {
        segments.reused += 1;
        advance(framesOf([range]), 1);
      },
      signal: options.signal,
    });
  };
  return renderer;
}

function fileOf({ output, width, height, fps, frameCount, stills }: SceneFile): SceneFile {
  return { output, width, height, fps, frameCount, stills };
}

/** Only the main file has stills beside it. A picture is the frame of its first still. */
function withoutStills(file: SceneFile): SceneFile {
  return file.output.format === 'png' ? fileOf(file) : { ...fileOf(file), stills: [] };
}

type OnProgress = NonNullable<RenderOptions['onProgress']>;

/** Adds up the progress of groups that are rendered one after the other. */
function sharedProgress(
  files: readonly SceneFile[],
  onProgress: OnProgress | undefined,
): { begin(group: readonly SceneFile[]): OnProgress } {
  const weightOf = (some: readonly SceneFile[]): number => some.reduce((sum, { frameCount }) => sum + frameCount, 0);
  const segmentsTotal = files.reduce((sum, file) => sum + segmentRanges(file).length, 0);
  let framesBefore = 0;
  let framesNext = 0;
  let earlier = { done: 0, reused: 0 };
  let latest: RenderedSegments | undefined;
  return {
    begin(group) {
      framesBefore = framesNext;
      framesNext += weightOf(group);
      if (latest !== undefined) earlier = latest;
      const before = framesBefore;
      const { done, reused } = earlier;
      return (framesDone, frameCount, segments) => {
        const frames = before + Math.floor((weightOf(group) * framesDone) / frameCount);
        if (segments !== undefined) {
          latest = { done: done + segments.done, reused: reused + segments.reused, total: segmentsTotal };
        }
        onProgress?.(frames, weightOf(files), latest);
      };
    },
  };
}

/** Drops the progress callback: only frames count as progress. */
function silenced({ onProgress: _, ...options }: TaskOptions): TaskOptions {
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

interface SegmentTask {
  readonly ranges: readonly FrameRange[];
  /** Indices. */
  readonly outputs: readonly number[];
}

/** Groups consecutive ranges that the same outputs need into tasks. */
function tasksOf(missing: readonly MissingSegments[], parallel: number): SegmentTask[] {
  const length = Math.min(MAX_TASK_SEGMENTS, Math.ceil(missing.length / (parallel * TASKS_PER_PROCESS)));
  const alike = groupBy(missing, ({ outputs }) => outputs.join());
  return [...alike.values()].flatMap((group) => {
    const ranges = group.map(({ range }) => range);
    const count = length === 0 ? 0 : Math.ceil(ranges.length / length);
    return Array.from({ length: count }, (_, at) => ({
      ranges: ranges.slice(at * length, (at + 1) * length),
      outputs: group[0]!.outputs,
    }));
  });
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
