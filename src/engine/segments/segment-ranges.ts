import type { Scene } from '../../template/scene.ts';
import { frameRateOf } from '../frame-rate.ts';

/** Seconds; at a whole number of frames per second. A player can seek to the start of each segment. */
const SEGMENT_SECONDS = 2;

/** Some frames in a row: `first` up to, but without, `end`. */
export interface FrameRange {
  readonly first: number;
  readonly end: number;
}

/**
 * The frames of each segment that an MP4 is rendered in, in order; none for another format. They depend on length and rate
 * alone, so that every process that renders some of them makes the same ones.
 */
export function segmentRanges({
  frameCount,
  fps,
  output,
}: Pick<Scene, 'frameCount' | 'fps'> & { readonly output: Pick<Scene['output'], 'format'> }): FrameRange[] {
  if (output.format !== 'mp4') return [];
  const { numerator, denominator } = frameRateOf(fps);
  const length = SEGMENT_SECONDS * Math.max(1, Math.round(numerator / denominator));
  return Array.from({ length: Math.ceil(frameCount / length) }, (_, index) => ({
    first: index * length,
    end: Math.min(frameCount, (index + 1) * length),
  }));
}
