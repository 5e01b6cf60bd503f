import type { KeyframePath } from '../lottie/path-points.ts';
import type { ExpressionValue, Sample } from './player-protocol.ts';

/**
 * Largest error of a value that thinning may cause, in the units of the property: a twentieth of a pixel, a degree or a
 * percent.
 */
export const THINNING_ERROR = 0.05;

/**
 * Returns the samples between which straight lines meet all others, up to an error. A value that stays the same leaves
 * its first and last sample.
 *
 * @param samples in ascending order of their times, which differ
 * @see https://en.wikipedia.org/wiki/Ramer%E2%80%93Douglas%E2%80%93Peucker_algorithm
 */
export function thinSamples(samples: readonly Sample[], error: number): Sample[] {
  if (samples.length <= 2) return [...samples];
  const rows = samples.map(({ value }) => numbersOf(value));
  const kept = new Set([0, samples.length - 1]);
  const open: [number, number][] = [[0, samples.length - 1]];
  for (let span = open.pop(); span !== undefined; span = open.pop()) {
    const [from, to] = span;
    const worst = worstBetween(samples, rows, from, to);
    if (worst === null || worst.distance <= error) continue;
    kept.add(worst.index);
    open.push([from, worst.index], [worst.index, to]);
  }
  return samples.filter((_, index) => kept.has(index));
}

/** Returns the sample that is farthest from the line between two others. */
function worstBetween(
  samples: readonly Sample[],
  rows: readonly (readonly number[])[],
  from: number,
  to: number,
): { index: number; distance: number } | null {
  let worst: { index: number; distance: number } | null = null;
  const [start, end] = [rows[from]!, rows[to]!];
  const duration = samples[to]!.time - samples[from]!.time;
  for (let index = from + 1; index < to; index++) {
    const share = (samples[index]!.time - samples[from]!.time) / duration;
    const row = rows[index]!;
    let distance = 0;
    for (const [at, value] of row.entries()) {
      distance = Math.max(distance, Math.abs(start[at]! + (end[at]! - start[at]!) * share - value));
    }
    if (worst === null || distance > worst.distance) worst = { index, distance };
  }
  return worst;
}

function numbersOf(value: ExpressionValue): readonly number[] {
  if (typeof value === 'number') return [value];
  if (isPath(value)) return [...value.v, ...value.i, ...value.o].flat();
  return 'text' in value ? [] : value;
}

export function isPath(value: ExpressionValue): value is KeyframePath {
  return typeof value === 'object' && 'c' in value;
}
