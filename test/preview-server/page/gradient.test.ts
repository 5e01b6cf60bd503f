import { describe, expect, it } from 'vitest';
import { formatGradient, parseGradient, withStop } from '../../../src/preview-server/page/gradient.ts';
import { normalizeSlotText } from '../../../src/wire/slot-text.ts';

describe('parseGradient()', () => {
  it('reads what a definition holds', () => {
    expect(parseGradient('ff0000, #00FF0080')).toEqual([
      { color: '#FF0000', percent: 0 },
      { color: '#00FF0080', percent: 100 },
    ]);
  });

  it.each(['', '#FF0000', '#FF0000 0%, blue 100%', '#FF0000 0, #00FF00 1'])('refuses %j', (text) => {
    expect(parseGradient(text)).toBeNull();
  });
});

describe('formatGradient()', () => {
  it('sorts the stops, so that a definition accepts them', () => {
    const text = formatGradient([
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
    expect(formatGradient(stops)).toBe('#FF0000 0%, #00FF00 20%, #00FF00 60%, #0000FF 100%');
  });
});
