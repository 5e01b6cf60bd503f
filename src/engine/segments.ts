import type { FrameRate } from './frame-rate.ts';

/** Seconds; at a whole number of frames per second. A player can seek to the start of each segment. */
const SEGMENT_SECONDS = 2;

/** Some frames in a row: `first` up to, but without, `end`. */
export interface FrameRange {
  readonly first: number;
  readonly end: number;
}

/** Frames of every segment but the last, which may have fewer. */
export function segmentFrames(rate: FrameRate): number {
  return SEGMENT_SECONDS * Math.max(1, Math.round(rate.numerator / rate.denominator));
}

/**
 * The parts that every MP4 is encoded in, each by an encoder of its own, and joined of. They depend on length and rate
 * alone, so that whoever makes them, in whatever order, makes the same ones.
 */
export function segmentsOf({ frameCount, rate }: { frameCount: number; rate: FrameRate }): FrameRange[] {
  const length = segmentFrames(rate);
  return Array.from({ length: Math.ceil(frameCount / length) }, (_, index) => ({
    first: index * length,
    end: Math.min(frameCount, (index + 1) * length),
  }));
}
