import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import fastGlob from 'fast-glob';
import { describe, expect, test } from 'vitest';
import { formatYaml, sameTree } from '../../../src/kernel/yaml/format-yaml.ts';
import { parseYaml } from '../../../src/kernel/yaml/parse-yaml.ts';
import { PROPERTY_ORDER } from '../../../src/reconciler/definition/definition-file.ts';
import { definitionFileSchema } from '../../../src/reconciler/schema/definition-schema.ts';
import { runs } from '../../support/full-run.ts';
import { yamlText } from './yaml-arbitrary.ts';

const ROOT = join(import.meta.dirname, '../../..');
const FILE = 'videos/a.yaml';

function formatted(text: string): string {
  const result = formatYaml(FILE, text, PROPERTY_ORDER);
  if (!result.ok) throw new Error(JSON.stringify(result.diagnostics));
  expect(result.value.isKept).toBe(false);
  return result.value.text;
}

/** Returns the comments that `yamlText` writes above properties, sorted. */
function commentsOf(text: string): string[] {
  return (text.match(/# (?:one|two|three|four|five)$/gm) ?? []).sort();
}

/** Returns the properties of the first list of maps in a schema, sorted. */
function propertiesOfItems(schema: unknown): string[] | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  const { items } = schema as { items?: { properties?: object } };
  if (items?.properties !== undefined) return Object.keys(items.properties).sort();
  for (const inner of Object.values(schema)) {
    const found = propertiesOfItems(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

describe('PROPERTY_ORDER', () => {
  test('contains every property of a definition and of a scene', () => {
    const { properties } = definitionFileSchema() as { properties: object };
    expect([...PROPERTY_ORDER.names].sort()).toEqual(Object.keys(properties).sort());
    const { scenes } = properties as { scenes?: object };
    expect([...PROPERTY_ORDER.inside!.scenes!.names].sort()).toEqual(propertiesOfItems(scenes));
  });
});

describe('formatYaml()', () => {
  test.each<[string, string, string]>([
    ['sorts properties', 'resources: {}\ntitle: A\ntemplate: b\n', 'template: b\ntitle: A\nresources: {}\n'],
    ['puts unknown properties last, in their original order', 'zz: 1\ntitle: A\naa: 1\n', 'title: A\nzz: 1\naa: 1\n'],
    ['keeps the order of nested keys', 'resources:\n  t_02: b\n  t_01: a\n', 'resources:\n  t_02: b\n  t_01: a\n'],
    [
      'indents by two spaces',
      'resources:\n      t_01: a\nextends:\n- a\n-   b\n',
      'extends:\n  - a\n  - b\nresources:\n  t_01: a\n',
    ],
    [
      'keeps the spelling of scalars',
      'resources:\n  a: 000000\n  b: 1.10\n  c: no\n  d: 12:30\n  e: 0x10\n  f: 1e3\n  g:\n  h: ~\n  i: \'\'\n  j: "€ 1\\n2"\n',
      'resources:\n  a: 000000\n  b: 1.10\n  c: no\n  d: 12:30\n  e: 0x10\n  f: 1e3\n  g:\n  h: ~\n  i: \'\'\n  j: "€ 1\\n2"\n',
    ],
    ['puts colours into double quotes', "resources:\n  c: '#eeada7'\n", 'resources:\n  c: "#eeada7"\n'],
    [
      'keeps long lines and multi-line texts',
      `resources:\n    a: ${'word '.repeat(40)}end\n    b: plain\n        over lines\n\n        and more\n    c: >-\n       folded\n         more\n\n       text\n    d: "in\n      quotes"\n    e: |\n      as it\n        is\n`,
      `resources:\n  a: ${'word '.repeat(40)}end\n  b: plain\n    over lines\n\n    and more\n  c: >-\n    folded\n      more\n\n    text\n  d: "in\n    quotes"\n  e: |\n    as it\n      is\n`,
    ],
    ['keeps flow collections', 'each: {from: a.csv,  id: "${b}"}\n', 'each: { from: a.csv, id: "${b}" }\n'],
    ['removes CRLF, a byte order mark and trailing space', '\uFEFFtitle: A  \r\nid: a\r\n\r\n', 'id: a\ntitle: A\n'],
    [
      'keeps comments with their properties, and the first ones at the top',
      '# yaml-language-server: $schema=x\n# about the file\n\n# about the title\ntitle: A # at its end\n\n\n# about the template\ntemplate: b\n',
      '# yaml-language-server: $schema=x\n# about the file\n\n# about the template\ntemplate: b\n# about the title\ntitle: A # at its end\n',
    ],
    [
      'treats a single comment above the first property as one about the file',
      '# yaml-language-server: $schema=x\ntitle: A\ntemplate: b\n',
      '# yaml-language-server: $schema=x\ntemplate: b\ntitle: A\n',
    ],
    [
      'writes a key without a value like any other',
      '? id\n? title\nlabels: {? a, b}\n',
      'id:\ntitle:\nlabels: { a, b }\n',
    ],
    [
      'keeps the comments of keys without a value',
      '# over\n? id # behind\n\n# over the next\n? title\nb:\n  # below\n  ? c # end\n',
      '# over\nid: # behind\n\n# over the next\ntitle:\nb:\n  # below\n  c: # end\n',
    ],
    [
      'sorts the properties of scenes, with their comments',
      'scenes:\n  # the start\n  - resources: { t_01: a }\n    # which one\n    template: intro # here\n\n    id: start\n  - { duration: 4, zz: 1, template: card }\ntitle: A\n',
      'title: A\nscenes:\n  # the start\n  - id: start\n    # which one\n    template: intro # here\n    resources: { t_01: a }\n  - { template: card, duration: 4, zz: 1 }\n',
    ],
    [
      'sorts the properties of scenes that a map overrides, not the scenes',
      'extends: a\nscenes:\n  two: { resources: {}, template: b }\n  one:\n    duration: 4\n    template: c\n',
      'extends: a\nscenes:\n  two: { template: b, resources: {} }\n  one:\n    template: c\n    duration: 4\n',
    ],
    ['keeps the order if values are aliases', 'title: &a A\nid: *a\n', 'title: &a A\nid: *a\n'],
  ])('%s', (_, text, expected) => {
    expect(formatted(text)).toBe(expected);
  });

  test('reports the diagnostics of parseYaml()', () => {
    expect(formatYaml(FILE, 'a: [', { names: [] })).toMatchObject({
      ok: false,
      diagnostics: [{ code: 'yaml_syntax' }],
    });
    expect(formatYaml(FILE, 'a: 1\na: 2\n', { names: [] })).toMatchObject({
      diagnostics: [{ code: 'yaml_duplicate_key' }],
    });
  });

  test('accepts the examples of this repository unchanged', () => {
    for (const path of fastGlob.sync('videos/**/*.yaml', { cwd: ROOT, ignore: ['videos/data/**'] })) {
      const text = readFileSync(join(ROOT, path), 'utf8');
      expect(formatted(text), path).toBe(text);
    }
  });

  const ORDER = { names: ['title', 'b'], inside: { scenes: { names: ['id', 'template', 'resources'] } } };
  test('preserves the meaning and every comment, and is idempotent', () => {
    fc.assert(
      fc.property(yamlText, (text) => {
        const result = formatYaml(FILE, text, ORDER);
        const meant = parseYaml(FILE, text);
        expect(result.ok).toBe(meant.ok);
        if (!result.ok || !meant.ok) return;
        const read = parseYaml(FILE, result.value.text);
        expect(read.ok && sameTree(read.value, meant.value)).toBe(true);
        expect(commentsOf(result.value.text)).toEqual(commentsOf(text));
        const again = formatYaml(FILE, result.value.text, ORDER);
        expect(again.ok && again.value.text).toBe(result.value.text);
      }),
      { numRuns: runs(500) },
    );
  });
});
