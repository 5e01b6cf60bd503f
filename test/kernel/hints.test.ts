import { describe, expect, it } from 'vitest';
import { closestMatch, formatList } from '../../src/kernel/hints.ts';

describe('closestMatch()', () => {
  it.each([
    ['tittle', ['template', 'title'], 'title'],
    ['t_1', ['t_01', 'c_01'], 't_01'],
    ['HEADLINE', ['Headline'], 'Headline'],
    ['t_03', ['t_01', 't_02'], 't_01'],
    ['berlin.jpg', ['hero.jpg'], null],
    ['titel', ['template', 'title'], 'title'],
    ['t_10', ['c_01', 't_01', 't_02'], 't_01'],
    ['dune', ['launch/tide', 'launch/dune'], 'launch/dune'],
    ['dnue', ['launch/tide', 'launch/dune'], 'launch/dune'],
    ['stores/berlin', ['story/stores/bern', 'story/stores/berlin'], 'story/stores/berlin'],
    ['Hero.jpg', ['(Footage)/USER/hero.jpg'], '(Footage)/USER/hero.jpg'],
    ['lanch/dune', ['dune', 'launch/dune'], 'launch/dune'],
    ['launch', ['launch/dune'], null],
    ['', ['a', 'launch/dune'], null],
    ['x'.repeat(1_000_000), ['title'], null],
    ['zzz', ['title'], null],
    ['x', [], null],
  ])('matches %s among %j with %s', (word, candidates, expected) => {
    expect(closestMatch(word, candidates)).toBe(expected);
  });
});

it('closestMatch() ignores very long words and limits the number of candidates', () => {
  const long = 'a'.repeat(100_000);
  expect(closestMatch(`${long}b`, [long])).toBeNull();
  const many = Array.from({ length: 2_000 }, (_, index) => `other-${index}`);
  expect([
    closestMatch('headlin', [...many.slice(1), 'headline']),
    closestMatch('headlin', [...many, 'headline']),
  ]).toEqual(['headline', null]);
});

it('formatList() shortens a long list and counts the remaining names', () => {
  expect(formatList([])).toBe('');
  expect(formatList(['a', 'b', 'c'], 3)).toBe('a, b, c');
  expect(formatList(['a', 'b', 'c', 'd'], 3)).toBe('a and 3 more');
});
