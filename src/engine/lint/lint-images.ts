import type { Scene } from '../../template/scene.ts';
import { readImageHeader } from '../images/image-header.ts';
import { placeImage } from '../images/place-image.ts';
import type { LintFinding, Sighting } from './lint-finding.ts';

/** A picture that is enlarged more than this looks soft. */
const MOST_ENLARGED = 1.5;

/**
 * Images of editables that are enlarged until they look soft, by what of them is shown and the area that it fills.
 *
 * @param sightings by editable; an image that no frame shows is left alone
 */
export function lintImages(scene: Scene, sightings: ReadonlyMap<string, Sighting>): LintFinding[] {
  const scale = Math.min(1, scene.height / scene.animation.h);
  const filled = new Set(scene.animation.assets?.map(({ editable }) => editable));
  return scene.images.flatMap((image): LintFinding[] => {
    const sighting = sightings.get(image.name);
    const header = readImageHeader(image.bytes);
    const placement = header === undefined ? undefined : placeImage(header, image, image.transform);
    if (sighting === undefined || placement === undefined || !filled.has(image.name)) return [];
    const { source, target } = placement;
    const enlarged = Math.max(target.width / source.width, target.height / source.height) * scale;
    if (enlarged <= MOST_ENLARGED) return [];
    const sizes = {
      width: Math.round(source.width),
      height: Math.round(source.height),
      areaWidth: Math.round(target.width * scale),
      areaHeight: Math.round(target.height * scale),
    };
    return [{ code: 'image_too_small', editable: image.name, ...sighting, ...sizes }];
  });
}
