import { sceneOffset } from '../../../engine/scenes/scene-spans.ts';
import { segmentRanges, soundKey, stillKey } from '../../../engine/segments/segment.ts';
import { audioCodecOf, drawingKey } from '../../../engine/writers/frame-writer.ts';
import { defined } from '../../../kernel/defined.ts';
import type { Sha256 } from '../../../kernel/digest.ts';
import { groupBy } from '../../../kernel/group-by.ts';
import { cacheKeys } from '../segment-keys.ts';
import { filesOf, type InputFiles, type Piece, pieceFrames, piecesOf } from './pieces.ts';
import type { SegmentCache } from './segment-cache.ts';
import type { SegmentRenderer } from './segment-renderer.ts';

/** One of several machines that render the pieces of the same videos. */
export interface Shard {
  /** From 1 to `count`. */
  readonly index: number;
  readonly count: number;
}

/** Numbers of segments, and of files without segments. */
interface ShardCounts {
  readonly segments: number;
  readonly files: number;
}

/** The pieces of a video that a shard renders. */
interface ShardShare {
  readonly pieces: readonly Piece[];
  readonly share: ShardCounts;
  /** Numbers of new segments and files of the video, which no earlier video contains, for all shards. */
  readonly distinct: ShardCounts;
}

/**
 * Returns a function that assigns pieces of a video to a shard. Call it for all videos, in the same order on every shard. Each
 * distinct piece is assigned to the shard with the fewest frames so far, which spreads the consecutive segments of an edit.
 * Cached pieces are assigned too, because shards may have different caches. A still is drawn by the shard of its segment.
 */
function assignShares({ index, count }: Shard, cache: SegmentCache): (video: InputFiles) => ShardShare {
  const owners = new Map<Sha256, number>();
  const loads: number[] = Array.from({ length: count }, () => 0);
  const assign = (keys: readonly Sha256[], frames: number): boolean => {
    if (keys.length === 0) return false;
    const owner = loads.indexOf(Math.min(...loads));
    loads[owner] = loads[owner]! + Math.max(1, frames);
    for (const key of keys) owners.set(key, owner);
    return owner === index - 1;
  };
  /**
   * Assigns the stills of a segment of the main file to the shard of the segment. Returns whether they are new and this shard's: an
   * earlier video may contain the segment without them.
   */
  const assignStills = (segment: Sha256, frames: readonly number[]): boolean => {
    const owner = owners.get(segment)!;
    const stills = frames.map((frame) => stillKey(segment, frame)).filter((key) => !owners.has(key));
    for (const key of stills) owners.set(key, owner);
    return stills.length > 0 && owner === index - 1;
  };
  return (video) => {
    const files = filesOf(video);
    const keysOf = pieceKeys(video, cache);
    const pieces: Piece[] = [];
    const share = { segments: 0, files: 0 };
    const distinct = { segments: 0, files: 0 };
    for (const piece of piecesOf(video)) {
      const cached = keysOf(piece);
      const unassigned = cached.filter(({ key }) => !owners.has(key));
      const fileNumbers = unassigned.map(({ file }) => file);
      const keys = unassigned.map(({ key }) => key);
      const assigned = withFiles(piece, fileNumbers);
      const isOwn = assign(keys, pieceFrames(assigned, files));
      if (isOwn) pieces.push(assigned);
      const kind = COUNTED[piece.kind];
      if (kind !== null) distinct[kind] += unassigned.length;
      if (kind !== null && isOwn) share[kind] += unassigned.length;

      const main = cached.find(({ file }) => file === 0);
      if (piece.kind !== 'segment' || main === undefined) continue;
      const { first, end } = piece.range;
      const stills = video.renderInput.stills
        .map(({ frame }) => frame)
        .filter((frame) => frame >= first && frame < end)
        .map((frame) => frame - sceneOffset(video.renderInput, first));
      const needsStills = assignStills(main.key, stills);
      if (needsStills && !fileNumbers.includes(0)) pieces.push(withFiles(piece, [0]));
    }
    return { pieces, share, distinct };
  };
}

/** What the pieces of each kind are counted as. */
const COUNTED = { segment: 'segments', whole: 'files', sound: null } as const;

