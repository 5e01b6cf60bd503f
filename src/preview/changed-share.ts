import pixelmatch from 'pixelmatch';
import { readPixels } from '../engine/images/picture-pixels.ts';

/**
 * How different two pixels have to be, 0..1 of the distance between black and white in YIQ: about eight of 255 steps of
 * brightness. Both sides come from one engine on one machine, so that what differs does so because of the change.
 */
const THRESHOLD = 0.03;

/** Up to this share of changed pixels nobody can tell two pictures apart: two pixels of a frame of 640×360. */
export const INVISIBLE_SHARE = 0.00001;

/**
 * The share of the pixels in which two pictures of this engine differ, 0..1; 1 where they are of different sizes. Softened
 * edges count like any other pixel.
 *
 * @param before PNG
 * @param after PNG
 * @see Kotsarenko, Ramos: Measuring perceived color difference using YIQ NTSC transmission color space (2010)
 */
export async function changedShare(before: Uint8Array, after: Uint8Array): Promise<number> {
  if (Buffer.from(before.buffer, before.byteOffset, before.length).equals(after)) return 0;
  const [a, b] = await Promise.all([readPixels(before), readPixels(after)]);
  const { width, height } = a;
  if (b.width !== width || b.height !== height) return 1;
  const changed = pixelmatch(a.data, b.data, undefined, width, height, { threshold: THRESHOLD, includeAA: true });
  return changed / (width * height);
}
