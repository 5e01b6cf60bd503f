import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findWords, foldWords, matchesPattern } from '../../src/policy/match-text.ts';

describe('matchesPattern()', () => {
  it.each([
    ['Dune, the table lamp', 'Dune*', true],
    ['Dune, the table lamp', '*lamp', true],
    ['Dune, the table lamp', '*, the * lamp', true],
    ['Dune', 'dune', false],
    ['Dune!', 'Dune', false],
    ['', '*', true],
    ['', '?', false],
    ['2026-Q3', '20[0-9][0-9]-Q[1-4]', true],
    ['2026-Q5', '20[0-9][0-9]-Q[1-4]', false],
    ['a!', 'a[!a-z]', true],
    ['ab', 'a[!a-z]', false],
    ['[a]', '\\[a]', true],
    ['a*b', 'a\\*b', true],
    ['axb', 'a\\*b', false],
    ['[', '[', true],
    ['é', '?', true],
    ['e\u0301', '?', true],
    ['😀', '?', true],
    ['aXbXcXd', 'a*X*X*d', true],
  ])('%j like %j: %j', (text, pattern, expected) => {
    expect(matchesPattern(text, pattern)).toBe(expected);
  });

  it('agrees with an equivalent regular expression', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 });
    const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8 });
    fc.assert(
      fc.property(letters, patterns, (text, pattern) => {
        const same = new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's');
        expect(matchesPattern(text, pattern)).toBe(same.test(text));
      }),
    );
  });

  it('terminates where a regular expression would backtrack exponentially', () => {
    expect(matchesPattern('a'.repeat(5_000), `${'a*'.repeat(100)}b`)).toBe(false);
  });
});

describe('findWords()', () => {
  it.each([
    ['Lorem ipsum!', 'lorem', true],
    ['LOREM', 'Lorem', true],
    ['lore', 'lorem', false],
    ['candle', 'can', false],
    ["can't", 'can', false],
    ['Can? Candle.', 'can', true],
    ['the best\n  ever', 'Best ever', true],
    ['the best everything', 'best ever', false],
    ['Große Straße', 'STRASSE', true],
    ['ｆｒｅｅ', 'free', true],
    ['f\u00ADr\u200Bee', 'free', true],
    ['Cafe\u0301', 'café', true],
    ['ΛΟΓΟΣ', 'λόγος', false],
    ['ΛΌΓΟΣ', 'λόγος', true],
    ['これは無料です', '無料', true],
    ['100% free', '100%', true],
    ['x'.repeat(1_000), 'x', false],
  ])('%j says %j: %j', (text, word, expected) => {
    expect(findWords(text, [foldWords(word)])).toEqual(expected ? [foldWords(word)] : []);
  });
});
