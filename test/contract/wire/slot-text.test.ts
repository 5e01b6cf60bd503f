import { describe, expect, it } from 'vitest';
import { SLOT_KINDS, slotFacts } from '../../../src/contract/fields/editable-kinds.ts';
import { normalizeSlotText } from '../../../src/contract/wire/slot-text.ts';

describe('normalizeSlotText()', () => {
  it.each([
    ['number', '12.50', '12.5'],
    ['number', '-0', '0'],
    ['number', ' +3 ', '3'],
    ['number', '0.000001', '0.000001'],
    ['point', '10,20', '10, 20'],
    ['point', '-0.50 , 007', '-0.5, 7'],
    ['gradient', 'ff0000, 00ff00, 0000ff', '#FF0000 0%, #00FF00 50%, #0000FF 100%'],
    ['gradient', '#ff000080 10.0%,#00FF00 90%', '#FF000080 10%, #00FF00 90%'],
  ] as const)('writes the %s %j as %j', (kind, text, expected) => {
    expect(normalizeSlotText(kind, text)).toBe(expected);
    expect(normalizeSlotText(kind, expected)).toBe(expected);
  });

  it.each([
    ['number', ''],
    ['number', '1e9'],
    ['number', '1000000'],
    ['number', '0x10'],
    ['number', 'NaN'],
    ['number', '1, 2'],
    ['point', '1'],
    ['point', '1, 2, 3'],
    ['point', '1 2'],
    ['gradient', '#FF0000'],
    ['gradient', '#FF0000 0%, #00FF00'],
    ['gradient', '#FF0000 60%, #00FF00 40%'],
    ['gradient', '#FF0000 0%, #00FF00 101%'],
    ['gradient', 'red 0%, blue 100%'],
    ['gradient', Array.from({ length: 33 }, () => '#000000').join(',')],
  ] as const)('refuses the %s %j', (kind, text) => {
    expect(normalizeSlotText(kind, text)).toBeNull();
  });

  it('accepts its examples', () => {
    for (const kind of SLOT_KINDS)
      expect(normalizeSlotText(kind, slotFacts(kind).example)).toBe(slotFacts(kind).example);
  });
});
