import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { showAsOneText, showText, showTexts } from '../../../src/report/wording/show-value.ts';

describe('showText()', () => {
  test.each([
    ['plain words', 'plain words'],
    ['', '""'],
    [' at the beginning', '" at the beginning"'],
    ['two\nlines', 'two⏎lines'],
    ['a\tb', 'a\\u0009b'],
    ['\u001b[2J', '\\u001b[2J'],
    ['\u202eleft', '\\u202eleft'],
    ['100\u00a0km', '100␣km'],
    ['1\u202f000', '1␣000'],
    ['zero\u200bwidth', 'zero\\u200bwidth'],
    ['\ud800', '\\ud800'],
    ['東京　夏', '東京　夏'],
    ['👩‍👩‍👧', '👩‍👩‍👧'],
  ])('shows %j as %s', (text, shown) => {
    expect(showText(text)).toBe(shown);
  });
});

describe('showTexts()', () => {
  test.each([
    ['one', 'two', 'one', 'two'],
    ['Caf\u00e9', 'Cafe\u0301', 'Caf\\u{e9}', 'Cafe\\u{301}'],
    ['é', 'è', 'é', 'è'],
    ['1\u00a0m', '1\u202fm', '1\\u{a0}m', '1\\u{202f}m'],
    ['a\nb', 'a\r\nb', 'a\\u{a}b', 'a\\u{d}\\u{a}b'],
  ])('shows %j and %j apart', (before, after, ...shown) => {
    expect(showTexts(before, after)).toEqual(shown);
  });

  test('never shows different texts alike', () => {
    const characters = fc.constantFrom(...'a \n\r\t\u00a0\u202f\u200b\u0301é', 'e\u0301', '\u001b');
    const text = fc.string({ unit: characters, maxLength: 4 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== after);
        const [old, now] = showTexts(before, after);
        expect(old.normalize('NFC')).not.toBe(now.normalize('NFC'));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('showAsOneText()', () => {
  const long = 'A sentence that is long enough to be worth comparing word by word.';
  test.each([
    ['short texts', 'one two', 'one three', false],
    ['long texts with much in common', long, long.replace('worth', 'fit for'), true],
    ['long texts with little in common', long, 'Something else altogether, which has nothing to do with it.', false],
    ['a short text that became long', 'A sentence', long, false],
  ])('for %s', (_, before, after, isOne) => {
    expect(showAsOneText(before, after) !== null).toBe(isOne);
  });
});
