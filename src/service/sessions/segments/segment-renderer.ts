import type { FrameRange } from '../../../engine/frame-rate.ts';
import { hasMedia, type RenderedSound } from '../../../engine/input-media.ts';
import { type AnyRenderInput, withoutPictures } from '../../../engine/packed-input.ts';
import { RenderError } from '../../../engine/render-error.ts';
import type { RenderedSegment } from '../../../engine/render-segments.ts';
import type { RenderedFile } from '../../../engine/rendered-file.ts';
import { hasSegments, MAX_SHARED_SEGMENTS } from '../../../engine/segments/segment.ts';
import { audioCodecOf, drawingKey } from '../../../engine/writers/frame-writer.ts';
import { groupBy } from '../../../kernel/group-by.ts';
import type { InputFile } from '../../../template/render-input.ts';
import type { Renderer, RenderOptions } from '../ports.ts';
import { DEFAULT_LIMITS } from '../processes/process-limits.ts';
import type { RenderTaskKind, TaskOptions, TaskRunner } from '../processes/tasks.ts';
import { type FilePieces, filesOf, type InputFiles, type Piece, pieceFrames, piecesOf } from './pieces.ts';
import { addStills, renderSoundCached, renderUnits, storeSegment } from './render-cached.ts';
import type { SegmentCache } from './segment-cache.ts';

/**
 * Renders videos as pieces and joins them. A single machine renders all pieces. Workers of a farm and shards of an apply each
 * render some pieces, and one worker or shard joins them. The bytes are the same.
 */
export interface SegmentRenderer extends Renderer {
  /**
   * Renders some of the pieces that `piecesOf` returns.
   *
   * @returns the rendered pieces of each file
   * @throws as `render`
   */
  renderPieces(video: InputFiles, pieces: readonly Piece[], options?: RenderOptions): Promise<FilePieces[]>;
  /**
   * Joins all pieces of a video and returns its files, the main file first.
   *
   * @throws RenderError encode_failed if some pieces are missing; as `render`
   */
  join(video: InputFiles, pieces: readonly FilePieces[], options?: RenderOptions): Promise<readonly RenderedFile[]>;
}

export interface SegmentRendererOptions {
  readonly runner: TaskRunner<RenderTaskKind>;
  /** Concurrent tasks of one video: the number of processes. */
  readonly parallel: number;
  /** Cache of finished pieces; null to render all pieces. */
  readonly cache: SegmentCache | null;
  /** Time limit for all segments of a drawing; tasks have their own limits. */
  readonly totalMs?: number;
}

/** Maximum bytes of a cached file without segments. */
const MAX_CACHED_BYTES = 256 * 2 ** 20;
const SILENCE: RenderedSound = { track: null, findings: [] };

/** Reports finished frames of all files, and finished segments. */
type Advance = (frames: number, segments: number, isReused?: boolean) => void;

