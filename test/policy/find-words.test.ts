import { describe, expect, it } from 'vitest';
import { findWords, foldWords } from '../../src/policy/find-words.ts';

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
