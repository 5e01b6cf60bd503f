import { segmentRanges } from '../../engine/segments/segment.ts';
import type { BoundScene } from '../bind-scene.ts';
import type { DistributedRenders, TenantId } from '../ports.ts';
import type { RenderTimeEstimate } from '../render-time.ts';
import {
  type ChunkEvent,
  type ChunkFiles,
  type DistributedRenderStore,
  packPayload,
  type RenderLoad,
  type SegmentSpan,
} from './chunk-ports.ts';

export interface DistributedRendersPorts {
  readonly renders: DistributedRenderStore;
  readonly files: ChunkFiles;
  readonly load: RenderLoad;
  readonly pace: RenderTimeEstimate;
  readonly rules: DistributionRules;
  /** Concurrent renders that a tenant may have; Infinity if unlimited. */
  slotsOf(tenant: TenantId): number;
  onEvent?(event: ChunkEvent): void;
}

/**
 * Distributes long videos over idle slots, and lets a session wait for another one that already renders the same scene.
 * `ChunkRunner` executes the jobs.
 */
export function createDistributedRenders({
  renders,
  files,
  load,
  pace,
  rules,
  slotsOf,
  onEvent,
}: DistributedRendersPorts): DistributedRenders {
  return {
    async take({ stored, scene, ...times }) {
      const { attempt } = stored;
      const { id } = stored.session;
      const of = { session: id, attempt };
      const segments = segmentRanges(scene);
      const question = {
        segmentCount: segments.length,
        videoSeconds: scene.frameCount / scene.fps,
        renderSeconds: pace.expect(scene),
        sceneBytes: bytesOf(scene),
      };
      // Short videos are decided without a database query.
      if (chunkCountOf({ ...question, idleSlots: segments.length }, rules) === 1) return false;
      if ((await renders.wait(of, 1)) === 'waits') {
        onEvent?.({ kind: 'session-waits', id, attempt });
        return true;
      }
      const { places, busy, queued } = await load.load();
      const idleSlots = Math.max(0, Math.min(places - busy - queued, slotsOf(stored.tenant) - 1));
      const chunks = chunkCountOf({ ...question, idleSlots }, rules);
      if (chunks === 1) return false;
      const { bytes, sha256 } = packPayload(scene);
      await files.putScene(of, bytes);
      const rows = chunkRanges(segments.length, chunks).map((range) => {
        const frameCount = segments[range.end - 1]!.end - segments[range.first]!.first;
        return { segments: range, frameCount, sha256: null };
      });
      if (await renders.begin(of, { ...times, sceneSha256: sha256, chunks: rows })) {
        onEvent?.({ kind: 'session-distributed', id, attempt, chunks });
      } else {
        await files.remove(of);
      }
      return true;
    },
  };
}

function bytesOf({ fonts, images, clips, sounds }: BoundScene): number {
  return [...fonts, ...images, ...clips, ...sounds].reduce((sum, { bytes }) => sum + bytes.length, 0);
}

/** Thresholds for rendering in chunks. */
export interface DistributionRules {
  /** Minimum seconds of video in a chunk. */
  readonly chunkSeconds: number;
  /**
   * Minimum estimated seconds to render a chunk: the overhead of a chunk (process start, loading the scene, storing its
   * packets) is about a second.
   */
  readonly chunkRenderSeconds: number;
  /** Maximum bytes of the scene's files, which every chunk loads. */
  readonly sceneBytes: number;
}

export const DISTRIBUTION_RULES: DistributionRules = {
  chunkSeconds: 4,
  chunkRenderSeconds: 3,
  sceneBytes: 256 * 2 ** 20,
};

export interface DistributionQuestion {
  /** Segments of the video; 0 unless MP4 or MOV. */
  readonly segmentCount: number;
  readonly videoSeconds: number;
  /** Estimate for one piece. */
  readonly renderSeconds: number;
  readonly sceneBytes: number;
  /** Idle slots without queued work, excluding the current one. */
  readonly idleSlots: number;
}

/**
 * Returns the number of chunks, 1 for one piece. Depends only on length and load, and never exceeds the available
 * slots.
 */
export function chunkCountOf(question: DistributionQuestion, rules: DistributionRules = DISTRIBUTION_RULES): number {
  const { segmentCount, videoSeconds, renderSeconds, sceneBytes, idleSlots } = question;
  if (sceneBytes > rules.sceneBytes) return 1;
  const byLength = atMost(videoSeconds, rules.chunkSeconds);
  const byWork = atMost(renderSeconds, rules.chunkRenderSeconds);
  return Math.max(1, Math.min(segmentCount, byLength, byWork, 1 + idleSlots));
}

/** Divides seconds; 0 seconds set no limit. */
function atMost(all: number, one: number): number {
  return one === 0 ? Number.POSITIVE_INFINITY : Math.floor(all / one);
}

/** Divides the segments into consecutive chunks whose lengths differ by at most one. */
export function chunkRanges(segmentCount: number, chunkCount: number): SegmentSpan[] {
  const bound = (chunk: number): number => Math.ceil((chunk * segmentCount) / chunkCount);
  return Array.from({ length: chunkCount }, (_, chunk) => ({ first: bound(chunk), end: bound(chunk + 1) }));
}
