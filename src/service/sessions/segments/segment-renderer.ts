import { hasMedia, type RenderedSound } from '../../../engine/input-media.ts';
import { type AnyRenderInput, withoutPictures } from '../../../engine/packed-input.ts';
import { RenderError } from '../../../engine/render-error.ts';
import { type InMemoryFile, intoMemory, type RenderedFile } from '../../../engine/rendered-file.ts';
import { sceneOffset } from '../../../engine/scenes/scene-spans.ts';
import {
  type RenderedSegment,
  SegmentSpool,
  type SpooledSegment,
  segmentFrom,
} from '../../../engine/segments/rendered-segment.ts';
import { withScenesOf } from '../../../engine/segments/scenes-of-ranges.ts';
import { hasSegments } from '../../../engine/segments/segment.ts';
import { audioCodecOf, drawingKey } from '../../../engine/writers/frame-writer.ts';
import { groupBy } from '../../../kernel/group-by.ts';
import { TemporaryFile } from '../../../kernel/temporary-file.ts';
import type { Renderer, RenderOptions } from '../ports.ts';
import { DEFAULT_LIMITS } from '../processes/process-limits.ts';
import type { RenderTaskKind, TaskOptions, TaskRunner } from '../processes/tasks.ts';
import { allOrNone, inParallel, timeLimit } from './parallel-work.ts';
import {
  type Advance,
  type FilePieces,
  filesOf,
  type InputFiles,
  intoFile,
  type Piece,
  pieceFrames,
  pieceProgress,
  piecesOf,
  soundIntoFile,
  soundIntoMemory,
} from './pieces.ts';
import { addStills, renderSoundCached, renderUnits, storeSegment } from './render-cached.ts';
import type { SegmentCache } from './segment-cache.ts';
import { finishedIn, framesOf, PROCESSORS_PER_DRAWING, sharedTasksOf, tasksOf } from './segment-tasks.ts';

/**
 * Renders videos as pieces and joins them. A single machine renders all pieces. Workers of a farm and shards of an apply each
 * render some pieces, and one worker or shard joins them. The bytes are the same.
 */
export interface SegmentRenderer extends Renderer {
  /**
   * Renders some of the pieces that `piecesOf` returns.
   *
   * @returns the rendered pieces of each file, in memory
   * @throws as `render`
   */
  renderPieces(video: InputFiles, pieces: readonly Piece[], options?: RenderOptions): Promise<FilePieces[]>;
  /** Renders pieces for the cache only. @throws as `render` */
  cachePieces(video: InputFiles, pieces: readonly Piece[], options?: RenderOptions): Promise<void>;
  /**
   * Joins all pieces of a video and returns its files, the main file first.
   *
   * @param parts pieces of each file, of which one part after the other is in memory
   * @throws RenderError encode_failed if some pieces are missing; as `render`
   */
  join(video: InputFiles, parts: Parts, options?: RenderOptions): Promise<readonly RenderedFile[]>;
}

type Parts = Iterable<readonly FilePieces[]> | AsyncIterable<readonly FilePieces[]>;

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

/** What stays in memory of a segment. */
type HeldSegment = Omit<RenderedSegment, 'packets'>;
type HoldSegment<Held> = (file: number, segment: RenderedSegment) => Promise<Held>;

/** The rendered pieces of one file while a video is rendered. Sound and whole files are in temporary files. */
interface HeldPieces<Held extends HeldSegment> {
  segments: readonly Held[];
  sound: RenderedSound | null;
  whole: RenderedFile | null;
}

interface Target<Held extends HeldSegment> {
  readonly advance: Advance;
  /** By file. */
  readonly rendered: readonly HeldPieces<Held>[];
}

