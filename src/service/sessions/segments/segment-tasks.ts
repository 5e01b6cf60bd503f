import type { FrameRange } from '../../../engine/frame-rate.ts';
import { MAX_SHARED_SEGMENTS } from '../../../engine/segments/segment.ts';
import { groupBy } from '../../../kernel/group-by.ts';

export function framesOf(ranges: readonly FrameRange[]): number {
  return ranges.reduce((sum, { first, end }) => sum + end - first, 0);
}

/** Counts the ranges of a task that are finished after a number of frames. A process renders them in order. */
export function finishedIn(task: readonly FrameRange[], frames: number): number {
  return task.filter((_, at) => framesOf(task.slice(0, at + 1)) <= frames).length;
}

/** Units of one range, one for each file. */
type RangeUnits = readonly [SegmentUnit, ...SegmentUnit[]];

interface SegmentUnit {
  readonly range: FrameRange;
  readonly file: number;
}

/**
 * Groups ranges of the same files into tasks, the same number for each process. A process opens the input once for all ranges of
 * a task.
 */
export function tasksOf<Units extends RangeUnits>(missing: readonly Units[], parallel: number): Units[][] {
  const byFiles = groupBy(missing, (units) => units.map(({ file }) => file).join());
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
