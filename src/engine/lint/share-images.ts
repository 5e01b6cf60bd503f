import type { InputImage } from '../../template/render-input.ts';
import { freeBuffers } from '../free-buffers.ts';
import { type FittedImage, fitSizes, fittedImageCache, imageKey } from '../images/fit-image.ts';
import { isMoving } from '../media/animate-images.ts';
import { reducedImage, SMALL_SIDE, TEXT_IMAGE_SIDE } from './reduced-input.ts';

/** An image that the other thread has fitted, or null if it could not. */
interface Shared {
  readonly index: number;
  readonly fitted: readonly FittedImage[] | null;
}

/** The end of a channel to the other thread. */
export interface Peer {
  postMessage(message: Shared): void;
  on(event: 'message', listener: (message: Shared) => void): unknown;
  once(event: 'close', listener: () => void): unknown;
  close(): void;
}

/**
 * Fits half of the images of an input to the sizes that lint draws, and takes the others from the thread that lints the other part of
 * it. Decoding an image takes longer than drawing fifty small frames. Lint itself fits those that the other thread could not.
 *
 * @param half which images this thread fits: 0 or 1
 * @param peer connected to the other thread; closed by the caller
 */
export async function shareImages(images: readonly InputImage[], half: number, peer: Peer): Promise<void> {
  const takers = new Map<number, (fitted: Shared['fitted']) => void>();
  peer.on('message', ({ index, fitted }) => takers.get(index)?.(fitted));
  peer.once('close', () => {
    for (const take of takers.values()) take(null);
  });
  const own: [index: number, sizes: InputImage[]][] = [];
  for (const [index, sizes] of sizesOf(images).entries()) {
    if (index % 2 === half) {
      own.push([index, sizes]);
      continue;
    }
    const given = new Promise<Shared['fitted']>((resolve) => takers.set(index, resolve));
    for (const [at, image] of sizes.entries()) {
      fittedImageCache.expect(
        image,
        given.then((fitted) => (fitted === null ? null : received(fitted[at]!))),
      );
    }
  }
  for (const [index, sizes] of own) {
    const fitted = await fitSizes(sizes).catch(() => null);
    peer.postMessage({ index, fitted });
    for (const [at, image] of sizes.entries()) if (fitted !== null) fittedImageCache.add(image, fitted[at]!);
    freeBuffers();
  }
}

/** Returns the sizes of each image, the largest file first. Moving images are drawn at sizes of their own. */
function sizesOf(images: readonly InputImage[]): InputImage[][] {
  const distinct = new Map(images.map((image) => [imageKey(image), image]));
  return [...distinct.values()]
    .filter((image) => !isMoving(image))
    .sort((a, b) => b.bytes.length - a.bytes.length)
    .map((image) => [SMALL_SIDE, TEXT_IMAGE_SIDE].map((side) => reducedImage(image, side)));
}

/** A message has the bytes as another type. */
function received({ type, bytes: { buffer, byteOffset, byteLength } }: FittedImage): FittedImage {
  return { type, bytes: Buffer.from(buffer, byteOffset, byteLength) };
}
