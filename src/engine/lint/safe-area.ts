import { SAFE_AREAS, type SafeAreaName } from '../../template/safe-areas.ts';
import type { Scene } from '../../template/scene.ts';
import { type Polygon, visibleArea } from './text-geometry.ts';
import { LEAST_BEYOND, LEAST_VISIBLE, longestRun, READABLE, type TextSample, type TextTrack } from './text-tracks.ts';

const EDGES = ['top', 'right', 'bottom', 'left'] as const;
export type Edge = (typeof EDGES)[number];

/** Height of a picture, in widths, from which the margins of interfaces for upright videos apply. */
const UPRIGHT = 1.6;

/**
 * Finds the moment at which a text lies outside a safe area while it can be read, and the edges that it crosses. Ignores masked
 * texts, and pictures that the platform does not show in full height.
 */
export function findOutside(
  { samples }: TextTrack,
  scene: Scene,
  name: SafeAreaName,
): { readonly frame: number; readonly edges: readonly Edge[] } | undefined {
  if (name !== 'broadcast' && scene.height < UPRIGHT * scene.width) return undefined;
  const crossed = edgesCrossed(scene, name);
  const isRestless = !samples.some(({ isAtRest }) => isAtRest);
  const found = longestRun(samples, scene, (sample) => {
    const isShown = sample.strength >= READABLE && sample.visibleShare > LEAST_VISIBLE && sample.isDrawnAsLaidOut;
    return isShown && (sample.isAtRest || isRestless) && crossed(sample).length > 0;
  });
  return found === undefined ? undefined : { frame: found.frame, edges: crossed(found) };
}

function edgesCrossed(scene: Scene, name: SafeAreaName): (text: TextSample) => Edge[] {
  const margins = SAFE_AREAS[name];
  const [[left, top], , [right, bottom]] = visibleArea(scene) as readonly [Point, Point, Point];
  const [width, height] = [right - left, bottom - top];
  const tolerance = LEAST_BEYOND * Math.min(width, height);
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
