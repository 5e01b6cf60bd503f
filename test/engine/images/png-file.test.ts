import { createCanvas, loadImage } from '@napi-rs/canvas';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readImageHeader } from '../../../src/engine/images/image-header.ts';
import { encodeStoredPng } from '../../../src/engine/images/png-file.ts';
import { runs } from '../../support/full-run.ts';

/** Decodes with another reader, Skia. */
async function decode(png: Buffer, width: number, height: number): Promise<Uint8ClampedArray> {
  const context = createCanvas(width, height).getContext('2d');
  context.drawImage(await loadImage(png), 0, 0);
  return context.getImageData(0, 0, width, height).data;
}

/** A picture with opaque and, if `holes`, fully transparent pixels, which every decoder reproduces exactly. */
const picture = fc
  .record({ width: fc.integer({ min: 1, max: 40 }), height: fc.integer({ min: 1, max: 40 }), holes: fc.boolean() })
  .chain(({ width, height, holes }) => {
    const pixel = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.boolean());
    const pixels = fc.array(pixel, { minLength: width * height, maxLength: width * height });
    return pixels.map((list) => {
      const bytes = list.flatMap(([r, g, b, hole]) => (holes && hole ? [0, 0, 0, 0] : [r, g, b, 255]));
      return { width, height, rgba: Uint8Array.from(bytes) };
    });
  });

describe('encodeStoredPng()', () => {
  test('writes a PNG that another decoder reads back exactly', async () => {
    await fc.assert(
      fc.asyncProperty(picture, async ({ width, height, rgba }) => {
        const png = encodeStoredPng(rgba, width, height);
        expect(readImageHeader(png)).toEqual({ type: 'png', width, height, complete: true });
        expect(Buffer.from(await decode(png, width, height))).toEqual(Buffer.from(rgba));
      }),
      { numRuns: runs(50) },
    );
  });

  test('preserves partial transparency', async () => {
    const [r, g, b, a] = await decode(encodeStoredPng(Uint8Array.of(200, 100, 50, 128), 1, 1), 1, 1);
    expect([r, g, b].map((value, index) => Math.abs(value! - [200, 100, 50][index]!) <= 2)).toEqual([true, true, true]);
    expect(a).toBe(128);
  });

  test('omits alpha from an opaque picture', () => {
    const opaque = encodeStoredPng(new Uint8Array(400).fill(255), 10, 10);
    const transparent = encodeStoredPng(new Uint8Array(400), 10, 10);
    expect(transparent.length - opaque.length).toBe(100);
  });
});
