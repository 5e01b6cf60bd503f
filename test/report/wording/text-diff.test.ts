import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type DiffPart,
  diffWords,
  showAsOneText,
  showText,
  showTexts,
  similarity,
  wordsOf,
} from '../../../src/report/wording/text-diff.ts';
import { runs } from '../../support/full-run.ts';

const marked = (parts: readonly DiffPart[]): string =>
  parts.map(({ kind, text }) => ({ same: text, removed: `[-${text}-]`, added: `{+${text}+}` })[kind]).join('');
const textOf = (parts: readonly DiffPart[], without: DiffPart['kind']): string =>
  parts
    .filter(({ kind }) => kind !== without)
    .map(({ text }) => text)
    .join('');

describe('diffWords()', () => {
  test.each([
    ['the same', 'a b c', 'a b c', 'a b c'],
    ['a word for another', 'a red fox', 'a blue fox', 'a [-red-]{+blue+} fox'],
    ['words side by side as one', 'a red fox', 'a blue dog', 'a [-red fox-]{+blue dog+}'],
    ['a word more', 'a fox', 'a red fox', 'a {+red +}fox'],
    ['a word less', 'a red fox', 'a fox', 'a [-red -]fox'],
    ['punctuation', 'Now!', 'Now.', 'Now[-!-]{+.+}'],
    ['nothing for something', '', 'a b', '{+a b+}'],
    ['something for nothing', 'a b', '', '[-a b-]'],
    ['words of a script without spaces', '東京の夏', '大阪の夏', '[-東京-]{+大阪+}の夏'],
  ])('marks %s', (_, before, after, expected) => {
    expect(marked(diffWords(before, after))).toBe(expected);
  });

  test('contains both texts', () => {
    const words = fc.array(fc.constantFrom('a', 'b', 'c', ' ', '  ', '.', '夏', '👩‍👧'), { maxLength: 20 });
    const text = fc.oneof(
      words.map((some) => some.join('')),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(text, text, (before, after) => {
        const parts = diffWords(before, after);
        expect(textOf(parts, 'added')).toBe(before);
        expect(textOf(parts, 'removed')).toBe(after);
        for (const [index, { kind }] of parts.entries()) expect(kind).not.toBe(parts[index - 1]?.kind);
      }),
    );
  });

  test('does not compare texts that would take too long', () => {
    const [before, after] = ['a '.repeat(2000), 'b '.repeat(2000)];
    expect(diffWords(before, after).map(({ text }) => text)).toEqual([before, after]);
  });
});

describe('similarity()', () => {
  test.each([
    ['a b c', 'a b c', 1],
    ['a b c', 'x y z', 0],
    ['abcd efgh', 'abcd xxxx', 0.5],
    ['', '', 0],
  ])('compares %j and %j: %d', (before, after, expected) => {
    expect(similarity(diffWords(before, after))).toBe(expected);
  });
});

describe('wordsOf()', () => {
  test('finds the words defined by Unicode in plain and other text', () => {
    const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
    // Versions of Unicode differ about a colon between letters.
    const latin = fc.integer({ min: 9, max: 0x17f }).map((code) => String.fromCharCode(code === 0x3a ? 0x3b : code));
    const between = fc.constantFrom(...` .,;'’‘"„“”–…_-\r\n\t\u00a0\u00ad`);
    const character = fc.oneof(fc.constantFrom('a', 'ß', 'ª', '1', '2', '夏', 'ก'), between, latin);
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 12 }), (text) => {
        expect(wordsOf(text)).toEqual(Array.from(segmenter.segment(text), ({ segment }) => segment));
      }),
      { numRuns: runs(2000) },
    );
  });
});

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

  test('shows different texts differently', () => {
    const characters = fc.constantFrom(...'a \n\r\t\u00a0\u202f\u200b\u0301é', 'e\u0301', '\u001b');
    const text = fc.string({ unit: characters, maxLength: 4 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== after);
        const [old, now] = showTexts(before, after);
        expect(old.normalize('NFC')).not.toBe(now.normalize('NFC'));
      }),
      { numRuns: runs(1000) },
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
