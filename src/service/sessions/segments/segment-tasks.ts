import type { FrameRange } from '../../../engine/frame-rate.ts';
import type { AnyRenderInput } from '../../../engine/packed-input.ts';
import { imageBytes, MAX_SHARED_IMAGE_BYTES } from '../../../engine/segments/drawings.ts';
import { MAX_SHARED_SEGMENTS } from '../../../engine/segments/segment.ts';
import { groupBy } from '../../../kernel/group-by.ts';

export function framesOf(ranges: readonly FrameRange[]): number {
  return ranges.reduce((sum, { first, end }) => sum + end - first, 0);
}

/**
 * Counts the ranges of a task that are certainly finished after a number of frames.
 *
 * @param isInOrder true if the process renders them in order
 */
export function finishedIn(task: readonly FrameRange[], frames: number, isInOrder: boolean): number {
  if (!isInOrder) return frames === framesOf(task) ? task.length : 0;
  return task.filter((_, at) => framesOf(task.slice(0, at + 1)) <= frames).length;
}

function filesKey(units: RangeUnits): string {
  return units.map(({ file }) => file).join();
}

/** Units of one range, one for each file. */
type RangeUnits = readonly [SegmentUnit, ...SegmentUnit[]];

interface SegmentUnit {
  readonly range: FrameRange;
  readonly file: number;
}

/** Processors that a single drawing thread supplies with frames: drawing takes about half of the time of encoding. */
export const PROCESSORS_PER_DRAWING = 2;
/** Maximum number of ranges that are drawn by one thread and encoded at once. */
const MAX_AT_ONCE = 3;
/** Maximum pixels of all frames that are encoded at once: encoders keep about 20 frames. Three of 1920 × 1080 pixels fit. */
const MAX_PIXELS_AT_ONCE = 8_400_000;

/**
 * Groups a few ranges into tasks that encode their ranges at once, from one drawing for two processors: a second drawing would take as
 * long as ten frames, and of three ranges in two tasks the last is rendered while a processor is idle.
 *
 * @returns null for more ranges, for large frames, and for inputs that are drawn in order or one segment at a time
 */
export function sharedTasksOf<Units extends RangeUnits>(
  missing: readonly Units[],
  renderInput: AnyRenderInput,
  parallel: number,
): Units[][] | null {
  const hasSameFiles = missing.every((units) => filesKey(units) === filesKey(missing[0]!));
  if (missing.length < 2 || parallel < 2 || !hasSameFiles || !mayDrawAtOnce(renderInput)) return null;
  const count = Math.ceil(Math.min(missing.length, parallel) / PROCESSORS_PER_DRAWING);
  const atOnce = Math.ceil(missing.length / count);
  const pixels = renderInput.width * renderInput.height * atOnce * missing[0]!.length;
  return atOnce > MAX_AT_ONCE || pixels > MAX_PIXELS_AT_ONCE ? null : distribute(missing, count);
}

/** Scenes have drawings of their own, clips are decoded in order, and large images may be kept for one segment only. */
function mayDrawAtOnce(renderInput: AnyRenderInput): boolean {
  if ('scenes' in renderInput || renderInput.clips.length > 0) return false;
  return imageBytes(renderInput.images) <= MAX_SHARED_IMAGE_BYTES;
}

/**
 * Groups ranges of the same files into tasks, the same number for each process. A process opens the input once for all ranges of
 * a task.
 */
export function tasksOf<Units extends RangeUnits>(missing: readonly Units[], parallel: number): Units[][] {
  const byFiles = groupBy(missing, filesKey);
  return [...byFiles.values()].flatMap((ranges) => {
    const count = Math.min(ranges.length, parallel * Math.ceil(ranges.length / (parallel * MAX_SHARED_SEGMENTS)));
    return distribute(ranges, count);
  });
}

/**
 * Distributes ranges over tasks with about the same number of frames. Prefers to keep consecutive ranges together, because they
 * show the same layers.
 */
function distribute<Units extends RangeUnits>(ranges: readonly Units[], count: number): Units[][] {
  const tasks = Array.from({ length: count }, () => ({ frames: 0, ranges: [] as Units[] }));
  const byLength = groupBy(ranges, ([{ range }]) => framesOf([range]));
  for (const [length, sameLength] of [...byLength].sort(([a], [b]) => b - a)) {
    const assigned = sameLength.map(() => {
      const smallest = tasks.reduce((a, b) => (b.frames < a.frames ? b : a));
      smallest.frames += length;
      return tasks.indexOf(smallest);
    });
    for (const [at, task] of assigned.sort((a, b) => a - b).entries()) tasks[task]!.ranges.push(sameLength[at]!);
  }
  return tasks.map((task) => task.ranges.sort(([a], [b]) => a.range.first - b.range.first));
}