/** Creates a renderer that uses the processes of this machine. Files with equal `drawingKey` share drawn frames. */
export function createSegmentRenderer({
  runner,
  parallel,
  cache,
  totalMs = DEFAULT_LIMITS.totalMs,
}: SegmentRendererOptions): SegmentRenderer {
  const renderer: SegmentRenderer = {
    async render(renderInput, { others = [], ...options } = {}) {
      const video = { renderInput, others };
      return renderer.join(video, await renderer.renderPieces(video, piecesOf(video), options), silenced(options));
    },

    async renderPieces(video, pieces, options = {}) {
      const files = filesOf(video);
      const rendered = files.map((): { -readonly [Field in keyof FilePieces]: FilePieces[Field] } => ({
        segments: [],
        sound: null,
        whole: null,
      }));
      const advance = pieceProgress(files, pieces, options.onProgress);
      const ofVideo: TaskOptions = { ...options, video: Symbol('video') };
      const drawings = groupBy(pieces, (piece) => drawingKey(files[firstFile(piece)]!));
      for (const group of drawings.values()) {
        const limit = timeLimit(group.some(({ kind }) => kind === 'segment') ? totalMs : null, options.signal);
        try {
          const [segments, whole, ...sounds] = await allOrNone(limit.signal, (signal) => [
            renderSegments(video, group, advance, { ...ofVideo, signal }),
            renderWhole(video, group, advance, { ...ofVideo, signal }),
            ...group.flatMap((piece) =>
              piece.kind === 'sound' ? [renderSound(video, piece.file, { ...silenced(ofVideo), signal })] : [],
            ),
          ]);
          for (const [file, ofFile] of segments) rendered[file]!.segments = ofFile;
          for (const [file, result] of whole) rendered[file]!.whole = result;
          for (const { file, sound } of sounds) rendered[file]!.sound = sound;
        } finally {
          limit.clear();
        }
        options.signal?.throwIfAborted();
      }
      return rendered;
    },

    async join(video, pieces, options) {
      const results: RenderedFile[] = [];
      for (const [at, file] of filesOf(video).entries()) {
        const { segments = [], sound = null, whole = null } = pieces[at] ?? {};
        const isWhole = !hasSegments(file.output.format);
        if (isWhole ? whole === null : sound === null && hasMedia(video.renderInput)) throw pieceMissing();
        const input = { renderInput: file, segments, sound: sound ?? SILENCE };
        results.push(isWhole ? whole! : await runner.run('join', input, options));
      }
      return results;
    },
  };

  const renderSound = async (
    { renderInput: whole, others: furtherFiles }: InputFiles,
    file: number,
    options: TaskOptions,
  ) => {
    // Fonts and images do not affect the sound.
    const renderInput = {
      ...withoutPictures(whole),
      ...filesOf({ renderInput: whole, others: furtherFiles })[file]!,
    } as AnyRenderInput;
    const request = { codec: audioCodecOf(renderInput.output.format), owner: options.owner ?? '' };
    const sound = await renderSoundCached(cache, renderInput, request, (codec) =>
      runner.run('sound', { renderInput, codec }, options),
    );
    return { file, sound };
  };

  const renderSegments = async (
    video: InputFiles,
    pieces: readonly Piece[],
    advance: Advance,
    options: TaskOptions,
  ): Promise<ReadonlyMap<number, RenderedSegment[]>> => {
    const segmentPieces = pieces.flatMap((piece) => (piece.kind === 'segment' ? [piece] : []));
    if (segmentPieces.length === 0) return new Map();
    const all = filesOf(video);
    const files = [...new Set(segmentPieces.flatMap((piece) => piece.files))].sort((a, b) => a - b);
    const ranges = segmentPieces.map(({ range }) => range);
    // Segments contain no sound.
    const renderInput = { ...video.renderInput, ...all[files[0]!]!, sounds: [] } as AnyRenderInput;
    const outputs = files.map((file) => all[file]!.output);
    const keys = await cache?.keysOf({ renderInput, outputs, ranges, codec: null }, options.owner ?? '');
    const units = segmentPieces.flatMap(({ range, files: pieceFiles }, at) =>
      pieceFiles.map((file) => ({ range, file, key: keys?.segments[at]?.[files.indexOf(file)] ?? null })),
    );
    type Unit = (typeof units)[number];

    const render = async (
      missing: readonly Unit[],
      keep: (unit: Unit, segment: RenderedSegment) => Promise<void>,
    ): Promise<void> => {
      const tasks = tasksOf([...groupBy(missing, ({ range }) => range).values()], parallel);
      await allOrNone(options.signal, (signal) =>
        inParallel(tasks, parallel, async (task) => {
          signal.throwIfAborted();
          const taskRanges = task.map(([{ range }]) => range);
          let done = 0;
          const onDone = (frames: number): void => {
            const finished = finishedIn(taskRanges, frames) - finishedIn(taskRanges, done);
            advance((frames - done) * task[0]!.length, finished * task[0]!.length);
            done = frames;
          };
          const input = {
            renderInput,
            ranges: taskRanges,
            outputs: task[0]!.map(({ file }) => all[file]!.output),
          };
          const rendered = await runner.run('segments', input, { ...options, signal, onProgress: onDone });
          onDone(framesOf(taskRanges));
          for (const [range, segments] of rendered.entries()) {
            for (const [at, segment] of segments.entries()) await keep(task[range]![at]!, segment);
          }
        }),
      );
    };
    const done = await renderUnits(cache, units, {
      kind: 'segment',
      render,
      async store(key, segment) {
        await storeSegment(cache!, key, segment);
        if (!cache!.hasFailed) options.onStored?.();
      },
      onReused: ({ range }) => advance(framesOf([range]), 1, true),
      signal: options.signal,
    });
    const rendered = new Map(files.map((file) => [file, units.filter((unit) => unit.file === file)] as const));
    const frames = [...new Set(renderInput.stills.map(({ frame }) => frame))];
    const results = [...rendered].map(async ([file, fileUnits]): Promise<[number, RenderedSegment[]]> => {
      const segments = fileUnits.map((unit) => ({ key: unit.key, segment: done.get(unit)! }));
      // Only the main file has stills.
      if (cache === null || file !== 0) return [file, segments.map(({ segment }) => segment)];
      const renderStills = (missing: readonly number[]) =>
        runner.run('frames', { renderInput, frames: missing }, silenced(options));
      return [file, await addStills(cache, segments, frames, renderStills)];
    });
    return new Map(await Promise.all(results));
  };

  const renderWhole = async (
    video: InputFiles,
    pieces: readonly Piece[],
    advance: Advance,
    options: TaskOptions,
  ): Promise<ReadonlyMap<number, RenderedFile>> => {
    const all = filesOf(video);
    const units = pieces.flatMap((piece) =>
      piece.kind === 'whole'
        ? piece.files.map((file) => ({ file, key: cache?.fileKey(all[file]!) ?? null, piece }))
        : [],
    );
    const done = await renderUnits<(typeof units)[number], RenderedFile>(cache, units, {
      kind: 'file',
      async render(missing, keep) {
        const [first] = missing;
        const renderInput = { ...video.renderInput, ...all[first!.file]! } as AnyRenderInput;
        const weight = missing.reduce((sum, { file }) => sum + pieceFrames({ kind: 'whole', files: [file] }, all), 0);
        let before = 0;
        const onProgress = (frames: number, count: number): void => {
          const drawn = Math.floor((weight * frames) / count);
          advance(drawn - before, 0);
          before = drawn;
        };
        const tracked = { ...options, onProgress };
        const outputs = missing.map(({ file }) => all[file]!.output);
        const results =
          missing.length === 1
            ? [await runner.run('video', renderInput, tracked)]
            : await runner.run('files', { renderInput, outputs }, tracked);
        onProgress(1, 1);
        for (const [at, unit] of missing.entries()) await keep(unit, results[at]!);
      },
      async store(key, result) {
        if (result.video.length <= MAX_CACHED_BYTES) await cache!.keep(key, result);
      },
      onReused: ({ file }) => advance(pieceFrames({ kind: 'whole', files: [file] }, all), 0),
      signal: options.signal,
    });
    return new Map([...done].map(([{ file }, result]) => [file, result]));
  };
  return renderer;
}

