import { SAFE_AREAS, type SafeAreaName } from '../../template/lint-severities.ts';
import type { RenderInput } from '../../template/render-input.ts';
import type { Polygon } from './text-geometry.ts';
import { MIN_BEYOND } from './text-tracks.ts';

const EDGES = ['top', 'right', 'bottom', 'left'] as const;
export type Edge = (typeof EDGES)[number];

/** Minimum ratio of height to width of upright videos, for which the safe areas of platforms are defined. */
const MIN_UPRIGHT_RATIO = 1.6;

/**
 * Returns a function that finds the edges of a safe area which lines cross.
 *
 * @param size of the output
 * @param picture what the output shows, in the pixels of the lines: an upright rectangle
 * @returns null for a picture that platforms do not show in full height, for which the area is not defined
 */
export function edgesCrossed(
  size: Pick<RenderInput, 'width' | 'height'>,
  picture: Polygon,
  name: SafeAreaName,
): ((text: { readonly lines: readonly Polygon[] }) => Edge[]) | null {
  if (name !== 'broadcast' && size.height < MIN_UPRIGHT_RATIO * size.width) return null;
  const margins = SAFE_AREAS[name];
  const [[left, top], , [right, bottom]] = picture as readonly [Point, Point, Point];
  const [width, height] = [right - left, bottom - top];
  const tolerance = MIN_BEYOND * Math.min(width, height);
  const beyond: Readonly<Record<Edge, (point: Point) => number>> = {
    top: ([, y]) => top + margins.top * height - y,
    right: ([x]) => x - (right - margins.right * width),
    bottom: ([, y]) => y - (bottom - margins.bottom * height),
    left: ([x]) => left + margins.left * width - x,
  };
  return ({ lines }) =>
    EDGES.filter((edge) => lines.some((line) => line.some((point) => beyond[edge](point) > tolerance)));
}

type Point = Polygon[number];
