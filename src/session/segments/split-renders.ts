import { segmentRanges } from '../../engine/segments/segment.ts';
import type { BoundScene } from '../bind-scene.ts';
import type { SplitRenders, TenantId } from '../ports.ts';
import type { RenderTimeEstimate } from '../render-time.ts';
import {
  type PartEvent,
  type PartFiles,
  packPayload,
  type RenderLoad,
  type SegmentSpan,
  type SplitStore,
} from './split-ports.ts';

export interface SplitRendersPorts {
  readonly splits: SplitStore;
  readonly files: PartFiles;
  readonly load: RenderLoad;
  readonly pace: RenderTimeEstimate;
  readonly rules: SplitRules;
  /** Concurrent renders that a tenant may have; Infinity if unlimited. */
  placesOf(tenant: TenantId): number;
  onEvent?(event: PartEvent): void;
}

/**
 * Distributes long videos over idle slots, and lets a session wait for another one that already renders the same scene.
 * `PartRunner` executes the jobs.
 */
export function createSplitRenders({
  splits,
  files,
  load,
  pace,
  rules,
  placesOf,
  onEvent,
}: SplitRendersPorts): SplitRenders {
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
      if (partsOf({ ...question, idlePlaces: segments.length }, rules) === 1) return false;
      if ((await splits.wait(of, 1)) === 'waits') {
        onEvent?.({ kind: 'session-waits', id, attempt });
        return true;
      }
      const { places, busy, queued } = await load.load();
      const idlePlaces = Math.max(0, Math.min(places - busy - queued, placesOf(stored.tenant) - 1));
      const parts = partsOf({ ...question, idlePlaces }, rules);
      if (parts === 1) return false;
      const { bytes, sha256 } = packPayload(scene);
      await files.putScene(of, bytes);
      const rows = partRanges(segments.length, parts).map((range) => {
        const frameCount = segments[range.end - 1]!.end - segments[range.first]!.first;
        return { segments: range, frameCount, sha256: null };
      });
      if (await splits.begin(of, { ...times, sceneSha256: sha256, parts: rows })) {
        onEvent?.({ kind: 'session-split', id, attempt, parts });
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
export interface SplitRules {
  /** Minimum seconds of video in a chunk. */
  readonly partSeconds: number;
  /**
   * Minimum estimated seconds to render a chunk: the overhead of a chunk (process start, loading the scene, storing its
   * packets) is about a second.
   */
  readonly partRenderSeconds: number;
  /** Maximum bytes of the scene's files, which every chunk loads. */
  readonly sceneBytes: number;
}

export const SPLIT_RULES: SplitRules = { partSeconds: 4, partRenderSeconds: 3, sceneBytes: 256 * 2 ** 20 };

export interface SplitQuestion {
  /** Segments of the video; 0 unless MP4 or MOV. */
  readonly segmentCount: number;
  readonly videoSeconds: number;
  /** Estimate for one piece. */
  readonly renderSeconds: number;
  readonly sceneBytes: number;
  /** Idle slots without queued work, excluding the current one. */
  readonly idlePlaces: number;
}

/**
 * Returns the number of chunks, 1 for one piece. Depends only on length and load, and never exceeds the available
 * slots.
 */
export function partsOf(question: SplitQuestion, rules: SplitRules = SPLIT_RULES): number {
  const { segmentCount, videoSeconds, renderSeconds, sceneBytes, idlePlaces } = question;
  if (sceneBytes > rules.sceneBytes) return 1;
  const byLength = atMost(videoSeconds, rules.partSeconds);
  const byWork = atMost(renderSeconds, rules.partRenderSeconds);
  return Math.max(1, Math.min(segmentCount, byLength, byWork, 1 + idlePlaces));
}

/** Divides seconds; 0 seconds set no limit. */
function atMost(all: number, one: number): number {
  return one === 0 ? Number.POSITIVE_INFINITY : Math.floor(all / one);
}

/** Divides the segments into consecutive chunks whose lengths differ by at most one. */
export function partRanges(segmentCount: number, partCount: number): SegmentSpan[] {
  const bound = (part: number): number => Math.ceil((part * segmentCount) / partCount);
  return Array.from({ length: partCount }, (_, part) => ({ first: bound(part), end: bound(part + 1) }));
}
