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
  /** How many renders of a tenant may be at work at once; Infinity where that is not limited. */
  placesOf(tenant: TenantId): number;
  onEvent?(event: PartEvent): void;
}

/**
 * Has long videos rendered in parts where places are idle, and lets a session wait whose scene another one has rendered in
 * parts already. What follows is `PartRunner`'s.
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
      // What is too short whatever the load costs no question to the database.
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

/** When it pays to render a video in parts. */
export interface SplitRules {
  /** Seconds of video in a part, at least. */
  readonly partSeconds: number;
  /**
   * Seconds that the render of a part is expected to take, at least: a part costs a process that may have to be started,
   * the scene to be fetched and opened, and its packets to be stored, together about a second.
   */
  readonly partRenderSeconds: number;
  /** Of the scene's fonts, images, clips and sounds: every part fetches all of them. */
  readonly sceneBytes: number;
}

export const SPLIT_RULES: SplitRules = { partSeconds: 4, partRenderSeconds: 3, sceneBytes: 256 * 2 ** 20 };

export interface SplitQuestion {
  /** Of the video; 0 for what is no MP4. */
  readonly segmentCount: number;
  readonly videoSeconds: number;
  /** Expected of a render in one piece. */
  readonly renderSeconds: number;
  readonly sceneBytes: number;
  /** Places that have nothing to do, and for which nothing is queued, beside the one that asks. */
  readonly idlePlaces: number;
}

/**
 * In how many parts a video is rendered: 1 for one piece. Decided by length and load alone, and never more than there are
 * places for at once.
 */
export function partsOf(question: SplitQuestion, rules: SplitRules = SPLIT_RULES): number {
  const { segmentCount, videoSeconds, renderSeconds, sceneBytes, idlePlaces } = question;
  if (sceneBytes > rules.sceneBytes) return 1;
  const byLength = atMost(videoSeconds, rules.partSeconds);
  const byWork = atMost(renderSeconds, rules.partRenderSeconds);
  return Math.max(1, Math.min(segmentCount, byLength, byWork, 1 + idlePlaces));
}

/** How many times some seconds are in others; 0 seconds bound nothing. */
function atMost(all: number, one: number): number {
  return one === 0 ? Number.POSITIVE_INFINITY : Math.floor(all / one);
}

/** The segments of each part: all of them, in order, and in each as many as in any other, or one more. */
export function partRanges(segmentCount: number, partCount: number): SegmentSpan[] {
  const bound = (part: number): number => Math.ceil((part * segmentCount) / partCount);
  return Array.from({ length: partCount }, (_, part) => ({ first: bound(part), end: bound(part + 1) }));
}
