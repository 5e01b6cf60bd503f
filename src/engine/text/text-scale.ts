import type { TextSpec } from './text-spec.ts';

/** As many as the rasteriser's own search makes, so that texts without kerning come out as large as it would set them. */
const MAX_TRIES = 16;

/**
 * The size of a text that follows its box, as a factor of its own: the largest found at which it fits, or the smallest
 * allowed where none does. The search doubles or halves until it has a size on either side, then divides between them.
 *
 * @param fits whether the text fits at a factor
 */
export function findScale(spec: TextSpec, fits: (scale: number) => boolean): number {
  if (spec.resize === 'none' || spec.size <= 0 || spec.text === '') return 1;
  const smallest = spec.minSize / spec.size;
  const largest = Math.max(spec.maxSize / spec.size, smallest);
  let scale = Math.min(Math.max(1, smallest), largest);
  let best = smallest;
  let fitting = smallest;
  let tooLarge = largest;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const previous = scale;
    if (fits(scale)) {
      best = scale;
      if (spec.resize === 'shrink' && tries === 0) break;
      fitting = scale;
      scale = tooLarge === largest ? Math.min(largest, scale * 2) : (fitting + tooLarge) / 2;
    } else {
      tooLarge = scale;
      scale = fitting === smallest ? Math.max(smallest, scale * 0.5) : (fitting + tooLarge) / 2;
    }
    if (scale === previous) break;
  }
  return best > 0 ? best : scale;
}
