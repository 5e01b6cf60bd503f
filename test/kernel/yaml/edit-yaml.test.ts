import { describe, expect, it } from 'vitest';
import { editYaml, type YamlValue } from '../../../src/kernel/yaml/edit-yaml.ts';

const TEXT = `# yaml-language-server: $schema=../schemas/a.json
extends: ../_launch.yaml   # the season
title: 'Tide, the speaker'

resources:
  # Keep it short.
  t_01: A room full of sea
  t_05: "€ 249\\nfrom 3 October" # the price
  t_06: >-
    one long line
    that is folded
  c_01: "#0D2733"
  (Footage)/USER/hero.jpg:
    source: { remote_url: ../images/tide-hero.jpg }
    transform: { crop_strategy: cover, focus_x: 0.5 }
  (Footage)/USER/logo.png: ../images/logo.png
audio:
  music: { source: ../sounds/tide.wav, volume: 0.8 }
`;

function edit(path: readonly string[], value: YamlValue | null, text = TEXT): string {
  return editYaml(text, [{ path, value }]);
}

/** Lines that only one of the texts has. */
function changedLines(after: string, before = TEXT): { readonly removed: string[]; readonly added: string[] } {
  const [a, b] = [before.split('\n'), after.split('\n')];
  return { removed: a.filter((line) => !b.includes(line)), added: b.filter((line) => !a.includes(line)) };
}

describe('editYaml()', () => {
  it.each([
    [['resources', 't_01'], 'A quiet room', '  t_01: A quiet room'],
    [['resources', 't_01'], 'Sea: a room #1', '  t_01: "Sea: a room #1"'],
    [['resources', 't_01'], '007', '  t_01: "007"'],
    [['resources', 't_01'], '', '  t_01: ""'],
    [['title'], "It's Tide", "title: 'It''s Tide'"],
    [['resources', 't_05'], '€ 199', '  t_05: "€ 199" # the price'],
    [['resources', 'c_01'], '#FFFFFF', '  c_01: "#FFFFFF"'],
    [['audio', 'music', 'volume'], 0.5, '  music: { source: ../sounds/tide.wav, volume: 0.5 }'],
    [['resources', '(Footage)/USER/logo.png'], 'a b.png', '  (Footage)/USER/logo.png: a b.png'],
    [['resources', '(Footage)/USER/hero.jpg', 'source', 'remote_url'], 'x.jpg', '    source: { remote_url: x.jpg }'],
  ])('replaces the value at %j by %j on its line alone', (path, value, line) => {
    const { removed, added } = changedLines(edit(path, value));
    expect(added).toEqual([line]);
    expect(removed).toHaveLength(1);
  });

  it('writes texts of several lines, and replaces folded ones', () => {
    const { added } = changedLines(edit(['resources', 't_01'], 'One\nTwo'));
    expect(added).toEqual(['  t_01: |-', '    One', '    Two']);
    const folded = changedLines(edit(['resources', 't_06'], 'short'));
    expect(folded.removed).toEqual(['    one long line', '    that is folded']);
    expect(folded.added).toEqual(['    short']);
  });

  it('replaces a scalar by a map, and a map by a scalar', () => {
    const map = edit(['resources', '(Footage)/USER/logo.png'], { source: 'a.png', focus_x: 0.2 });
    expect(changedLines(map).added).toEqual(['  (Footage)/USER/logo.png:', '    source: a.png', '    focus_x: 0.2']);
    const flow = edit(['resources', '(Footage)/USER/hero.jpg', 'transform'], { crop_strategy: 'contain' });
    expect(changedLines(flow).added).toEqual(['    transform: { crop_strategy: contain }']);
    const scalar = edit(['resources', '(Footage)/USER/hero.jpg'], 'b.jpg');
    expect(changedLines(scalar).added).toEqual(['  (Footage)/USER/hero.jpg: b.jpg']);
  });

  it('adds keys at the end of their map, and missing maps', () => {
    const added = edit(['resources', 't_07'], 'More');
    expect(changedLines(added)).toEqual({ removed: [], added: ['  t_07: More'] });
    expect(added.indexOf('t_07')).toBeLessThan(added.indexOf('audio:'));
    expect(changedLines(edit(['labels', 'season'], 'autumn')).added).toEqual(['labels:', '  season: autumn']);
    expect(changedLines(edit(['audio', 'music', 'loop'], true)).added).toEqual([
      '  music: { source: ../sounds/tide.wav, volume: 0.8, loop: true }',
    ]);
    expect(edit(['resources', 't_01'], 'Hi', 'template: a\nresources:\n')).toBe(
      'template: a\nresources:\n  t_01: Hi\n',
    );
    expect(edit(['title'], 'Hi', 'template: a')).toBe('template: a\ntitle: Hi\n');
  });

  it('removes keys, and maps that become empty', () => {
    expect(changedLines(edit(['resources', 't_06'], null)).removed).toEqual([
      '  t_06: >-',
      '    one long line',
      '    that is folded',
    ]);
    expect(changedLines(edit(['audio', 'music'], null)).removed).toEqual([
      'audio:',
      '  music: { source: ../sounds/tide.wav, volume: 0.8 }',
    ]);
    expect(edit(['description'], null)).toBe(TEXT);
  });

  it('keeps comments where the text cannot be edited in place', () => {
    const text = '# top\nresources: { t_01: a, t_02: b } # all\n';
    expect(edit(['resources', 't_01'], null, text)).toBe('# top\nresources: { t_02: b } # all\n');
  });

  it.each([
    ['the first of a map in braces', ['a', 'b'], null, 'a: {b: 1, c: 2} # all\n', 'a: {c: 2} # all\n'],
    ['the last of a map in braces', ['a', 'c'], null, 'a: {b: 1, c: {d: 2}} # all\n', 'a: {b: 1} # all\n'],
    ['the only one of a map in braces', ['a', 'c', 'd'], null, 'a: {b: 1, c: {d: 2}}\n', 'a: {b: 1}\n'],
    ['a key of a missing map', ['a', 'c', 'd'], null, 'a: {b: 1}\n', 'a: {b: 1}\n'],
    ['a scalar with a list in braces', ['a', 'b'], ['x', 'y'], 'a: {b: x} # all\n', 'a: {b: [ x, y ]} # all\n'],
    ['a scalar with a list', ['a'], ['x', 'y'], 'a: x # all\n', 'a: [ x, y ] # all\n'],
    ['a scalar with a map in braces', ['a', 'b'], { c: 1 }, 'a: {b: x}\n', 'a: {b: { c: 1 }}\n'],
  ] as const)('changes %s on its line', (_, path, value, text, expected) => {
    expect(edit(path, value, text)).toBe(expected);
  });

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
  ])('adds a name to %s', (_, text, expected) => {
    expect(edit(['templates', 'new'], './n', text)).toBe(expected);
  });
});
