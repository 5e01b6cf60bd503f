import { describe, expect, it } from 'vitest';
import { addToMap } from '../../src/yaml/add-to-map.ts';

describe('addToMap()', () => {
  it.each([
    ['an empty file', '', 'templates:\n  new: ./n\n'],
    ['a file without the key', 'a: 1', 'a: 1\ntemplates:\n  new: ./n\n'],
    ['a key without a value', 'templates:\nvideos: x\n', 'templates:\n  new: ./n\nvideos: x\n'],
    ['an empty map', 'templates: {}\nvideos: x\n', 'templates:\n  new: ./n\nvideos: x\n'],
    ['a map in braces', 'templates: { a: ./b }\nv: 1\n', 'templates: { a: ./b, new: ./n }\nv: 1\n'],
    [
      'a block with comments',
      'templates:\n    a: ./b # first\n\n# next\nvideos: x\n',
      'templates:\n    a: ./b # first\n    new: ./n\n\n# next\nvideos: x\n',
    ],
    ['a block at the end without a newline', 'templates:\n  a: ./b', 'templates:\n  a: ./b\n  new: ./n\n'],
    ['a known name', 'templates:\n  new: ./old # kept\n  b: ./b\n', 'templates:\n  new: ./n # kept\n  b: ./b\n'],
  ])('adds to %s', (_, text, expected) => {
    expect(addToMap(text, 'templates', 'new', './n')).toBe(expected);
  });

  it.each(['templates: [a]\n', 'templates: text\n', '- a\n', 'a: [\n'])('returns null for %j', (text) => {
    expect(addToMap(text, 'templates', 'new', './n')).toBeNull();
  });
});
