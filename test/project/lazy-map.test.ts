import { describe, expect, it } from 'vitest';
import { LazyMap } from '../../src/plan-index/lazy-map.ts';

describe('LazyMap', () => {
  it('is like the map of all its values, and makes each once', () => {
    const made: string[] = [];
    const map = new LazyMap(['a', 'b', 'c'], (key, index) => {
      made.push(key);
      return `${key}${index}`;
    });
    expect([map.size, map.has('b'), map.has('bb'), map.get('')]).toEqual([3, true, false, undefined]);
    expect(made).toEqual([]);
    expect([map.get('b'), map.get('b')]).toEqual(['b1', 'b1']);
    expect(made).toEqual(['b']);
    expect([...map]).toEqual([
      ['a', 'a0'],
      ['b', 'b1'],
      ['c', 'c2'],
    ]);
    expect([[...map.keys()], [...map.values()]]).toEqual([
      ['a', 'b', 'c'],
      ['a0', 'b1', 'c2'],
    ]);
    const seen: string[] = [];
    map.forEach((value, key) => {
      seen.push(key, value);
    });
    expect(seen).toEqual(['a', 'a0', 'b', 'b1', 'c', 'c2']);
    expect(made).toEqual(['b', 'a', 'c']);
  });

  it('has what is laid over it in place of its own, and beside it', () => {
    const map = new LazyMap(['a', 'c'], (key) => `${key}0`);
    expect([...map.laidOver(new Map([['c', 'c1']]))]).toEqual([
      ['a', 'a0'],
      ['c', 'c1'],
    ]);
    expect([...map.laidOver(new Map([['b', 'b1']])).keys()]).toEqual(['a', 'b', 'c']);
  });
});
