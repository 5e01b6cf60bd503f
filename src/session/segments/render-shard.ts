import type { Sha256 } from '../../digest.ts';
import type { AnyScene } from '../../engine/packed-scene.ts';
import { type FrameRange, segmentRanges, soundKey } from '../../engine/segments/segment.ts';
import { audioCodecOf } from '../../engine/writers/frame-writer.ts';
import { segmentKeys } from './cache-keys.ts';
import type { SegmentCache } from './segment-cache.ts';
import type { SegmentRenderer } from './segment-renderer.ts';

/** One of several machines that render the segments of the same videos. */
export interface Shard {
  /** From 1 to `count`. */
  readonly index: number;
  readonly count: number;
}

/** Segments of a video that a shard renders. */
export interface ShardShare {
  readonly segments: readonly FrameRange[];
  readonly hasSound: boolean;
  /** Number of segments that no earlier video has, of all shards. */
  readonly distinct: number;
}

/**
 * Returns a function that assigns the segments and sounds of videos to a shard. It has to be called for all videos, in
 * the same order on every shard. Distinct keys are dealt in turn, so that each belongs to exactly one shard and the
 * consecutive segments of an edit are spread evenly. Cached segments are dealt too, because the shards may see different
 * caches.
 *
 * @param build of the cache
 */
export function dealShares({ index, count }: Shard, build: string): (scene: AnyScene) => ShardShare {
  const dealt = new Set<Sha256>();
  const isOwn = (key: Sha256 | null): boolean => {
    if (key === null || dealt.has(key)) return false;
    dealt.add(key);
    return (dealt.size - 1) % count === index - 1;
  };
  return (scene) => {
    const codec = audioCodecOf(scene.output.format);
    const ranges = segmentRanges(scene);
    const dealtBefore = dealt.size;
    const keys = segmentKeys(scene, build);
    const segments = ranges.filter((_, at) => isOwn(keys[at]!));
    const distinct = dealt.size - dealtBefore;
    const hasSound = ranges.length > 0 && codec !== null && isOwn(soundKey(scene, codec, build));
    return { segments, hasSound, distinct };
  };
}

/** A planned video. */
export interface ShardVideo {
  readonly id: string;
  /** @throws if a source cannot be read */
  scene(): Promise<AnyScene>;
}

export interface RenderShardOptions {
  readonly renderer: SegmentRenderer;
  /** Cache of the renderer. */
  readonly cache: SegmentCache;
  /** Videos that are rendered concurrently. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  /** Called when the share of a video is in the cache. */
  onVideo(id: string, segments: number): void;
}

/** Result of a shard. */
export interface ShardResult {
  /** Distinct segments of all videos. */
  readonly segments: number;
  /** Segments that belong to this shard. */
  readonly share: number;
  /** Videos whose output has no segments, in plan order. */
  readonly whole: readonly string[];
  readonly failed: readonly { readonly id: string; readonly error: unknown }[];
}

/**
 * Renders a shard's share of all videos into the cache of the renderer. A video that fails does not affect others. Stops
 * when the cache fails, because the result would be lost.
 *
 * @param videos in plan order
 * @throws the signal's reason
 */
export async function renderShard(
  videos: readonly ShardVideo[],
  shard: Shard,
  { renderer, cache, concurrency, signal, onVideo }: RenderShardOptions,
): Promise<ShardResult> {
  const share = dealShares(shard, cache.build);
  const whole: string[] = [];
  const failed: { readonly id: string; readonly error: unknown }[] = [];
  const counts = { segments: 0, share: 0 };
  // Scenes are made one after the other, in order, and only as lanes take them: they are large.
  async function* shares(): AsyncGenerator<ShardShare & { readonly id: string; readonly scene: AnyScene }> {
    for (const { id, scene: makeScene } of videos) {
      signal.throwIfAborted();
      if (cache.hasFailed) return;
      try {
        const scene = await makeScene();
        if (segmentRanges(scene).length === 0) whole.push(id);
        else yield { id, scene, ...share(scene) };
      } catch (error) {
        failed.push({ id, error });
      }
    }
  }
  const pending = shares();
  const lane = async (): Promise<void> => {
    for await (const { id, scene, segments, hasSound, distinct } of pending) {
      counts.segments += distinct;
      counts.share += segments.length;
      if (segments.length === 0 && !hasSound) continue;
      try {
        if (segments.length > 0) await renderer.renderSegments(scene, segments, { signal });
        if (hasSound) await renderer.renderSound(scene, { signal });
        onVideo(id, segments.length);
      } catch (error) {
        signal.throwIfAborted();
        failed.push({ id, error });
      }
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: Math.max(1, concurrency) }, lane));
  signal.throwIfAborted();
  for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason;
  return { ...counts, whole, failed };
}
