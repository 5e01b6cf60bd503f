import { describe, expect, it } from 'vitest';
import { normalizeSlotText } from '../../../src/contract/wire/slot-text.ts';
import {
  contrastOf,
  formatRgba,
  formatStops,
  parseRgba,
  parseStops,
  withStop,
} from '../../../src/studio/page/color.ts';

describe('parseRgba()', () => {
  it.each([
    ['#ff7a4d', '#FF7A4D'],
    ['FF7A4D', '#FF7A4D'],
    [' #abc ', '#AABBCC'],
    ['#FF7A4D80', '#FF7A4D80'],
    ['#FF7A4DFF', '#FF7A4D'],
    ['#abc8', '#AABBCC88'],
  ])('reads %j as %s', (text, expected) => {
    expect(formatRgba(parseRgba(text)!)).toBe(expected);
  });

  it.each(['', '#', '#12345', 'red', '#GGGGGG', '#FF7A4D8'])('refuses %j', (text) => {
    expect(parseRgba(text)).toBeNull();
  });
});

describe('contrastOf()', () => {
  it('is 21 for black and white and 1 for equal colours, in both orders', () => {
    const [black, white] = [parseRgba('#000000')!, parseRgba('#FFFFFF')!];
    expect(contrastOf(black, white)).toBeCloseTo(21);
    expect(contrastOf(white, black)).toBeCloseTo(21);
    expect(contrastOf(white, white)).toBe(1);
  });

  it('agrees with the value that WCAG tools give', () => {
    expect(contrastOf(parseRgba('#767676')!, parseRgba('#FFFFFF')!)).toBeCloseTo(4.54, 2);
  });
});

describe('parseStops()', () => {
  it('reads what a definition holds', () => {
    expect(parseStops('ff0000, #00FF0080')).toEqual([
      { color: '#FF0000', percent: 0 },
      { color: '#00FF0080', percent: 100 },
    ]);
  });

  it.each(['', '#FF0000', '#FF0000 0%, blue 100%', '#FF0000 0, #00FF00 1'])('refuses %j', (text) => {
    expect(parseStops(text)).toBeNull();
  });
});

describe('formatStops()', () => {
  it('sorts the stops, so that a definition accepts them', () => {
    const text = formatStops([
      { color: '#00FF00', percent: 80 },
      { color: '#FF0000', percent: 33.333333 },
    ]);
    expect(text).toBe('#FF0000 33.33%, #00FF00 80%');
    expect(normalizeSlotText('gradient', text)).toBe(text);
  });
});

describe('withStop()', () => {
  it('adds a stop in the middle of the widest gap', () => {
    const stops = withStop([
      { color: '#FF0000', percent: 0 },
      { color: '#00FF00', percent: 20 },
      { color: '#0000FF', percent: 100 },
    ]);
    expect(formatStops(stops)).toBe('#FF0000 0%, #00FF00 20%, #00FF00 60%, #0000FF 100%');
  });
});
