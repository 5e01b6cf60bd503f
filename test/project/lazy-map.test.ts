import { describe, expect, it } from 'vitest';
import { LazyMap } from '../../src/plan-index/lazy-map.ts';

describe('LazyMap', () => {
  it('is like the map of all its values, and makes each once', () => {
    const made: string[] = [];
    const map = new LazyMap(['b', 'a', 'c'], (key, index) => {
      made.push(key);
      return `${key}${index}`;
    });
    expect([map.size, map.has('a'), map.has('x'), map.get('x')]).toEqual([3, true, false, undefined]);
    expect(made).toEqual([]);
    expect([map.get('a'), map.get('a')]).toEqual(['a1', 'a1']);
    expect(made).toEqual(['a']);
    expect([...map]).toEqual([
      ['b', 'b0'],
      ['a', 'a1'],
      ['c', 'c2'],
    ]);
    expect([[...map.keys()], [...map.values()]]).toEqual([
      ['b', 'a', 'c'],
      ['b0', 'a1', 'c2'],
    ]);
    const seen: string[] = [];
    map.forEach((value, key) => {
      seen.push(key, value);
    });
    expect(seen).toEqual(['b', 'b0', 'a', 'a1', 'c', 'c2']);
    expect(made).toEqual(['a', 'b', 'c']);
  });
});
