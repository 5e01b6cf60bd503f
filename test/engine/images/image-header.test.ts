import { createCanvas } from '@napi-rs/canvas';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { imageTypeOf, readImageHeader } from '../../../src/engine/images/image-header.ts';
import { runs } from '../../support/full-run.ts';
import { testPicture, withExifOrientation } from '../pictures.ts';

const types = ['png', 'jpeg', 'webp', 'gif', 'avif'] as const;

describe('readImageHeader()', () => {
  test.each(types)('reads type and size of %s', async (type) => {
    const header = readImageHeader(await testPicture(70, 50).encode(type as 'png'));
    expect(header).toEqual({ type, width: 70, height: 50, complete: true });
  });

  test('reads the size of a lossless and of a lossy WebP without an extended header', async () => {
    const lossy = Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64');
    const lossless = Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64');
    expect(readImageHeader(lossy)).toMatchObject({ type: 'webp', width: 1, height: 1 });
    expect(readImageHeader(lossless)).toMatchObject({ type: 'webp', width: 1, height: 1 });
  });

  test.each(types)('detects a truncated %s', async (type) => {
    const bytes = await testPicture(70, 50).encode(type as 'png');
    for (const share of [0.5, 0.8, 0.97]) {
      const header = readImageHeader(bytes.subarray(0, Math.floor(bytes.length * share)));
      expect(header?.complete ?? false).toBe(false);
    }
  });

  test('ignores the end marker of a preview inside a JPEG', async () => {
    const preview = Buffer.from([0xff, 0xe1, 0, 6, 0xff, 0xd8, 0xff, 0xd9]);
    const jpeg = await testPicture(70, 50).encode('jpeg');
    const whole = Buffer.concat([jpeg.subarray(0, 2), preview, jpeg.subarray(2)]);
    expect(readImageHeader(whole)).toMatchObject({ width: 70, complete: true });
    expect(readImageHeader(whole.subarray(0, -4))).toMatchObject({ width: 70, complete: false });
  });

  test('detects a flipped bit in the pixels of a PNG', async () => {
    const png = await testPicture(70, 50).encode('png');
    png[png.indexOf('IDAT') + 20]! ^= 1;
    expect(readImageHeader(png)?.complete).toBe(false);
  });

  test('returns the stored size of a rotated JPEG', async () => {
    const jpeg = withExifOrientation(await testPicture(70, 50).encode('jpeg'), 6);
    expect(readImageHeader(jpeg)).toMatchObject({ width: 70, height: 50 });
  });

  test('returns the larger of a GIF screen and its first frame', async () => {
    const gif = await createCanvas(4, 4).encode('gif');
    gif.writeUInt16LE(60_000, gif.indexOf(0x2c, 13) + 5);
    expect(readImageHeader(gif)).toMatchObject({ type: 'gif', width: 60_000 });
  });

  test('returns undefined for anything else and never throws', async () => {
    expect(readImageHeader(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toBeUndefined();
    const samples = await Promise.all(types.map((type) => testPicture(20, 20).encode(type as 'png')));
    fc.assert(
      fc.property(fc.constantFrom(...samples), fc.nat(200), fc.uint8Array({ maxLength: 60 }), (bytes, at, noise) => {
        const damaged = Buffer.from(bytes);
        damaged.set(noise.subarray(0, Math.max(0, damaged.length - at - 4)), Math.min(at + 4, damaged.length));
        expect(() => readImageHeader(damaged)).not.toThrow();
        expect(() => readImageHeader(damaged.subarray(0, at))).not.toThrow();
      }),
      { numRuns: runs(2_000) },
    );
  });
});

test('imageTypeOf() detects the type by the bytes', async () => {
  expect(imageTypeOf(await testPicture(4, 4).encode('png'))).toBe('png');
  expect(imageTypeOf(Buffer.from('GIF90a'))).toBeUndefined();
  expect(imageTypeOf(new Uint8Array())).toBeUndefined();
});
