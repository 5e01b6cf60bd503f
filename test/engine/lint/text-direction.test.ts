import { describe, expect, it } from 'vitest';
import { misdirectedLine } from '../../../src/engine/lint/text-direction.ts';

describe('misdirectedLine()', () => {
  it.each([
    ['starts with a brand', 'Olune يضيء بيتك.'],
    ['starts with a brand after digits and a quote', '20 "Olune" مصابيح جديدة!'],
    ['is Hebrew', 'Olune מאירה את הבית.'],
    ['is Persian or Urdu', 'Olune خانه‌ات را روشن می‌کند.'],
  ])('returns a line that %s', (_, text) => {
    expect(misdirectedLine(text)).toBe(text);
  });

  it('returns the line alone', () => {
    expect(misdirectedLine('ضوء ناعم.\rOlune يضيء بيتك.')).toBe('Olune يضيء بيتك.');
  });

  it.each([
    ['starts with a letter of its script', 'أولون Olune يضيء بيتك.'],
    ['starts with a number', '50 % خصم'],
    ['has a right-to-left mark', '\u200fOlune يضيء بيتك.'],
    ['has a left-to-right mark', '\u200eOlune يضيء بيتك.'],
    ['is an isolate', '\u2067Olune يضيء بيتك.\u2069'],
    ['is embedded', '\u202bOlune يضيء بيتك.\u202c'],
    ['is a brand alone', 'Olune Studio 15 Pro!'],
    ['is English with a name', 'Made by Olune in الرياض, with love.'],
    ['has as many words of each', 'Olune أولون'],
    ['is an address', 'https://olune.example/منتجات'],
    ['is German', 'Licht, das sanft landet.'],
    ['is empty', ''],
  ])('leaves out a line that %s', (_, text) => {
    expect(misdirectedLine(text)).toBeNull();
  });
});
