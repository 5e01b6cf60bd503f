import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Transform } from '../../../src/contract/wire/mapping.ts';
import { placeImage } from '../../../src/engine/images/place-image.ts';

const wide = { width: 400, height: 200 };
const square = { width: 100, height: 100 };
const whole = (size: { width: number; height: number }) => ({ x: 0, y: 0, ...size });

describe('placeImage()', () => {
  const cases: [string, Transform, object, object][] = [
    ['covers by default, from the middle', {}, { x: 100, y: 0, width: 200, height: 200 }, whole(square)],
    ['covers', { crop_strategy: 'cover' }, { x: 100, y: 0, width: 200, height: 200 }, whole(square)],
    [
      'covers around the focus',
      { crop_strategy: 'cover', focus_x: 1, focus_y: 0 },
      { x: 200, y: 0, width: 200, height: 200 },
      whole(square),
    ],
    ['contains', { crop_strategy: 'contain' }, whole(wide), { x: 0, y: 25, width: 100, height: 50 }],
    ['fills', { crop_strategy: 'fill' }, whole(wide), whole(square)],
    [
      'covers with a manual rectangle',
      { crop_strategy: 'manual', crop_x: 10, crop_y: 20, crop_width: 50, crop_height: 100 },
      { x: 10, y: 45, width: 50, height: 50 },
      whole(square),
    ],
    [
      'cuts a manual rectangle at the edge of the picture',
      { crop_strategy: 'manual', crop_x: 300, crop_y: -50, crop_width: 500, crop_height: 150 },
      { x: 300, y: 0, width: 100, height: 100 },
      whole(square),
    ],
    [
      'lets a manual rectangle reach to the edge where it names none',
      { crop_strategy: 'manual', crop_x: 200 },
      { x: 200, y: 0, width: 200, height: 200 },
      whole(square),
    ],
  ];
  test.each(cases)('%s', (_, transform, source, target) => {
    expect(placeImage(wide, square, transform)).toEqual({ source, target });
  });

  test('returns undefined for a manual rectangle outside the picture', () => {
    expect(placeImage(wide, square, { crop_strategy: 'manual', crop_x: 400 })).toBeUndefined();
    expect(placeImage(wide, square, { crop_strategy: 'manual', crop_width: 0 })).toBeUndefined();
  });

  const side = fc.integer({ min: 1, max: 6_000 });
  const size = fc.record({ width: side, height: side });
  const focus = fc.double({ min: 0, max: 1, noNaN: true });

  test('cover never distorts and stays within the picture', () => {
    fc.assert(
      fc.property(size, size, focus, focus, (picture, area, focus_x, focus_y) => {
        const { source, target } = placeImage(picture, area, { crop_strategy: 'cover', focus_x, focus_y })!;
        expect(target).toEqual(whole(area));
        expect(source.width / source.height / (area.width / area.height)).toBeCloseTo(1, 6);
        expect(Math.min(source.x, source.y)).toBeGreaterThanOrEqual(0);
        expect(source.x + source.width).toBeLessThanOrEqual(picture.width + 1e-6);
        expect(source.y + source.height).toBeLessThanOrEqual(picture.height + 1e-6);
      }),
    );
  });

  test('contain stays within the area and touches two of its sides', () => {
    fc.assert(
      fc.property(size, size, (picture, area) => {
        const { target } = placeImage(picture, area, { crop_strategy: 'contain' })!;
        expect(Math.min(target.x, target.y)).toBeGreaterThanOrEqual(0);
        expect(target.x + target.width).toBeLessThanOrEqual(area.width);
        expect(target.y + target.height).toBeLessThanOrEqual(area.height);
        expect(target.width === area.width || target.height === area.height).toBe(true);
      }),
    );
  });
});
