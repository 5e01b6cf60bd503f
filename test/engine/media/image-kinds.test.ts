import { createCanvas, loadImage } from '@napi-rs/canvas';
import { describe, expect, test } from 'vitest';
import { fitImage } from '../../../src/engine/images/fit-image.ts';
import { cmykJpeg, displayP3, plainPng } from './raw-images.ts';

/** The middle pixel of an image fitted to its own size. */
async function fitted(bytes: Uint8Array): Promise<number[]> {
  const { bytes: file } = await fitImage({ assetId: 'a', name: 'a', bytes, transform: {}, width: 8, height: 8 });
  const context = createCanvas(8, 8).getContext('2d');
  context.drawImage(await loadImage(file), 0, 0);
  return [...context.getImageData(4, 4, 1, 1).data];
}

const linear = (value: number): number => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const curved = (value: number): number => (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055);

/** @see https://www.w3.org/TR/css-color-4/#color-conversion-code (Display P3 to sRGB) */
function p3ToSrgb(rgb: readonly [number, number, number]): number[] {
  const [r, g, b] = rgb.map((channel) => linear(channel / 255)) as [number, number, number];
  const rows = [
    [1.2249401, -0.2249404, 0],
    [-0.0420569, 1.0420571, 0],
    [-0.0196376, -0.0786361, 1.0982735],
  ] as const;
  return rows.map(([x, y, z]) => 255 * curved(Math.max(0, x * r + y * g + z * b)));
}

describe('fitImage()', () => {
  const kinds: [string, Buffer, number[]][] = [
    ['16 bits a channel', plainPng(16, 2, [0xc8, 0x80, 0x64, 0x10, 0x32, 0xff]), [200, 100, 51, 255]],
    ['16 bits with alpha', plainPng(16, 6, [0xc8, 0, 0x64, 0, 0x32, 0, 0x80, 0]), [200, 100, 50, 128]],
    ['grey with alpha', plainPng(8, 4, [90, 128]), [90, 90, 90, 128]],
    ['grey of 16 bits', plainPng(16, 0, [0x5a, 0x80]), [90, 90, 90, 255]],
    ['Display P3', plainPng(8, 2, [200, 100, 50], displayP3()), [...p3ToSrgb([200, 100, 50]), 255]],
    ['four inks', cmykJpeg([51, 102, 204, 0]), [204, 153, 51, 255]],
    ['four inks with black', cmykJpeg([0, 128, 255, 64]), [191, 95, 0, 255]],
  ];
  test.each(kinds)('shows the correct colour of a picture with %s', async (_, bytes, expected) => {
    const pixel = await fitted(bytes);
    for (const [channel, value] of expected.entries()) expect(Math.abs(pixel[channel]! - value)).toBeLessThanOrEqual(3);
  });
});
