/** Height of a graph in units of its picture; its width is the number of columns. */
export const GRAPH_HEIGHT = 100;

/** Decibels from the top of a graph to its bottom. */
const CURVE_DECIBELS = 30;

/** LUFS at the bottom of a graph; 0 is at the top. */
const LOWEST_LUFS = -60;

/**
 * Draws peaks around the middle, as the path of an area. Quiet sounds are drawn larger than they are, so that they can be seen.
 *
 * @param peaks 255 is full scale
 */
export function peaksPath(peaks: readonly number[]): string {
  const middle = GRAPH_HEIGHT / 2;
  const reach = peaks.map((peak) => Math.max(0.5, middle * Math.sqrt(peak / 255)));
  const upper = reach.map((half, column) => `${column} ${round(middle - half)}H${column + 1}`).join('L');
  const lower = reach.map((half, column) => `${column + 1} ${round(middle + half)}H${column}`).reverse();
  return peaks.length === 0 ? '' : `M${upper}L${lower.join('L')}Z`;
}

/** Draws the decibels by which a sound is lowered, as a line that hangs from the top. */
export function curvePath(curve: readonly number[]): string {
  return linePath(curve.map((decibels) => Math.min(1, decibels / CURVE_DECIBELS)));
}

/** Draws loudness in LUFS as a line; null is silence. */
export function loudnessPath(levels: readonly (number | null)[]): string {
  return linePath(levels.map(loudnessDepth));
}

/** Returns how far below the top of a graph a loudness is, as a share of its height. */
export function loudnessDepth(level: number | null): number {
  return Math.min(1, Math.max(0, (level ?? LOWEST_LUFS) / LOWEST_LUFS));
}

/** Joins points in the middle of columns. @param depths 0 at the top, 1 at the bottom. Points on a straight line are left out */
function linePath(depths: readonly number[]): string {
  const needed = depths.flatMap((depth, column) => {
    const isStraight = depth === depths[column - 1] && depth === depths[column + 1];
    return isStraight ? [] : [`${column + 0.5} ${round(1 + depth * (GRAPH_HEIGHT - 2))}`];
  });
  return needed.length === 0 ? '' : `M${needed.join('L')}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
