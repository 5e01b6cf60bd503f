import { expect, it } from 'vitest';
import { RecentValues } from '../../../src/engine/lint/recent-values.ts';

it('RecentValues keeps the values that were used last, up to its size', () => {
  const recent = new RecentValues<string>(10);
  recent.set('a', 'first', 4);
  recent.set('b', 'second', 4);
  expect(recent.get('a')).toBe('first');
  recent.set('c', 'third', 4);
  expect([recent.get('a'), recent.get('b'), recent.get('c')]).toEqual(['first', undefined, 'third']);
  recent.set('a', 'larger', 6);
  expect([recent.get('a'), recent.get('c')]).toEqual(['larger', 'third']);
  recent.set('d', 'too large', 11);
  expect(['a', 'c', 'd'].map((key) => recent.get(key))).toEqual([undefined, undefined, undefined]);
});
