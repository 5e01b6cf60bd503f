import { describe, expect, it } from 'vitest';
import { contrastOf, formatColor, parseColor } from '../../../src/preview-server/page/color.ts';

describe('parseColor()', () => {
  it.each([
    ['#ff7a4d', '#FF7A4D'],
    ['FF7A4D', '#FF7A4D'],
    [' #abc ', '#AABBCC'],
    ['#FF7A4D80', '#FF7A4D80'],
    ['#FF7A4DFF', '#FF7A4D'],
    ['#abc8', '#AABBCC88'],
  ])('reads %j as %s', (text, expected) => {
    expect(formatColor(parseColor(text)!)).toBe(expected);
  });

  it.each(['', '#', '#12345', 'red', '#GGGGGG', '#FF7A4D8'])('refuses %j', (text) => {
    expect(parseColor(text)).toBeNull();
  });
});

describe('contrastOf()', () => {
  it('is 21 for black and white and 1 for equal colours, in both orders', () => {
    const [black, white] = [parseColor('#000000')!, parseColor('#FFFFFF')!];
    expect(contrastOf(black, white)).toBeCloseTo(21);
    expect(contrastOf(white, black)).toBeCloseTo(21);
    expect(contrastOf(white, white)).toBe(1);
  });

  it('agrees with the value that WCAG tools give', () => {
    expect(contrastOf(parseColor('#767676')!, parseColor('#FFFFFF')!)).toBeCloseTo(4.54, 2);
  });
});