function firstFile(piece: Piece): number {
  return piece.kind === 'sound' ? piece.file : piece.files[0]!;
}

function pieceMissing(): RenderError {
  return new RenderError('encode_failed', 'A piece of the video is missing');
}

function pieceProgress(
  files: readonly InputFile[],
  pieces: readonly Piece[],
  onProgress: RenderOptions['onProgress'],
): Advance {
  const frameCount = pieces.reduce((sum, piece) => sum + pieceFrames(piece, files), 0);
  const total = pieces.reduce((sum, piece) => sum + (piece.kind === 'segment' ? piece.files.length : 0), 0);
  const segments = { done: 0, total, reused: 0 };
  let framesDone = 0;
  return (frames, finished, isReused = false) => {
    framesDone += frames;
    segments.done += finished;
    if (isReused) segments.reused += finished;
    onProgress?.(framesDone, frameCount, total === 0 ? undefined : { ...segments });
  };
}

/** Removes the progress callback, because only frames of segments and files count as progress. */
function silenced({ onProgress: _, ...options }: TaskOptions): TaskOptions {
  return options;
}

/** Returns a signal that aborts with another signal or after a time. @param totalMs null for no limit */
function timeLimit(totalMs: number | null, signal: AbortSignal | undefined): { signal: AbortSignal; clear(): void } {
  const ending = new AbortController();
  const expire = (): void =>
    ending.abort(new RenderError('render_timeout', `The render took longer than ${totalMs! / 1000} s`));
  const timer = totalMs === null ? undefined : setTimeout(expire, totalMs);
  const limited = AbortSignal.any([ending.signal, ...(signal === undefined ? [] : [signal])]);
  return { signal: limited, clear: () => clearTimeout(timer) };
}