function withFiles(piece: Piece, files: readonly number[]): Piece {
  return piece.kind === 'sound' ? piece : { ...piece, files };
}

/** Returns a function from a piece to its cached files and their keys. Omits files that are not cached. */
function pieceKeys(
  video: InputFiles,
  cache: SegmentCache,
): (piece: Piece) => { readonly file: number; readonly key: Sha256 }[] {
  const files = filesOf(video);
  const segments = new Map<string, Sha256 | null>();
  for (const group of groupBy([...files.keys()], (file) => drawingKey(files[file]!)).values()) {
    const renderInput = { ...video.renderInput, ...files[group[0]]! };
    const ranges = segmentRanges(renderInput);
    const outputs = group.map((file) => files[file]!.output);
    const keys = cacheKeys({ renderInput, outputs, ranges, codec: null, build: cache.build }).segments;
    for (const [at, { first }] of ranges.entries())
      for (const [of, file] of group.entries()) segments.set(`${file} ${first}`, keys[at]![of]!);
  }
  const keyOf = (piece: Piece, file: number): Sha256 | null => {
    const { output, fps, frameCount } = files[file]!;
    switch (piece.kind) {
      case 'segment':
        return segments.get(`${file} ${piece.range.first}`) ?? null;
      case 'whole':
        return cache.fileKey(files[file]!);
      case 'sound': {
        const codec = audioCodecOf(output.format);
        const { sounds, loudness } = video.renderInput;
        const heard = { sounds, ...defined({ loudness }), fps, frameCount, output };
        return codec === null ? null : soundKey(heard, codec, cache.build);
      }
    }
  };
  return (piece) =>
    (piece.kind === 'sound' ? [piece.file] : piece.files).flatMap((file) => {
      const key = keyOf(piece, file);
      return key === null ? [] : [{ file, key }];
    });
}

/** A planned video. */
export interface ShardVideo {
  readonly id: string;
  /** @throws if a source cannot be read */
  video(): Promise<InputFiles>;
}

interface RenderShardOptions {
  readonly renderer: SegmentRenderer;
  readonly cache: SegmentCache;
  readonly concurrency: number;
  readonly signal: AbortSignal;
  /** Called when the share of a video is in the cache. */
  onVideo(id: string, share: ShardCounts): void;
}

interface ShardResult {
  /** Totals of this shard. */
  readonly share: ShardCounts;
  /** Totals of all shards, without duplicates. */
  readonly distinct: ShardCounts;
  readonly failed: readonly { readonly id: string; readonly error: unknown }[];
}

/**
 * Renders a shard's share of all videos into the cache of the renderer. A failed video does not affect others. Stops if the
 * cache fails, because the results would be lost.
 *
 * @param videos in plan order
 * @throws the signal's reason
 */
export async function renderShard(
  videos: readonly ShardVideo[],
  shard: Shard,
  { renderer, cache, concurrency, signal, onVideo }: RenderShardOptions,
): Promise<ShardResult> {
  const shareOf = assignShares(shard, cache);
  const failed: { readonly id: string; readonly error: unknown }[] = [];
  const counts = { share: { segments: 0, files: 0 }, distinct: { segments: 0, files: 0 } };
  // Inputs are large, so they are created one at a time, in order, when a lane is ready.
  async function* shares(): AsyncGenerator<ShardShare & { readonly id: string; readonly video: InputFiles }> {
    for (const { id, video: openVideo } of videos) {
      signal.throwIfAborted();
      if (cache.hasFailed) return;
      try {
        const video = await openVideo();
        yield { id, video, ...shareOf(video) };
      } catch (error) {
        failed.push({ id, error });
      }
    }
  }
  const pending = shares();
  const lane = async (): Promise<void> => {
    for await (const { id, video, pieces, share, distinct } of pending) {
      for (const kind of ['segments', 'files'] as const) {
        counts.share[kind] += share[kind];
        counts.distinct[kind] += distinct[kind];
      }
      if (pieces.length === 0) continue;
      try {
        await renderer.cachePieces(video, pieces, { signal });
        onVideo(id, share);
      } catch (error) {
        signal.throwIfAborted();
        failed.push({ id, error });
      }
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: Math.max(1, concurrency) }, lane));
  signal.throwIfAborted();
  for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason;
  return { ...counts, failed };
}
