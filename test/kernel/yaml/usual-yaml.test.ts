import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseAnyYaml } from '../../../src/kernel/yaml/parse-yaml.ts';
import { readUsualYaml } from '../../../src/kernel/yaml/usual-yaml.ts';
import { runs } from '../../support/full-run.ts';
import { yamlText } from './yaml-arbitrary.ts';

const ROOT = join(import.meta.dirname, '../../..');

const repositoryTexts = ['videos', 'gallery', 'templates', 'starter', 'deploy']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(ROOT, folder, name)),
  )
  .filter((file) => /\.ya?ml$/.test(file))
  .map((file) => readFileSync(file, 'utf8'));

/** @returns whether the text is written in the usual way */
function reads(text: string): boolean {
  const tree = readUsualYaml('a.yaml', text);
  if (tree !== null) expect({ ok: true, value: tree }).toStrictEqual(parseAnyYaml('a.yaml', text));
  return tree !== null;
}

/** Parts of texts, in which most mistakes and rare forms can come about. */
const PARTS = [
  ...['a', 'b', 'key', '-', '- ', ': ', ':', ' ', '  ', '    ', '\n', '\n', '\n  ', '\n    ', '\n- ', '\n  - '],
  ...['#', ' # c', '\n# c\n', '\n  # c\n', '{', '}', '[', ']', ', ', ',', '"', "'", '"x y"', "'it''s'", '\\n', '"\\n"'],
  ...[
    '1',
    '-5',
    '1.10',
    '-0',
    '0x1F',
    'true',
    'null',
    '~',
    '1e5',
    '.5',
    '.',
    '..',
    '12:30',
    'http://a.b/c#d',
    '$',
    '${',
  ],
  ...[
    '&x ',
    '*x',
    '!t ',
    '|\n',
    '>-\n',
    '|\n  x\n  y\n',
    '>\n    x\n',
    '\n  {a: b}\n',
    '? ',
    '---',
    '...',
    '%',
    '@',
    '`',
    '/',
    '(',
    ')',
    './b',
    '__proto__: 1',
    '<<: 1',
  ],
  ...['é', '😀', '\ud800', '\u2028', '\u00a0', '\u3000', '\t', '\r\n', '\ufeff', '\0', '\x85'],
  ...['a: b', 'key: value\n', '(Footage)/USER/a.jpg: ./b\n', 'c: {x: y, z: [1, a b]}\n', '- id: x\n'],
];
const part = fc.constantFrom(...PARTS);
const assembled = fc.array(part, { maxLength: 14 }).map((parts) => parts.join(''));
const changed = fc
  .tuple(
    fc.constantFrom(...repositoryTexts.filter(({ length }) => length < 3_000)),
    fc.array(fc.tuple(fc.nat(), part, fc.nat(3)), { maxLength: 3 }),
  )
  .map(([text, changes]) =>
    changes.reduce((all, [place, added, removed]) => {
      const at = place % (all.length + 1);
      return all.slice(0, at) + added + all.slice(at + removed);
    }, text),
  );

describe('readUsualYaml()', () => {
  test.each([
    'template: card\nresources:\n  t_01: Hello\n  "c_01": x\n',
    'a: |\n  text\n\nb: 1\n',
    'a: >-\n  text\n    more\n',
    'a: |+\n  text\n',
    'a: |\n  text',
    'a: |\ntext\n',
    'a: &x 1\nb: *x\n',
    'a:\n',
    'a: b: c\n',
    'a: 1\na: 2\n',
    'a:\n  b: 1\n c: 2\n',
    'a: text\n  goes on\n',
    'a: 0x1F\n',
    'a: 9007199254740993\n',
    'a: "\\u0041"\n',
    'a: b\r\n',
    '- a\n- b\nc: d\n',
    'a: [b, ]\n',
    '__proto__: a\n',
    '',
  ])('leaves %j to the parser', (text) => {
    expect(readUsualYaml('a.yaml', text)).toBeNull();
  });

  test.each([
    '# A comment\ntemplate: card # one\n\nresources:\n  t_01: Hello, world: no\n'.replace(': no', ' (no)'),
    'scenes:\n- id: a\n  template: card\n  transition: { type: fade, duration: 0.4 }\n- id: b\n',
    'a:\n  - - 1\n    - -2.50\n  -\n    b: true\n',
    'a: "it\\\\s \\"x\\""\nb: \'it\'\'s\'\nc: http://a.b/c#d',
    '(Footage)/USER/a.jpg: { source: ./a.jpg, start: 1.5, tags: [], more: {} }\n',
    'a: >-\n  one: two\n  # three\nb:\n  - |\n   x\n   y\n  # comment\n  - c: >\n      z\n',
    'a: |-\n  text\n',
    'a:\n  # comment\n  { b: 1 }\nc: 2\n',
  ])('reads %j', (text) => {
    expect(reads(text)).toBe(true);
  });

  it('returns the tree of the parser for the files of this repository, and reads most of them', () => {
    const usual = repositoryTexts.filter(reads);
    expect(usual.length).toBeGreaterThan(repositoryTexts.length / 2);
  });

  it.each([
    ['written', yamlText, 5_000],
    ['assembled', assembled, 50_000],
    ['changed', changed, 5_000],
  ] as const)('returns the tree of the parser or nothing for texts that are %s', (_, texts, count) => {
    let usual = 0;
    fc.assert(
      fc.property(texts, (text) => {
        usual += Number(reads(text));
      }),
      { numRuns: runs(count) },
    );
    expect(usual).toBeGreaterThan(runs(count) / 200);
  });
});
