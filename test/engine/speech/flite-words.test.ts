import { describe, expect, it } from 'vitest';
import { fliteText } from '../../../src/engine/speech/flite-text.ts';
import { fliteWords } from '../../../src/engine/speech/flite-words.ts';
import { alignGroups } from '../../../src/kernel/align-groups.ts';

/** Groups as `labels: items`. */
const grouped = (expected: string, actual: string): string[] => {
  const items = actual.split('');
  const groups = alignGroups(
    expected.split(' ').map((group) => (group === '-' ? [] : group.split(''))),
    items,
  );
  return groups.map(({ from, to, start, end }) => `${from}-${to}:${items.slice(start, end).join('')}`);
};

describe('alignGroups()', () => {
  it.each([
    ['ab cd', 'abcd', ['0-1:ab', '1-2:cd']],
    // Another item.
    ['ab cd', 'axcd', ['0-1:ax', '1-2:cd']],
    // Two others beside each other: as many as expected.
    ['ab cd', 'axyd', ['0-1:ax', '1-2:yd']],
    // Missing and additional items inside a label.
    ['abc de', 'acde', ['0-1:ac', '1-2:de']],
    ['abc de', 'abxcde', ['0-1:abxc', '1-2:de']],
    // An item between two labels may belong to either of them.
    ['ab cd ef', 'abxcdef', ['0-2:abxcd', '2-3:ef']],
    // Items at the edge are missing, of either label.
    ['ab cd ef', 'adef', ['0-2:ad', '2-3:ef']],
    // A label that is several items, alone between others.
    ['a x c', 'ayyyc', ['0-1:a', '1-2:yyy', '2-3:c']],
    // Without items: with the label before it, and at the start with the label after it.
    ['ab - cd', 'abcd', ['0-2:ab', '2-3:cd']],
    ['- ab', 'ab', ['0-2:ab']],
    ['ab', '', ['0-1:']],
  ])('groups %s in %s', (expected, actual, groups) => {
    expect(grouped(expected, actual)).toEqual(groups);
  });
});

describe('fliteWords()', () => {
  const phones = (text: string) => text.split(' ').map((phone, at) => ({ phone, end: (at + 1) / 10 }));

  it('gives the sounds of all words of a number to its text', () => {
    const report = { words: ['costs', 'two', 'dollars', 'now'], phones: phones('pau k t d pau n pau') };
    const alone = {
      words: () => ['two', 'dollars'],
      phones: (word: string) => [word.startsWith('t') ? 't' : word[0] === 'c' ? 'k' : word[0]!],
    };
    expect(fliteWords('Costs $2, now!', report, alone)).toEqual([
      { text: 'Costs', start: 0.1, end: 0.2 },
      { text: '$2,', start: 0.2, end: 0.4 },
      { text: 'now!', start: 0.5, end: 0.6 },
    ]);
  });

  it('gives one time to neighbours whose sounds cannot be told apart', () => {
    const report = { words: ['some', 'more', 'text'], phones: phones('s ah m ao r t') };
    const alone = {
      words: () => [],
      phones: (word: string) => ({ some: ['s', 'ah', 'm'], more: ['m', 'ao', 'r'], text: ['t'] })[word]!,
    };
    expect(fliteWords('some more text', report, alone)).toEqual([
      { text: 'some more', start: 0, end: 0.5 },
      { text: 'text', start: 0.5, end: 0.6 },
    ]);
  });
});

describe('fliteText()', () => {
  it('replaces typographic punctuation and accents, and names what cannot be spoken', () => {
    expect(fliteText('“Café” — it’s\u00a0Zoë…')).toEqual({ text: `"Cafe" - it's Zoe...`, unknown: [] });
    expect(fliteText('5 € 日本 日')).toMatchObject({ unknown: ['€', '日', '本'] });
  });
});
