import pixelmatch from 'pixelmatch';

/** A picture as it was drawn. */
export interface PicturePixels {
  readonly width: number;
  readonly height: number;
  /** RGBA, row-major, width*height*4 bytes, straight alpha. */
  readonly data: Uint8Array;
}

export function isEqual(a: PicturePixels, b: PicturePixels): boolean {
  return a.width === b.width && a.height === b.height && Buffer.compare(a.data, b.data) === 0;
}

/**
 * How different two pixels have to be, 0..1 of the distance between black and white in YIQ: about eight of 255 steps of
 * brightness. Both sides come from one engine on one machine, so that what differs does so because of the change.
 */
const THRESHOLD = 0.03;

/**
 * The share of the pixels in which two pictures of this engine differ, 0..1; 1 where they are of different sizes. Softened
 * edges count like any other pixel.
 *
 * @see Kotsarenko, Ramos: Measuring perceived color difference using YIQ NTSC transmission color space (2010)
 */
export function changedShare(before: PicturePixels, after: PicturePixels): number {
  const { width, height } = before;
  if (after.width !== width || after.height !== height) return 1;
  if (isEqual(before, after)) return 0;
  const options = { threshold: THRESHOLD, includeAA: true };
  return pixelmatch(before.data, after.data, undefined, width, height, options) / (width * height);
}
