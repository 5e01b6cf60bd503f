import { isNumberList, isRecord } from '../../../kernel/json.ts';
import type { LottieNode } from '../lottie-layers.ts';

const RANDOM = /(?<![\w$.])(?:random|gaussRandom|noise|wiggle|temporalWiggle)\s*\(/;
/** Smallest visible change of an angle or percentage, and of a colour. */
const SEEN_UNITS = 5;
const SEEN_COLOR = 0.05;
/** Smallest visible movement or growth, as a share of the picture's shorter side. */
const SEEN_SHARE = 0.025;
/** Keys of properties in degrees and percent. */
const UNITS = new Set<string | undefined>(['r', 'rx', 'ry', 'rz', 'o', 'sk', 'sa', 'or', 'so', 'eo']);

/**
 * Returns whether an expression with random numbers visibly moves a property. Programs draw different random numbers.
 *
 * @param property baked by `bakeExpressions`
 * @param path from the layer to the property
 * @param side shorter side of the picture in pixels
 */
export function isSeenToBeRandom({ baked, k }: LottieNode, path: readonly string[], side: number): boolean {
  if (!isRecord(baked) || typeof baked.expression !== 'string' || !RANDOM.test(baked.expression)) return false;
  if (!Array.isArray(k)) return false;
  const starts = (k as unknown[]).flatMap((frame) => (isRecord(frame) ? [frame.s] : []));
  if (!starts.every(isNumberList)) return new Set(starts.map((start) => JSON.stringify(start))).size > 1;
  const key = path.at(-1);
  const isInUnits = UNITS.has(key) || (key === 's' && path.at(-2) === 'ks');
  const least = key === 'c' ? SEEN_COLOR : isInUnits ? SEEN_UNITS : side * SEEN_SHARE;
  const first = starts[0] ?? [];
  return first.some((_, axis) => {
    const values = starts.map((start) => start[axis] ?? 0);
    return Math.max(...values) - Math.min(...values) >= least;
  });
}
