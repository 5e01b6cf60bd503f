import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TRANSFORM_FIELDS } from '../../../src/contract/fields/transform-fields.ts';
import { cropAround, setFields } from '../../../src/studio/page/transform.ts';

describe('setFields()', () => {
  it('drops defaults', () => {
    expect(setFields(TRANSFORM_FIELDS.image, { focus_x: 0.2 }, { focus_x: 0.5 })).toEqual({});
    expect(setFields(TRANSFORM_FIELDS.video, {}, { crop_strategy: 'cover', trim_start_time: 0 })).toEqual({});
    expect(setFields(TRANSFORM_FIELDS.audio, { fade_in: 1 }, { volume: 1, fade_in: 0, loop: false })).toEqual({});
  });

  it('keeps what mutes a clip', () => {
    expect(setFields(TRANSFORM_FIELDS.video, { volume: 1 }, { volume: 0 })).toEqual({ volume: 0 });
  });

  it('keeps values that it does not know', () => {
    expect(setFields(TRANSFORM_FIELDS.video, { animate_strategy: 'zoom-in', tilt: 3 }, { focus_y: 0.1 })).toEqual({
      animate_strategy: 'zoom-in',
      tilt: 3,
      focus_y: 0.1,
    });
  });

  it('drops what the crop strategy does not allow', () => {
    const manual = { crop_strategy: 'manual', crop_x: 1, crop_y: 2, crop_width: 3, crop_height: 4 };
    expect(setFields(TRANSFORM_FIELDS.image, manual, { crop_strategy: 'contain' })).toEqual({
      crop_strategy: 'contain',
    });
    expect(setFields(TRANSFORM_FIELDS.image, { focus_x: 0.1 }, manual)).toEqual(manual);
    const framed = { crop_strategy: 'contain', background: '#FFFFFF' };
    expect(setFields(TRANSFORM_FIELDS.image, framed, { crop_strategy: 'fill' })).toEqual({
      crop_strategy: 'fill',
    });
  });
});

describe('cropAround()', () => {
  it('has the shape of the area', () => {
    expect(cropAround({ width: 1000, height: 500 }, { width: 100, height: 100 }, { x: 500, y: 250 }, 1)).toEqual({
      crop_x: 250,
      crop_y: 0,
      crop_width: 500,
      crop_height: 500,
    });
  });

  it('stays inside the picture, in whole pixels', () => {
    const length = fc.integer({ min: 1, max: 5000 });
    const size = fc.record({ width: length, height: length });
    fc.assert(
      fc.property(
        size,
        fc.option(size),
        fc.double({ min: 0, max: 2, noNaN: true }),
        length,
        length,
        (picture, area, scale, x, y) => {
          const crop = cropAround(picture, area, { x, y }, scale);
          expect(Object.values(crop).every(Number.isInteger)).toBe(true);
          expect(Math.min(crop.crop_x, crop.crop_y)).toBeGreaterThanOrEqual(0);
          expect(Math.min(crop.crop_width, crop.crop_height)).toBeGreaterThan(0);
          expect(crop.crop_x + crop.crop_width).toBeLessThanOrEqual(picture.width);
          expect(crop.crop_y + crop.crop_height).toBeLessThanOrEqual(picture.height);
        },
      ),
    );
  });
});
