import { createCanvas, loadImage } from '@napi-rs/canvas';
import { describe, expect, test } from 'vitest';
import type { Transform } from '../../../src/contract/wire/mapping.ts';
import { MAX_IMAGE_BYTES } from '../../../src/engine/images/check-image.ts';
import { fitImage } from '../../../src/engine/images/fit-image.ts';
import { encodeStoredPng } from '../../../src/engine/images/png-file.ts';
import type { RenderError } from '../../../src/engine/render-error.ts';
import { testPicture, withExifOrientation } from '../pictures.ts';

async function fitted(bytes: Uint8Array, transform: Transform, width: number, height: number) {
  const image = { assetId: 'a', name: '(Footage)/USER/hero.jpg', bytes, transform, width, height };
  const { bytes: file } = await fitImage(image);
  const picture = await loadImage(file);
  expect([picture.width, picture.height]).toEqual([width, height]);
  const context = createCanvas(width, height).getContext('2d');
  context.drawImage(picture, 0, 0);
  return (x: number, y: number): number[] => [...context.getImageData(x, y, 1, 1).data];
}

async function pixelsOf(file: Buffer): Promise<Buffer> {
  const picture = await loadImage(file);
  const canvas = createCanvas(picture.width, picture.height);
  canvas.getContext('2d').drawImage(picture, 0, 0);
  return canvas.data();
}

/** Returns the quarter of `testPicture` that a pixel belongs to. */
function quarter([r, g, b, a]: number[]): string {
  if (a! < 128) return '.';
  return r! > 127 && b! > 127 ? 'w' : r! > 127 ? 'r' : g! > 127 ? 'g' : 'b';
}

/** Returns the quarters near the four corners: upper left, upper right, lower left, lower right. */
function corners(at: (x: number, y: number) => number[], width: number, height: number): string {
  const [left, top, right, bottom] = [1, 1, width - 2, height - 2];
  return [at(left, top), at(right, top), at(left, bottom), at(right, bottom)].map(quarter).join('');
}

async function code(bytes: Uint8Array, transform: Transform = {}): Promise<string> {
  const image = { assetId: 'a', name: 'photo.jpg', bytes, transform, width: 20, height: 20 };
  const error = (await fitImage(image).catch((reason: unknown) => reason)) as RenderError;
  expect(error.imageName).toBe('photo.jpg');
  return error.code;
}

