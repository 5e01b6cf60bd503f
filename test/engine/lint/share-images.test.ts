import { beforeAll, describe, expect, it, vi } from 'vitest';
import { fitImage } from '../../../src/engine/images/fit-image.ts';
import { reducedImage } from '../../../src/engine/lint/reduced-input.ts';
import type { InputImage } from '../../../src/template/render-input.ts';
import { testPicture } from '../pictures.ts';

const SIDES = [160, 480];
let images: InputImage[];
beforeAll(async () => {
  const sizes = [900, 700, 500, 100].map((side) => testPicture(side, side).encode('png'));
  images = (await Promise.all(sizes)).map((bytes, at) => {
    const name = `image-${at}`;
    return { assetId: name, name, width: 600, height: 400, bytes, transform: { crop_strategy: 'cover' } };
  });
});

/** Returns the code as another thread loads it, with a cache of its own. */
async function ofThread() {
  vi.resetModules();
  const { shareImages } = await import('../../../src/engine/lint/share-images.ts');
  const { fittedImageCache } = await import('../../../src/engine/images/fit-image.ts');
  return { shareImages, fittedImageCache };
}

describe('shareImages()', () => {
  it('gives two threads all images as each would fit them', async () => {
    const { port1, port2 } = new MessageChannel();
    const [first, second] = [await ofThread(), await ofThread()];
    await Promise.all([first.shareImages(images, 0, port1), second.shareImages(images, 1, port2)]);
    for (const { fittedImageCache } of [first, second]) {
      for (const image of images.flatMap((item) => SIDES.map((side) => reducedImage(item, side)))) {
        const [fitted, expected] = [await fittedImageCache.fit(image), await fitImage(image)];
        expect(fitted.type).toBe(expected.type);
        expect(expected.bytes.equals(fitted.bytes)).toBe(true);
      }
    }
    port1.close();
  });

  it('leaves images to the thread that needs them if the other thread ends, or cannot fit them', async () => {
    const { port1, port2 } = new MessageChannel();
    const [first, second] = [await ofThread(), await ofThread()];
    const broken = { ...images[0]!, bytes: images[0]!.bytes.slice(0, 2_000), name: 'broken' };
    await first.shareImages([broken], 0, port1);
    await second.shareImages([broken, images[1]!], 1, port2);
    await expect(second.fittedImageCache.fit(reducedImage(broken, 160))).rejects.toMatchObject({ imageName: 'broken' });
    const { port1: left, port2: right } = new MessageChannel();
    await first.shareImages([images[1]!], 1, left);
    right.close();
    const expected = await fitImage(reducedImage(images[1]!, 160));
    expect(await first.fittedImageCache.fit(reducedImage(images[1]!, 160))).toEqual(expected);
    port1.close();
  });
});
