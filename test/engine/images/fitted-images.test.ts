import { beforeAll, describe, expect, test } from 'vitest';
import { type FittedImage, FittedImageCache, fitImage } from '../../../src/engine/images/fit-image.ts';
import type { InputImage } from '../../../src/template/render-input.ts';
import { testPicture } from '../pictures.ts';

let bytes: Uint8Array;
beforeAll(async () => {
  bytes = await testPicture(64, 36).encode('png');
});

/** An image of about 3 kB after fitting. */
function image(changes: Partial<InputImage> = {}): InputImage {
  return { assetId: 'a', width: 32, height: 32, bytes, transform: { crop_strategy: 'cover' }, name: 'a', ...changes };
}

describe('FittedImageCache', () => {
  test('fits the same bytes for the same area once, whatever the name', async () => {
    const images = new FittedImageCache(1e6);
    const first = await images.fit(image());
    expect(first.bytes.equals((await fitImage(image())).bytes)).toBe(true);
    expect(await images.fit(image({ assetId: 'b', name: 'b', bytes: new Uint8Array(bytes) }))).toBe(first);
  });

  test('fits again for another area, another crop or other bytes', async () => {
    const images = new FittedImageCache(1e6);
    await images.fit(image());
    const changedImages = [
      image({ width: 33 }),
      image({ transform: { crop_strategy: 'contain' } }),
      image({ bytes: await testPicture(36, 64).encode('png') }),
    ];
    for (const changed of changedImages) {
      expect((await images.fit(changed)).bytes.equals((await fitImage(changed)).bytes)).toBe(true);
    }
  });

  test('evicts the least recently used images and never caches oversized ones', async () => {
    const images = new FittedImageCache(12_000);
    const isKept = async (input: InputImage, before: FittedImage): Promise<boolean> =>
      (await images.fit(input)) === before;
    const [first, second] = [await images.fit(image()), await images.fit(image({ height: 31 }))];
    expect(await isKept(image(), first)).toBe(true);
    for (const height of [30, 29]) await images.fit(image({ height }));
    expect(await isKept(image(), first)).toBe(true);
    expect(await isKept(image({ height: 31 }), second)).toBe(false);
    const large = image({ width: 64, height: 64 });
    expect(await isKept(large, await images.fit(large))).toBe(false);
  });

  test('fits equal images of an input once, and reports the first failure', async () => {
    const images = new FittedImageCache(1e6);
    const [first, second, third] = await images.fitAll([image(), image({ assetId: 'b' }), image({ height: 31 })]);
    expect(second).toBe(first);
    expect(third!.bytes.equals((await fitImage(image({ height: 31 }))).bytes)).toBe(true);
    const broken = ['c', 'd'].map((name) => image({ name, bytes: Buffer.from(name) }));
    await expect(images.fitAll([image(), ...broken])).rejects.toMatchObject({ imageName: 'c' });
  });
});