describe('fitImage()', () => {
  const strategies: [string, Transform, string][] = [
    ['cover keeps the middle', { crop_strategy: 'cover' }, 'rgbw'],
    ['cover keeps the left', { crop_strategy: 'cover', focus_x: 0 }, 'rrbb'],
    ['cover keeps the right', { crop_strategy: 'cover', focus_x: 1 }, 'ggww'],
    ['contain leaves the rest transparent', { crop_strategy: 'contain' }, '....'],
    ['fill shows everything', { crop_strategy: 'fill' }, 'rgbw'],
    ['manual shows one quarter', { crop_strategy: 'manual', crop_x: 100, crop_width: 100, crop_height: 50 }, 'gggg'],
  ];
  test.each(strategies)('%s', async (_, transform, expected) => {
    const at = await fitted(await testPicture(200, 100).encode('png'), transform, 40, 40);
    expect(corners(at, 40, 40)).toBe(expected);
  });

  test('contain centres the picture over its background', async () => {
    const picture = await testPicture(200, 100).encode('png');
    const at = await fitted(picture, { crop_strategy: 'contain', background: '102030' }, 40, 40);
    expect(at(20, 2)).toEqual([0x10, 0x20, 0x30, 255]);
    expect([at(10, 15), at(30, 15), at(10, 25), at(30, 25)].map(quarter).join('')).toBe('rgbw');
  });

  test('preserves alpha', async () => {
    const canvas = createCanvas(10, 10);
    canvas.getContext('2d').fillStyle = 'rgba(255, 0, 0, 0.5)';
    canvas.getContext('2d').fillRect(0, 0, 10, 10);
    const at = await fitted(await canvas.encode('png'), {}, 20, 20);
    expect(at(10, 10)[3]).toBe(128);
  });

  test.each([
    ['png', 'keeps every value with every alpha', (alpha: number) => alpha],
    ['bmp', 'keeps every value of an opaque picture', () => 255],
  ] as const)('as a %s, %s', async (type, _, alphaOf) => {
    const rgba = Uint8Array.from({ length: 256 * 256 * 4 }, (_, at) => {
      const [row, column] = [at >> 10, (at >> 2) & 255];
      return [column, 255 - column, (column * 7 + row) & 255, alphaOf(row)][at % 4]!;
    });
    const png = encodeStoredPng(rgba, 256, 256);
    const fitted = await fitImage({ assetId: 'a', name: 'a', bytes: png, transform: {}, width: 256, height: 256 });
    expect(fitted.type).toBe(type);
    const [before, after] = await Promise.all([png, fitted.bytes].map(pixelsOf));
    expect(after!.equals(before!)).toBe(true);
  });

  test('averages an opaque picture of twice the size like any other', async () => {
    const jpeg = await testPicture(200, 100).encode('jpeg', 60);
    const canvas = createCanvas(200, 100);
    canvas.getContext('2d').drawImage(await loadImage(jpeg), 0, 0);
    const halves = [jpeg, await canvas.encode('png')].map((bytes) =>
      fitImage({ assetId: 'a', name: 'a', bytes, transform: {}, width: 100, height: 50 }),
    );
    const [direct, supersampled] = await Promise.all(halves);
    expect(direct!.bytes.equals(supersampled!.bytes)).toBe(true);
  });

  // Expected position of the stored quarters r, g, b, w. @see EXIF 2.32, 4.6.4, tag 274
  const orientations: [number, string][] = [
    [1, 'rgbw'],
    [2, 'grwb'],
    [3, 'wbgr'],
    [4, 'bwrg'],
    [5, 'rbgw'],
    [6, 'brwg'],
    [7, 'wgbr'],
    [8, 'gwrb'],
  ];
  test.each(orientations)('rotates a JPEG of EXIF orientation %i upright', async (orientation, expected) => {
    const jpeg = withExifOrientation(await testPicture(80, 40).encode('jpeg', 100), orientation);
    const [width, height] = orientation < 5 ? [80, 40] : [40, 80];
    expect(corners(await fitted(jpeg, { crop_strategy: 'fill' }, width, height), width, height)).toBe(expected);
  });

  test('measures a manual rectangle in the upright picture', async () => {
    const jpeg = withExifOrientation(await testPicture(80, 40).encode('jpeg', 100), 6);
    const at = await fitted(jpeg, { crop_strategy: 'manual', crop_x: 20, crop_y: 40 }, 20, 40);
    expect(quarter(at(10, 20))).toBe('g');
  });

  test.each(['webp', 'gif', 'avif'] as const)('reads %s', async (type) => {
    const at = await fitted(await testPicture(80, 40).encode(type as 'webp'), {}, 80, 40);
    expect(corners(at, 80, 40)).toBe('rgbw');
  });

  test('averages pixels when it scales down', async () => {
    const canvas = createCanvas(300, 300);
    const context = canvas.getContext('2d');
    for (let x = 0; x < 300; x += 2) context.fillRect(x, 0, 1, 300);
    context.globalCompositeOperation = 'destination-over';
    context.fillStyle = 'white';
    context.fillRect(0, 0, 300, 300);
    const at = await fitted(await canvas.encode('png'), {}, 75, 75);
    for (let x = 5; x < 70; x++) expect(Math.abs(at(x, 50)[0]! - 127)).toBeLessThan(4);
  });

  test('rejects unsupported types', async () => {
    expect(await code(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'))).toBe(
      'asset_type_unsupported',
    );
  });

  test('rejects too many bytes', async () => {
    expect(await code(new Uint8Array(MAX_IMAGE_BYTES + 1))).toBe('asset_too_large');
  });

  test('rejects a header that declares too many pixels without decoding it', async () => {
    const png = await testPicture(10, 10).encode('png');
    png.writeUInt32BE(30_000, 16);
    png.writeUInt32BE(30_000, 20);
    expect(await code(png)).toBe('asset_too_large');
  });

  test('rejects a truncated file, which the decoder would show half empty', async () => {
    const png = await testPicture(100, 100).encode('png');
    expect(await code(png.subarray(0, png.length - 40))).toBe('asset_decode_failed');
  });

  test('rejects files that cannot be decoded', async () => {
    const avif = await testPicture(64, 64).encode('avif');
    avif.fill(0, avif.indexOf('mdat') + 4);
    expect(await code(avif)).toBe('asset_decode_failed');
  });

  test('rejects a manual rectangle outside the picture', async () => {
    const png = await testPicture(10, 10).encode('png');
    expect(await code(png, { crop_strategy: 'manual', crop_x: 10 })).toBe('asset_decode_failed');
  });
});
