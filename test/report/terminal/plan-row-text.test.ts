import { describe, expect, test } from 'vitest';
import { swatch } from '../../../src/report/terminal/plan-row-text.ts';

describe('swatch()', () => {
  test('uses the exact colour on a 24-bit terminal', () => {
    expect(swatch('FF8800', true)).toBe('\u001b[38;2;255;136;0m■\u001b[39m');
  });

  test('ignores the opacity', () => {
    expect(swatch('11223380', true)).toBe('\u001b[38;2;17;34;51m■\u001b[39m');
  });

  test.each([
    ['000000', 16],
    ['FFFFFF', 231],
    ['FF0000', 196],
    ['FF8800', 208],
    ['808080', 244],
    ['0A0A0A', 232],
    ['EEADA7', 217],
  ])('maps %s to colour %d of 256', (color, index) => {
    expect(swatch(color, false)).toBe(`\u001b[38;5;${index}m■\u001b[39m`);
  });
});
