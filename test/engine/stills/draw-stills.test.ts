import { describe, expect, test } from 'vitest';
import type { Transform } from '../../../src/contract/wire/mapping.ts';
import { openRasterizer } from '../../../src/engine/raster/rasterizer.ts';
import { RenderError } from '../../../src/engine/render-error.ts';
import { drawStills } from '../../../src/engine/stills/draw-stills.ts';
import { imageLayer, inputOf, movingInput, placed, rectangleLayer } from '../inputs.ts';
import { testPicture } from '../pictures.ts';
import { drawFrame, expectFrame, pixels } from '../stored-frame.ts';

describe('drawStills()', () => {
  test('draws shapes, easing and text with an embedded font', () => expectFrame(movingInput(), 5, 'moving'));

  test('draws the stills of several inputs at once', async () => {
    const inputs = [0, 4, 8].map((frame) => {
      const input = movingInput();
      return { ...input, stills: [frame, frame + 1].map((at) => ({ name: `at ${at}`, frame: at })) };
    });
    const draw = (index: number) => drawStills(inputs[index]!, () => undefined);
    const inTurn = [await draw(0), await draw(1), await draw(2)];
    expect(await Promise.all([draw(0), draw(1), draw(2)])).toEqual(inTurn);
    expect(new Set(inTurn.flat().map(({ bytes }) => Buffer.from(bytes).toString('base64'))).size).toBe(6);
  });

  test('draws each crop strategy into its area with alpha blending', async () => {
    const bytes = await testPicture(200, 100).encode('png');
    const transforms: Transform[] = [
      { crop_strategy: 'cover' },
      { crop_strategy: 'cover', focus_x: 0.1 },
      { crop_strategy: 'contain' },
      { crop_strategy: 'contain', background: 'FFCC00' },
      { crop_strategy: 'fill' },
      { crop_strategy: 'manual', crop_x: 80, crop_y: 30, crop_width: 60, crop_height: 60 },
    ];
    const area = { width: 50, height: 50 };
    const images = transforms.map((transform, index) => ({
      ...area,
      assetId: `i${index}`,
      bytes,
      transform,
      name: `i${index}`,
    }));
    const assets = images.map(({ assetId }) => ({ id: assetId, w: 50, h: 50, u: '', p: 'x.png', e: 0 }));
    const layers = images.map(({ assetId }, index) =>
      imageLayer(index + 1, assetId, 5 + (index % 3) * 55, 5 + Math.floor(index / 3) * 55),
    );
    const ground = rectangleLayer(9, [0, 0, 170, 116], [0.2, 0.2, 0.25]);
    await expectFrame(
      inputOf([...layers, ground], { width: 170, height: 116, images, document: { assets } }),
      0,
      'crop-strategies',
    );
  });

  test('draws mattes, masks, opacity and a drop shadow', async () => {
    const circle = { ty: 'el', p: { a: 0, k: [40, 45] }, s: { a: 0, k: [60, 60] } };
    const fill = { ty: 'fl', c: { a: 0, k: [1, 1, 1, 1] }, o: { a: 0, k: 100 } };
    const matte = {
      ...rectangleLayer(1, [0, 0, 1, 1], [1, 1, 1]),
      td: 1,
      shapes: [{ ty: 'gr', it: [circle, fill, { ty: 'tr', ...placed() }] }],
    };
    const value = (ty: number, k: unknown) => ({ ty, v: { a: 0, k } });
    const shadow = {
      ty: 25,
      mn: 'ADBE Drop Shadow',
      ef: [value(2, [0, 0, 0, 1]), value(0, 200), value(0, 135), value(0, 6), value(0, 8)],
    };
    const layers = [
      matte,
      rectangleLayer(2, [10, 10, 60, 70], [0.9, 0.2, 0.4], { tt: 1 }),
      rectangleLayer(3, [95, 20, 50, 50], [0.2, 0.7, 0.5], { ef: [shadow], ks: placed(0, 0, { o: { a: 0, k: 80 } }) }),
      rectangleLayer(4, [0, 0, 160, 90], [0.95, 0.95, 0.9]),
    ];
    await expectFrame(inputOf(layers, { width: 160, height: 90 }), 0, 'mattes');
  });

  test('is black where nothing is painted', async () => {
    const { data } = await pixels(await drawFrame(inputOf([]), 0));
    expect(
      new Set(Array.from({ length: data.length / 4 }, (_, at) => data.subarray(at * 4, at * 4 + 4).join())),
    ).toEqual(new Set(['0,0,0,255']));
  });

  test('starts at the first frame of the animation, whatever its number', async () => {
    const layers = [rectangleLayer(1, [0, 0, 64, 36], [1, 1, 1], { ip: 12, op: 13 })];
    const renderInput = inputOf(layers, { document: { ip: 10, op: 16 } });
    const shades = await Promise.all(
      [1, 2, 3].map(async (frame) => (await pixels(await drawFrame(renderInput, frame))).data[0]),
    );
    expect(shades).toEqual([0, 255, 0]);
  });

  test('keeps time when the frame rates of input and animation differ', async () => {
    const layers = [rectangleLayer(1, [0, 0, 64, 36], [1, 1, 1], { ip: 30 })];
    const renderInput = inputOf(layers, { fps: 10, frameCount: 20, document: { fr: 30, op: 60 } });
    const shades = await Promise.all(
      [9, 10].map(async (frame) => (await pixels(await drawFrame(renderInput, frame))).data[0]),
    );
    expect(shades).toEqual([0, 255]);
  });

  test('encodes a frame as a JPEG', async () => {
    const rasterizer = await openRasterizer(movingInput());
    await rasterizer.prepare(0);
    rasterizer.draw(0);
    expect(Buffer.from(await rasterizer.encodeJpeg()).subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]));
    rasterizer.close();
  });

  test('rejects a frame outside the input', async () => {
    await expect(drawFrame(movingInput(), 12)).rejects.toThrow(RenderError);
  });
});
