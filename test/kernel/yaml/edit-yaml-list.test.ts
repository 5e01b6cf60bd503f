import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { editYaml, editYamlList, type YamlListEdit } from '../../../src/kernel/yaml/edit-yaml.ts';
import { parseYaml } from '../../../src/kernel/yaml/parse-yaml.ts';
import { child, toJson } from '../../../src/kernel/yaml/tree.ts';

const TEXT = `title: Spring   # the season
scenes:
  # Opens every film.
  - template: intro
    resources: {t_01: Spring}

  # One for each product.
  - id: product
    template: card   # the small card
    resources:
      t_01: "\${name}"
      # Keep it short.
      t_02: "\${price}"
  - {template: outro, when: "\${offer}"}
audio: {music: sounds/spring.mp3}
`;

function scenesOf(text: string): unknown[] {
  const parsed = parseYaml('', text);
  if (!parsed.ok) throw new Error(text);
  return toJson(child(parsed.value, 'scenes')!, () => false) as unknown[];
}

const edit = (change: YamlListEdit, text = TEXT): string => editYamlList(text, ['scenes'], change);

describe('editYamlList()', () => {
  it('moves an item with the comments above it, and changes no line', () => {
    expect(edit({ kind: 'move', from: 1, to: 2 })).toBe(`title: Spring   # the season
scenes:
  # Opens every film.
  - template: intro
    resources: {t_01: Spring}

  - {template: outro, when: "\${offer}"}
  # One for each product.
  - id: product
    template: card   # the small card
    resources:
      t_01: "\${name}"
      # Keep it short.
      t_02: "\${price}"
audio: {music: sounds/spring.mp3}
`);
  });

  it('removes an item with its comments', () => {
    const after = edit({ kind: 'remove', index: 1 });
    expect(scenesOf(after)).toEqual([scenesOf(TEXT)[0], scenesOf(TEXT)[2]]);
    expect(after).not.toContain('One for each product');
    expect(after).toContain('# Opens every film.');
  });

  it('adds an item in the form of the list', () => {
    const value = { template: 'card', resources: { t_01: 'Lamp: new' } };
    const after = edit({ kind: 'insert', index: 2, value });
    expect(after).toContain('  - template: card\n    resources:\n      t_01: "Lamp: new"\n  - {template: outro');
    expect(scenesOf(after)).toHaveLength(4);
    expect(scenesOf(edit({ kind: 'insert', index: 3, value }))[3]).toEqual(value);
  });

  it('keeps what an editable of an item does not change', () => {
    const after = editYaml(TEXT, [{ path: ['scenes', '1', 'resources', 't_02'], value: 'Free' }]);
    expect(after).toBe(TEXT.replace('"${price}"', '"Free"'));
    const longer = editYaml(TEXT, [{ path: ['scenes', '0', 'duration'], value: 4.5 }]);
    expect(longer).toBe(TEXT.replace('{t_01: Spring}\n', '{t_01: Spring}\n    duration: 4.5\n'));
    expect(editYaml(longer, [{ path: ['scenes', '0', 'duration'], value: null }])).toBe(TEXT);
  });

  it('edits lists without indentation, in brackets, and at the end of a file', () => {
    const flat = 'scenes:\n- template: a\n- template: b';
    expect(edit({ kind: 'move', from: 1, to: 0 }, flat)).toBe('scenes:\n- template: b\n- template: a');
    const flow = 'scenes: [{template: a}, {template: b}]\n';
    expect(scenesOf(edit({ kind: 'move', from: 0, to: 1 }, flow))).toEqual([{ template: 'b' }, { template: 'a' }]);
  });

  it('refuses an item that does not exist', () => {
    expect(() => edit({ kind: 'remove', index: 3 })).toThrow('scenes has 3 items');
    expect(() => edit({ kind: 'move', from: 0, to: 3 })).toThrow(RangeError);
    expect(() => editYamlList(TEXT, ['audio'], { kind: 'remove', index: 0 })).toThrow('audio is not a list');
  });

  const item = fc.constantFrom(
    '  - template: a\n',
    '  # A comment: with - a dash\n  - template: b\n    title: "x - y"\n',
    '  - {template: c}   # behind\n',
    '  -\n    template: d\n    text: |\n      - not an item\n\n      # nor a comment\n',
    '\n  - template: e\n    resources:\n      t_01: >-\n        long\n        text\n',
  );

  test('moves any item and keeps all lines', () => {
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 6 }), fc.nat(5), fc.nat(5), (items, a, b) => {
        const [from, to] = [a % items.length, b % items.length];
        const text = `scenes:\n${items.join('')}title: End\n`;
        const after = edit({ kind: 'move', from, to }, text);
        const wanted = scenesOf(text);
        wanted.splice(to, 0, ...wanted.splice(from, 1));
        expect(scenesOf(after)).toEqual(wanted);
        expect(after.split('\n').sort()).toEqual(text.split('\n').sort());
      }),
    );
  });
});
