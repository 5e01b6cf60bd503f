import { frameRateOf } from '../../contract/timeline/frame-rate.ts';
import { ceiling, divide, type Rational, rational, rationalRate } from '../../contract/timeline/rational.ts';
import { outputFrameOf } from '../../contract/timeline/resolve-timeline.ts';
import { Memory } from '../../kernel/memory.ts';
import type { InputFile, InputTimeline } from '../../template/render-input.ts';
import type { FrameRange } from '../frame-rate.ts';

/** Consecutive frames of a video that belong to a scene and show it alone, or together with a neighbour. */
export interface SceneSpan extends FrameRange {
  /** Index of the scene. */
  readonly scene: number;
  /** First frame of that scene, from which its frames are counted. */
  readonly offset: number;
  /** The other scene of a transition: -1 for the scene before, 1 for the scene after; 0 outside transitions. */
  readonly neighbour: -1 | 0 | 1;
}

/** A file of a video with several scenes. */
export type TimelineFile = Pick<InputFile, 'fps' | 'frameCount'> & { readonly timeline: InputTimeline };

/** Returns the frames of the timeline for each frame of a file. */
export function timelineStep({ fps, timeline }: TimelineFile): Rational {
  return divide(rationalRate(timeline.rate), rationalRate(frameRateOf(fps)));
}

/** Returns the first frame of each scene, and the number of frames. A scene that is shorter than a frame may have none. */
export function sceneStarts({ fps, frameCount, timeline }: TimelineFile): number[] {
  const rate = frameRateOf(fps);
  const starts = timeline.scenes.map(({ start }) => Math.min(frameCount, outputFrameOf(start, timeline.rate, rate)));
  return [...starts, frameCount];
}

/** The fields of a file that say which scene a frame belongs to. */
type SceneFile = Pick<InputFile, 'fps' | 'frameCount' | 'timeline'>;

/** Returns the index of the scene that a frame of a file belongs to; null for a video of one template. */
export function sceneAt({ timeline, ...file }: SceneFile, frame: number): number | null {
  if (timeline === undefined) return null;
  return sceneStarts({ ...file, timeline })
    .slice(0, -1)
    .findLastIndex((start) => start <= frame);
}

/** Returns the first frame of the scene that a frame of a file belongs to; 0 for a video of one template. */
export function sceneOffset({ timeline, ...file }: SceneFile, frame: number): number {
  if (timeline === undefined) return 0;
  return sceneStarts({ ...file, timeline })[sceneAt({ timeline, ...file }, frame)!]!;
}

/**
 * Returns the spans of a file in order. Each frame belongs to the scene in whose time it lies; a transition before a scene belongs to
 * the scene that it replaces.
 */
export function sceneSpans(file: TimelineFile): SceneSpan[] {
  const { scenes } = file.timeline;
  const starts = sceneStarts(file);
  const step = timelineStep(file);
  const frameAt = (time: number): number => ceiling(divide(rational(time), step));
  return scenes.flatMap(({ start, length, transition }, scene) => {
    const [offset, end] = [starts[scene]!, starts[scene + 1]!];
    const within = (frame: number, from: number): number => Math.max(from, Math.min(end, frame));
    const next = scenes[scene + 1]?.transition ?? null;
    const entered =
      transition === null || transition.from < start ? offset : within(offset + frameAt(transition.frames), offset);
    const isLeft = next !== null && next.from < start + length;
    const left = isLeft ? within(offset + frameAt(next.from - start), entered) : end;
    const spans: SceneSpan[] = [
      { scene, offset, first: offset, end: entered, neighbour: -1 },
      { scene, offset, first: entered, end: left, neighbour: 0 },
      { scene, offset, first: left, end, neighbour: 1 },
    ];
    return spans.filter((span) => span.end > span.first);
  });
}

/** Shortest remainder of a segment, as a share of a second. */
const MIN_REMAINDER = 0.5;

const segments = new Memory<FrameRange[]>();

/**
 * Returns the segments of a file: a grid from the first frame of each scene, with further boundaries where its transitions end and
 * begin. A segment below half a second is joined with the next of its scene, or else with the one before.
 *
 * @param length of a segment of the grid in frames
 * @param second frames in a second
 */
export function sceneSegments(file: TimelineFile, length: number, second: number): readonly FrameRange[] {
  const { timeline, fps, frameCount } = file;
  return segments.of(timeline, `${fps} ${frameCount} ${length} ${second}`, () => newSegments(file, length, second));
}

function newSegments(file: TimelineFile, length: number, second: number): FrameRange[] {
  const starts = sceneStarts(file);
  const spans = sceneSpans(file);
  return file.timeline.scenes.flatMap((_, scene) => {
    const [offset, end] = [starts[scene]!, starts[scene + 1]!];
    const grid = Array.from({ length: Math.ceil((end - offset) / length) }, (__, at) => offset + at * length);
    const ends = spans.filter((span) => span.scene === scene).map((span) => span.first);
    const bounds = [...new Set([...grid, ...ends])].sort((a, b) => a - b);
    const ranges: FrameRange[] = [];
    let first = offset;
    for (const bound of [...bounds.slice(1), end]) {
      if (bound < end && bound - first < second * MIN_REMAINDER) continue;
      const isRemainder = bound - first < second * MIN_REMAINDER;
      const before = isRemainder ? ranges.pop() : undefined;
      if (bound > first) ranges.push({ first: before?.first ?? first, end: bound });
      first = bound;
    }
    return ranges;
  });
}
