/** A pixel with less coverage lies outside the text. */
export const MIN_TEXT_COVERAGE = 0.05;
/** Maximum distance of an outline or glow from a pixel, in pixels. */
export const HALO_REACH = 6;
/** Minimum change of a channel by an outline or glow, of 255. */
export const MIN_HALO_CHANGE = 12;
/** Minimum share of pixels at the edge of a text that have an outline or glow. */
export const MIN_HALO_SHARE = 0.6;

/**
 * Finds the nearest pixels without text to the left and right, above and below.
 *
 * @param found receives the indices of their red channels
 * @param pixel index of the pixel in `isText`
 * @returns their number
 */
export function findBeside(
  found: Int32Array,
  pixel: number,
  isText: Uint8Array,
  width: number,
  height: number,
): number {
  const x = pixel % width;
  const y = (pixel - x) / width;
  const left = nearestBeside(pixel, isText, -1, x);
  const right = nearestBeside(pixel, isText, 1, width - 1 - x);
  const above = nearestBeside(pixel, isText, -width, y);
  const below = nearestBeside(pixel, isText, width, height - 1 - y);
  let count = 0;
  if (left !== -1) found[count++] = 4 * left;
  if (right !== -1) found[count++] = 4 * right;
  if (above !== -1) found[count++] = 4 * above;
  if (below !== -1) found[count++] = 4 * below;
  return count;
}

/** @param step to the next pixel @param room number of pixels in this direction @returns -1 if there is none within reach */
function nearestBeside(pixel: number, isText: Uint8Array, step: number, room: number): number {
  const end = pixel + step * Math.min(HALO_REACH, room);
  for (let beside = pixel; beside !== end; ) {
    beside += step;
    if (isText[beside] !== 1) return beside;
  }
  return -1;
}
