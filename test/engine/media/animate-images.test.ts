import { createCanvas } from '@napi-rs/canvas';
import { describe, expect, test } from 'vitest';
import type { Transform } from '../../../src/contract/wire/mapping.ts';
import { openRasterizer } from '../../../src/engine/raster/rasterizer.ts';
import { imageLayer, inputOf, rectangleLayer } from '../inputs.ts';

/** Red rises from 0 at the left to 255 at the right, green from top to bottom; blue is 255 everywhere. */
async function gradient(width: number, height: number): Promise<Buffer> {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  const image = context.createImageData(width, height);
  for (let at = 0; at < width * height; at++) {
    const [x, y] = [at % width, Math.floor(at / width)];
    image.data.set([(x * 255) / (width - 1), (y * 255) / (height - 1), 255, 255], at * 4);
  }
  context.putImageData(image, 0, 0);
  return canvas.encode('png');
}

/** Per frame: red at the left and right edges, green at the top and bottom edges, and the lowest blue. */
async function moved(transform: Transform, frameCount = 21, layer: object = {}) {
  const bytes = await gradient(320, 180);
  const image = { assetId: 'photo', width: 160, height: 90, bytes, transform, name: 'photo.png' };
  const asset = { id: 'photo', w: 160, h: 90, u: '', p: '', e: 0 };
  const layers = [{ ...imageLayer(1, 'photo'), ...layer }, rectangleLayer(2, [0, 0, 160, 90], [1, 0, 0])];
  const renderInput = inputOf(layers, {
    width: 160,
    height: 90,
    frameCount,
    images: [image],
    document: { assets: [asset] },
  });
  const rasterizer = await openRasterizer(renderInput);
  const frames = [];
  for (let frame = 0; frame < frameCount; frame++) {
    await rasterizer.prepare(frame);
    const rgba = rasterizer.draw(frame);
    const at = (x: number, y: number, channel: number): number => rgba[(y * 160 + x) * 4 + channel]!;
    let blue = 255;
    for (let pixel = 2; pixel < rgba.length; pixel += 4) blue = Math.min(blue, rgba[pixel]!);
    frames.push({ left: at(0, 45, 0), right: at(159, 45, 0), top: at(80, 0, 1), bottom: at(80, 89, 1), blue });
  }
  rasterizer.close();
  return frames;
}

const share = 255;

describe('animateImages()', () => {
  const speeds = [
    ['slow', 0.08],
    ['moderate', 0.16],
    ['fast', 0.28],
  ] as const;
  test.each(speeds)('slides %s by its share of the area, evenly, without showing an edge', async (speed, amount) => {
    const frames = await moved({ animate_strategy: 'slide-to-left', animate_speed: speed });
    const travelled = frames.map(({ left }) => left - frames[0]!.left);
    // Frame 20 of 21 is shown until the end of the movement.
    const whole = (share * amount) / (1 + amount);
    for (const [frame, way] of travelled.entries()) expect(Math.abs(way - (whole * frame) / 21)).toBeLessThan(2.5);
    expect(frames.every(({ blue }) => blue > 250)).toBe(true);
  });

  const ways: [NonNullable<Transform['animate_strategy']>, string][] = [
    ['slide-to-left', 'left+ right+ top= bottom='],
    ['slide-to-right', 'left- right- top= bottom='],
    ['slide-to-top', 'left= right= top+ bottom+'],
    ['slide-to-bottom', 'left= right= top- bottom-'],
    ['zoom-in', 'left+ right- top+ bottom-'],
    ['zoom-out', 'left- right+ top- bottom+'],
    ['none', 'left= right= top= bottom='],
  ];
  test.each(ways)('%s moves the picture in its direction', async (animate_strategy, expected) => {
    const frames = await moved({ animate_strategy, animate_speed: 'fast' }, 12);
    const edges = (['left', 'right', 'top', 'bottom'] as const).map((edge) => {
      const change = frames.at(-1)![edge] - frames[0]![edge];
      return `${edge}${Math.abs(change) < 4 ? '=' : change > 0 ? '+' : '-'}`;
    });
    expect(edges.join(' ')).toBe(expected);
    expect(frames.every(({ blue }) => blue > 250)).toBe(true);
  });

  test('moves only while its layer is shown', async () => {
    const frames = await moved({ animate_strategy: 'slide-to-right' }, 20, { ip: 10, st: 5 });
    // First the background, then the movement from the first end to the second.
    expect(frames[9]!.blue).toBe(0);
    expect(frames[10]!.left - frames[19]!.left).toBeGreaterThan(25);
  });

  test('zooms towards the focus', async () => {
    const frames = await moved({ animate_strategy: 'zoom-in', animate_speed: 'fast', focus_x: 0, focus_y: 0 });
    expect(Math.abs(frames.at(-1)!.left - frames[0]!.left)).toBeLessThan(4);
    expect(frames[0]!.right - frames.at(-1)!.right).toBeGreaterThan(40);
  });
});
