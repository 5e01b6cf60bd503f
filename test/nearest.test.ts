import { describe, expect, it } from 'vitest';
import { nearest } from '../src/nearest.ts';

describe('nearest()', () => {
  it.each([
    ['tittle', ['template', 'title'], 'title'],
    ['t_1', ['t_01', 'c_01'], 't_01'],
    ['HEADLINE', ['Headline'], 'Headline'],
    ['t_03', ['t_01', 't_02'], 't_01'],
    ['berlin.jpg', ['hero.jpg'], null],
    ['zzz', ['title'], null],
    ['x', [], null],
  ])('finds for %s among %j %s', (word, candidates, expected) => {
    expect(nearest(word, candidates)).toBe(expected);
  });
});
