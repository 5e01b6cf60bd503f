import { describe, expect, it } from 'vitest';
import { openRasterizer } from '../../../src/engine/raster/rasterizer.ts';
import { REPAIRED_FEATURES } from '../../field/repaired-features.ts';
import { inputOf } from '../inputs.ts';

/** Returns the colours of points on a frame of a documented feature, 160 × 90 pixels, on black. */
async function colorsAt(name: string, frame: number, points: readonly (readonly [x: number, y: number])[]) {
  const layers = [...REPAIRED_FEATURES[name]!];
  const renderInput = inputOf(layers, { width: 160, height: 90, fps: 20, frameCount: 20 });
  const rasterizer = await openRasterizer(renderInput);
  await rasterizer.prepare(frame);
  const rgba = rasterizer.draw(frame);
  const colors = points.map(([x, y]) => [...rgba.subarray((y * 160 + x) * 4, (y * 160 + x) * 4 + 3)]);
  rasterizer.close();
  return colors;
}

/** Values of white copies in the middle of each, of 255. */
async function copies(name: string, frame = 0): Promise<number[]> {
  const points = [20, 60, 100, 140].map((x) => [x, 45] as const);
  return (await colorsAt(name, frame, points)).map(([red]) => red!);
}

const gray = (percent: number): number => Math.round(percent * 2.55);
const near = (values: readonly number[]): unknown[] => values.map((value) => expect.closeTo(value, -0.5));

describe('the opacity of repeated copies goes from the first to the last', () => {
  it.each([
    ['repeater, fading to nothing', 0, [100, 50, 0, 0]],
    ['repeater, fading from little to nothing', 0, [20, 10, 0, 0]],
    ['repeater, fading in', 0, [20, 60, 100, 0]],
    // 100 → 0 and 0 → 60, at 10 of 19 frames.
    ['repeater, opacity moving', 10, [47.4, 39.5, 31.6, 0]],
    // 1 + 3 · 10 / 19 = 2.6 copies: 3 have begun.
    ['repeater, number of copies moving', 10, [100, 60, 20, 0]],
    ['repeater, number of copies moving', 0, [100, 0, 0, 0]],
    ['repeater, number of copies moving', 19, [100, 73.3, 46.7, 20]],
  ])('%s, frame %d', async (name, frame, percents) => {
    expect(await copies(name, frame)).toEqual(near(percents.map(gray)));
  });
});

describe('a skew has a period of 180°', () => {
  const CORNERS = [[61, 26], [98, 26], [61, 63], [98, 63]] as const; // biome-ignore format: four points
  const WHITE = [255, 255, 255];

  it('draws half a turn as none', async () => {
    expect(await colorsAt('skew of a half turn', 0, CORNERS)).toEqual([WHITE, WHITE, WHITE, WHITE]);
  });

  it('draws 215° as 35°', async () => {
    // tan 35° · 18 pixels = 12.6 pixels to the right above the middle, to the left below it.
    const black = [0, 0, 0];
    expect(await colorsAt('skew of more than a half turn', 0, CORNERS)).toEqual([black, WHITE, WHITE, black]);
  });

  it('draws a turn at each quarter', async () => {
    const at = (frame: number) => colorsAt('skew turning round', frame, CORNERS);
    expect(await at(0)).toEqual([WHITE, WHITE, WHITE, WHITE]);
    expect(await at(19)).toEqual([WHITE, WHITE, WHITE, WHITE]);
  });
});

describe('solids', () => {
  it.each([
    ['solid without a colour', [0, 0, 0]],
    ['solid with an empty colour', [0, 0, 0]],
    ['solid with a short colour', [255, 136, 0]],
    // Half orange over a green of 128.
    ['solid with a translucent colour', [128, 132, 0]],
  ])('%s', async (name, color) => {
    const [middle, outside] = await colorsAt(name, 0, [[60, 40], [10, 10]]); // biome-ignore format: two points
    expect(middle).toEqual(near(color));
    expect(outside).toEqual(near([0, 128, 0]));
  });
});

describe('properties are animated if they have keyframes, whatever their mark', () => {
  const POINTS = [[40, 45], [100, 45]] as const; // biome-ignore format: two points

  it('moves a layer to a still position', async () => {
    expect(await colorsAt('still properties with an unusual mark', 0, POINTS)).toEqual([[0, 0, 0], [255, 255, 255]]); // biome-ignore format: two colours
  });

  it('moves a layer along its keyframes', async () => {
    const at = (frame: number) => colorsAt('moving properties with an unusual mark', frame, POINTS);
    expect(await at(0)).toEqual([[255, 255, 255], [0, 0, 0]]); // biome-ignore format: two colours
    expect(await at(19)).toEqual([[0, 0, 0], [255, 255, 255]]); // biome-ignore format: two colours
  });
});

describe('an easing that overshoots', () => {
  /** Top, right, bottom, left. */
  const SIDES = [[75, 15], [110, 50], [85, 75], [50, 40]] as const; // biome-ignore format: four points
  const painted = async (name: string, frame: number) =>
    (await colorsAt(name, frame, SIDES)).map(([red]) => red! > 128);

  it('draws no trimmed path before its start, and all of it behind its end', async () => {
    expect(await painted('trim paths, overshooting', 4)).toEqual([false, false, false, false]);
    expect(await painted('trim paths, overshooting', 16)).toEqual([true, true, true, true]);
    expect(await painted('trim paths, start overshooting', 4)).toEqual([false, false, false, false]);
    expect(await painted('trim paths, start overshooting', 16)).toEqual([true, true, true, true]);
  });

  it('keeps the opacity of gradients within its limits', async () => {
    // From transparent on the left to opaque on the right, then the other way round.
    const at = (frame: number) =>
      colorsAt('gradient with opacity, overshooting', frame, [[55, 45], [105, 45]]); // biome-ignore format: two points
    expect((await at(4)).map(([red]) => red!)).toEqual(near([65, 193]));
    expect((await at(16)).map(([red]) => red!)).toEqual(near([190, 62]));
  });
});
