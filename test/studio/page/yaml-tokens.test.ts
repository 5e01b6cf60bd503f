import { describe, expect, it } from 'vitest';
import { tokenizeYaml } from '../../../src/studio/page/yaml-tokens.ts';

describe('tokenizeYaml()', () => {
  it.each([
    [
      'title: Dune',
      [
        ['key', 'title:'],
        ['plain', ' Dune'],
      ],
    ],
    [
      '  c_01: "#FF0000" # red',
      [
        ['key', '  c_01:'],
        ['plain', ' '],
        ['string', '"#FF0000"'],
        ['plain', ' '],
        ['comment', '# red'],
      ],
    ],
    [
      '  - height: 720',
      [
        ['key', '  - height:'],
        ['plain', ' '],
        ['number', '720'],
      ],
    ],
    [
      "(Footage)/USER/a.jpg: './a.jpg'",
      [
        ['key', '(Footage)/USER/a.jpg:'],
        ['plain', ' '],
        ['string', "'./a.jpg'"],
      ],
    ],
    ['# a: comment', [['comment', '# a: comment']]],
    [
      'url: https://olune.example/a#b',
      [
        ['key', 'url:'],
        ['plain', ' https://olune.example/a#b'],
      ],
    ],
  ])('divides %j', (line, expected) => {
    const tokens = tokenizeYaml(line);
    expect(tokens.map(({ kind, text }) => [kind, text])).toEqual(expected);
    expect(tokens.map(({ text }) => text).join('')).toBe(line);
  });
});