/** Creates a renderer that uses the processes of this machine. Files with equal `drawingKey` share drawn frames. */
export function createSegmentRenderer({
  runner,
  parallel,
  cache,
  totalMs = DEFAULT_LIMITS.totalMs,
}: SegmentRendererOptions): SegmentRenderer {
  /** Renders pieces. @param hold stores a segment, and returns what stays in memory of it */
  const renderHeld = async <Held extends HeldSegment>(
    video: InputFiles,
    pieces: readonly Piece[],
    hold: HoldSegment<Held>,
    options: RenderOptions,
  ): Promise<HeldPieces<Held>[]> => {
    const files = filesOf(video);
    const rendered = files.map((): HeldPieces<Held> => ({ segments: [], sound: null, whole: null }));
    const advance = pieceProgress(files, pieces, options.onProgress);
    const ofVideo: TaskOptions = { ...options, video: Symbol('video') };
    const drawings = groupBy(pieces, (piece) => drawingKey(files[firstFile(piece)]!));
    try {
      for (const group of drawings.values()) {
        const limit = timeLimit(group.some(({ kind }) => kind === 'segment') ? totalMs : null, options.signal);
        try {
          await allOrNone(limit.signal, (signal) => [
            renderSegments(video, group, { advance, hold, rendered }, { ...ofVideo, signal }),
            renderWhole(video, group, { advance, rendered }, { ...ofVideo, signal }),
            ...group.flatMap((piece) =>
              piece.kind === 'sound'
                ? [renderSound(video, piece.file, rendered, { ...silenced(ofVideo), signal })]
                : [],
            ),
          ]);
        } finally {
          limit.clear();
        }
        options.signal?.throwIfAborted();
      }
      return rendered;
    } catch (error) {
      closePieces(rendered);
      throw error;
    }
  };

  /** Joins the pieces of a video. Closes the files of sounds. */
  const joinHeld = async (
    video: InputFiles,
    pieces: readonly HeldPieces<SpooledSegment>[],
    spools: readonly SegmentSpool[],
    options: RenderOptions,
  ): Promise<RenderedFile[]> => {
    const results: RenderedFile[] = [];
    try {
      for (const [at, file] of filesOf(video).entries()) {
        const { segments = [], sound = null, whole = null } = pieces[at] ?? {};
        const isWhole = !hasSegments(file.output.format);
        if (isWhole ? whole === null : sound === null && hasMedia(video.renderInput)) throw pieceMissing();
        const spooled = { file: spools[at]!.file, segments };
        const input = { renderInput: file, segments: spooled, sound: sound ?? SILENCE };
        results.push(isWhole ? whole! : await runner.run('join', input, options));
      }
      return results;
    } catch (error) {
      for (const result of results) result.video.close();
      throw error;
    } finally {
      for (const { sound } of pieces) sound?.track?.packets.close();
    }
  };

  const renderer: SegmentRenderer = {
    async render(renderInput, { others = [], ...options } = {}) {
      const video = { renderInput, others };
      const spools = filesOf(video).map(() => new SegmentSpool());
      try {
        const hold: HoldSegment<SpooledSegment> = (file, segment) => spools[file]!.add(segment);
        const pieces = await renderHeld(video, piecesOf(video), hold, options);
        return await joinHeld(video, pieces, spools, silenced(options));
      } finally {
        for (const spool of spools) spool.close();
      }
    },

    async renderPieces(video, pieces, options = {}) {
      const rendered = await renderHeld(video, pieces, async (_file, segment) => segment, options);
      const plain = rendered.map(async ({ segments, sound, whole }) => ({
        segments,
        sound: sound === null ? null : await soundIntoMemory(sound),
        whole: whole === null ? null : await intoMemory(whole),
      }));
      return Promise.all(plain);
    },

    async cachePieces(video, pieces, options = {}) {
      closePieces(await renderHeld(video, pieces, async (_file, { packets: _, ...segment }) => segment, options));
    },

    async join(video, parts, options = {}) {
      const spools = filesOf(video).map(() => new SegmentSpool());
      const held = spools.map(({ segments }): HeldPieces<SpooledSegment> => ({ segments, sound: null, whole: null }));
      try {
        for await (const pieces of parts) {
          for (const [at, { segments, sound, whole }] of pieces.entries()) {
            for (const segment of segments) await spools[at]!.add(segment);
            if (sound !== null) held[at]!.sound = await soundIntoFile(sound);
            if (whole !== null) held[at]!.whole = await intoFile(whole);
          }
        }
        return await joinHeld(video, held, spools, options);
      } catch (error) {
        closePieces(held);
        throw error;
      } finally {
        for (const spool of spools) spool.close();
      }
    },
  };

  const renderSound = async (
    { renderInput: whole, others: furtherFiles }: InputFiles,
    file: number,
    rendered: readonly HeldPieces<HeldSegment>[],
    options: TaskOptions,
  ): Promise<void> => {
    // Fonts and images do not affect the sound.
    const renderInput = {
      ...withoutPictures(whole),
      ...filesOf({ renderInput: whole, others: furtherFiles })[file]!,
    } as AnyRenderInput;
    const request = { codec: audioCodecOf(renderInput.output.format), owner: options.owner ?? '' };
    rendered[file]!.sound = await renderSoundCached(cache, renderInput, request, (codec) =>
      runner.run('sound', { renderInput, codec }, options),
    );
  };

  const renderSegments = async <Held extends HeldSegment>(
    video: InputFiles,
    pieces: readonly Piece[],
    { advance, hold, rendered: target }: Target<Held> & { readonly hold: HoldSegment<Held> },
    options: TaskOptions,
  ): Promise<void> => {
    const segmentPieces = pieces.flatMap((piece) => (piece.kind === 'segment' ? [piece] : []));
    if (segmentPieces.length === 0) return;
    const all = filesOf(video);
    const files = [...new Set(segmentPieces.flatMap((piece) => piece.files))].sort((a, b) => a - b);
    const ranges = segmentPieces.map(({ range }) => range);
    // Segments contain no sound.
    const renderInput = { ...video.renderInput, ...all[files[0]!]!, sounds: [] } as AnyRenderInput;
    const outputs = files.map((file) => all[file]!.output);
    const keys = await cache?.keysOf({ renderInput, outputs, ranges, codec: null }, options.owner ?? '');
    const units = segmentPieces.flatMap(({ range, files: pieceFiles }, at) =>
      pieceFiles.map((file) => {
        const key = keys?.segments[at]?.[files.indexOf(file)] ?? null;
        return { range, file, key, offset: sceneOffset(all[file]!, range.first) };
      }),
    );
    type Unit = (typeof units)[number];

    const render = async (
      missing: readonly Unit[],
      keep: (unit: Unit, segment: RenderedSegment) => Promise<void>,
    ): Promise<void> => {
      const ofRanges = [...groupBy(missing, ({ range }) => range).values()];
      const shared = sharedTasksOf(ofRanges, renderInput, parallel);
      const tasks = shared ?? tasksOf(ofRanges, parallel);
      const isInOrder = shared === null;
      const processors = isInOrder ? 1 : PROCESSORS_PER_DRAWING;
      await allOrNone(options.signal, (signal) =>
        inParallel(tasks, parallel, async (task) => {
          signal.throwIfAborted();
          const taskRanges = task.map(([{ range }]) => range);
          let done = 0;
          const onDone = (frames: number): void => {
            const finished = finishedIn(taskRanges, frames, isInOrder) - finishedIn(taskRanges, done, isInOrder);
            advance((frames - done) * task[0]!.length, finished * task[0]!.length);
            done = frames;
          };
          const input = {
            renderInput: withScenesOf(renderInput, taskRanges),
            ranges: taskRanges,
            outputs: task[0]!.map(({ file }) => all[file]!.output),
          };
          const rendered = await runner.run('segments', input, { ...options, signal, processors, onProgress: onDone });
          onDone(framesOf(taskRanges));
          for (const [range, segments] of rendered.entries()) {
            for (const [at, segment] of segments.entries()) {
              const unit = task[range]![at]!;
              await keep(unit, segmentFrom(segment, unit.offset));
            }
          }
        }),
      );
    };
    // Videos share segments wherever their scenes lie, so frames of a value are counted from its scene.
    const done = await renderUnits<Unit, RenderedSegment, Held>(cache, units, {
      kind: 'segment',
      render,
      hold: ({ file, offset }, segment) => hold(file, segmentFrom(segment, -offset)),
      async store(key, segment) {
        await storeSegment(cache!, key, segment);
        if (!cache!.hasFailed) options.onStored?.();
      },
      onReused: ({ range }) => advance(framesOf([range]), 1, true),
      signal: options.signal,
    });
    const frames = [...new Set(renderInput.stills.map(({ frame }) => frame))];
    const finishing = files.map(async (file) => {
      const segments = units
        .filter((unit) => unit.file === file)
        .map((unit) => ({ ...unit, segment: done.get(unit)! }));
      const renderStills = (missing: readonly number[]) => {
        const shown = missing.map((frame) => ({ first: frame, end: frame + 1 }));
        const input = { renderInput: withScenesOf(renderInput, shown), frames: missing };
        return runner.run('frames', input, silenced(options));
      };
      // Only the main file has stills.
      const hasStills = cache !== null && file === 0;
      target[file]!.segments = hasStills
        ? await addStills(cache, segments, frames, renderStills)
        : segments.map(({ segment }) => segment);
    });
    await Promise.all(finishing);
  };

  const renderWhole = async (
    video: InputFiles,
    pieces: readonly Piece[],
    { advance, rendered: target }: Target<HeldSegment>,
    options: TaskOptions,
  ): Promise<void> => {
    const all = filesOf(video);
    const units = pieces.flatMap((piece) =>
      piece.kind === 'whole'
        ? piece.files.map((file) => ({ file, key: cache?.fileKey(all[file]!) ?? null, piece }))
        : [],
    );
    await renderUnits<(typeof units)[number], RenderedFile | InMemoryFile, void>(cache, units, {
      kind: 'file',
      async hold({ file }, result) {
        const { video: content } = result;
        target[file]!.whole =
          content instanceof TemporaryFile ? { ...result, video: content } : await intoFile(result as InMemoryFile);
      },
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
        const { video: content, ...rest } = result;
        if (!(content instanceof TemporaryFile) || content.size > MAX_CACHED_BYTES) return;
        await cache!.keep(key, { ...rest, video: await content.bytes() });
      },
      onReused: ({ file }) => advance(pieceFrames({ kind: 'whole', files: [file] }, all), 0),
      signal: options.signal,
    });
  };
  return renderer;
}

function firstFile(piece: Piece): number {
  return piece.kind === 'sound' ? piece.file : piece.files[0]!;
}

function closePieces(pieces: readonly HeldPieces<HeldSegment>[]): void {
  for (const { sound, whole } of pieces) {
    sound?.track?.packets.close();
    whole?.video.close();
  }
}

function pieceMissing(): RenderError {
  return new RenderError('encode_failed', 'A piece of the video is missing');
}

/** Removes the progress callback, because only frames of segments and files count as progress. */
function silenced({ onProgress: _, ...options }: TaskOptions): TaskOptions {
  return options;
}
