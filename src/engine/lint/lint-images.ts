import { DrawnImages } from '../../template/lottie/drawn-images.ts';
import type { Scene } from '../../template/scene.ts';
import { readImageHeader } from '../images/image-header.ts';
import { placeImage } from '../images/place-image.ts';
import type { LintFinding, Sighting } from './lint-finding.ts';

/** A picture that is enlarged more than this looks soft. */
const MOST_ENLARGED = 1.5;
/** Sizes that nobody can tell apart. */
const SAME = 0.99;

/**
 * Finds images of editables that are enlarged until they look soft, by the pixels that there are of the part that is shown and
 * those that they fill in the picture where they are drawn largest.
 *
 * @param sightings by editable; an image that no frame shows is left alone
 */
export function lintImages(scene: Scene, sightings: ReadonlyMap<string, Sighting>): LintFinding[] {
  const drawn = new DrawnImages(scene.animation);
  const largest = drawn.largest();
  // A picture that is larger than the animation enlarges everything: its maker asked for that.
  const scale = Math.min(1, scene.height / scene.animation.h);
  const filled = new Set(scene.animation.assets?.map(({ editable }) => editable));
  return scene.images.flatMap((image): LintFinding[] => {
    const sighting = sightings.get(image.name);
    const most = largest.get(image.assetId);
    if (sighting === undefined || most === undefined || !filled.has(image.name)) return [];
    const header = readImageHeader(image.bytes);
    const placement = header === undefined ? undefined : placeImage(header, image, image.transform);
    if (placement === undefined) return [];
    const { source, target } = placement;
    const [width, height] = [Math.min(source.width, target.width), Math.min(source.height, target.height)];
    const [areaWidth, areaHeight] = [target.width * most.x * scale, target.height * most.y * scale];
    if (Math.max(areaWidth / width, areaHeight / height) <= MOST_ENLARGED) return [];
    const sizes = {
      width: Math.round(width),
      height: Math.round(height),
      areaWidth: Math.round(areaWidth),
      areaHeight: Math.round(areaHeight),
    };
    const isLarge = source.width >= target.width && source.height >= target.height;
    const limit = isLarge ? 'asset' : 'image';
    const there = drawn.at((sighting.frame * scene.animation.fr) / scene.fps).get(image.assetId);
    const isLargest = there !== undefined && Math.max(there.x / most.x, there.y / most.y) >= SAME;
    const moment = isLargest ? sighting : momentOf(scene, most.frame);
    return [{ code: 'image_too_small', editable: image.name, ...moment, ...sizes, limit }];
  });
}

/** @param frame of the animation */
function momentOf({ fps, frameCount, animation, stills }: Scene, frame: number): Sighting {
  const own = Math.min(frameCount - 1, Math.round((frame * fps) / animation.fr));
  const still = stills.find((one) => one.frame === own)?.name ?? null;
  return { frame: own, seconds: own / fps, still };
}
