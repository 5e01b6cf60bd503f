import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatColor, parseColor } from '../../src/template/color.ts';

describe('parseColor()', () => {
  it.each([
    ['000000', [0, 0, 0, 1]],
    ['#ff0000', [1, 0, 0, 1]],
    ['00FF0080', [0, 1, 0, 128 / 255]],
  ])('reads %s', (text, color) => expect(parseColor(text)).toEqual(color));

  it.each(['', 'red', '#fff', '12345', '1234567', '##000000', '00000g'])('rejects %j', (text) =>
    expect(parseColor(text)).toBeNull(),
  );

  it('round-trips the output of formatColor()', () => {
    const digits = fc
      .integer({ min: 0, max: 0xffffff })
      .map((value) => value.toString(16).padStart(6, '0').toUpperCase());
    fc.assert(fc.property(digits, (text) => formatColor(parseColor(text)!) === text));
  });
});
