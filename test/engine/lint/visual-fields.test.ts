import { describe, expect, it } from 'vitest';
import { visualFieldsOf } from '../../../src/engine/lint/visual-fields.ts';

describe('VisualFields', () => {
  it.each([
    [160, 90],
    [90, 160],
    [160, 160],
    [16, 2],
    [2, 2],
  ])('counts the pixels in each field of a picture of %i × %i as one by one', (width, height) => {
    const fields = visualFieldsOf({ width, height });
    const pixels = (step: number) =>
      Uint32Array.from({ length: Math.ceil((width * height) / step) }, (_, at) => at * step);
    const [added, subtracted] = [[pixels(2), pixels(7)], [pixels(5)]];
    const inside = (lists: readonly Uint32Array[], { left, top, right, bottom }: (typeof fields.boxes)[number]) =>
      lists
        .flatMap((list) => [...list])
        .filter((pixel) => {
          const [x, y] = [pixel % width, Math.floor(pixel / width)];
          return x >= left && x < right && y >= top && y < bottom;
        }).length;
    const expected = fields.boxes.map((box) => inside(added, box) - inside(subtracted, box));
    expect([...fields.count(added, subtracted)]).toEqual(expected);
    expect([...fields.count([], [])]).toEqual(fields.boxes.map(() => 0));
    expect(new Set(fields.boxes.map(({ right }) => right)).has(width)).toBe(true);
  });
});