function framesOf(ranges: readonly FrameRange[]): number {
  return ranges.reduce((sum, { first, end }) => sum + end - first, 0);
}

/** Counts the ranges of a task that are finished after a number of frames. A process renders them in order. */
function finishedIn(task: readonly FrameRange[], frames: number): number {
  return task.filter((_, at) => framesOf(task.slice(0, at + 1)) <= frames).length;
}

/** Units of one range, one for each file. */
type RangeUnits = readonly [SegmentUnit, ...SegmentUnit[]];

interface SegmentUnit {
  readonly range: FrameRange;
  readonly file: number;
}

/**
 * Groups ranges of the same files into tasks, the same number for each process. A process opens the input once for all ranges of
 * a task.
 */
function tasksOf<Units extends RangeUnits>(missing: readonly Units[], parallel: number): Units[][] {
  const byFiles = groupBy(missing, (units) => units.map(({ file }) => file).join());
  return [...byFiles.values()].flatMap((ranges) => {
    const count = Math.min(ranges.length, parallel * Math.ceil(ranges.length / (parallel * MAX_SHARED_SEGMENTS)));
    return distribute(ranges, count);
  });
}

/**
 * Distributes ranges over tasks with about the same number of frames. Prefers to keep consecutive ranges together, because they
 * show the same layers.
 */
function distribute<Units extends RangeUnits>(ranges: readonly Units[], count: number): Units[][] {
  const tasks = Array.from({ length: count }, () => ({ frames: 0, ranges: [] as Units[] }));
  const byLength = groupBy(ranges, ([{ range }]) => framesOf([range]));
  for (const [length, sameLength] of [...byLength].sort(([a], [b]) => b - a)) {
    const assigned = sameLength.map(() => {
      const smallest = tasks.reduce((a, b) => (b.frames < a.frames ? b : a));
      smallest.frames += length;
      return tasks.indexOf(smallest);
    });
    for (const [at, task] of assigned.sort((a, b) => a - b).entries()) tasks[task]!.ranges.push(sameLength[at]!);
  }
  return tasks.map((task) => task.ranges.sort(([a], [b]) => a.range.first - b.range.first));
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
 * Waits for all promises. The first failure aborts the remaining work and is thrown when all promises have settled.
 *
 * @throws the first failure; the signal's reason
 */
async function allOrNone<Work extends readonly Promise<unknown>[]>(
  signal: AbortSignal | undefined,
  start: (signal: AbortSignal) => readonly [...Work],
): Promise<{ -readonly [Index in keyof Work]: Awaited<Work[Index]> }> {
  const ending = new AbortController();
  const shared = AbortSignal.any([ending.signal, ...(signal === undefined ? [] : [signal])]);
  const work = start(shared);
  for (const promise of work) promise.catch((error: unknown) => ending.abort(error));
  await Promise.allSettled(work);
  signal?.throwIfAborted();
  if (ending.signal.aborted) throw ending.signal.reason;
  return (await Promise.all(work)) as never;
}
