import type { SegmentSpan } from './split-ports.ts';

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
