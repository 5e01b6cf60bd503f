import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseYaml } from '../../../src/kernel/yaml/parse-yaml.ts';
import { child, locateIn, type MapNode, type TreeNode, textOf, toJson } from '../../../src/kernel/yaml/tree.ts';
import { runs } from '../../support/full-run.ts';

function parse(text: string): TreeNode | null {
  const parsed = parseYaml('a.yaml', text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.diagnostics));
  return parsed.value;
}

/** Returns `code@offset` of each diagnostic. */
function problems(text: string): string[] {
  const parsed = parseYaml('a.yaml', text);
  return parsed.ok ? [] : parsed.diagnostics.map(({ code, at }) => `${code}@${at?.start}`);
}

describe('a wrong layout', () => {
  it.each([
    [
      'a: 1\nb:\n  c: 2\n   d: 3\n',
      'd: 3',
      'The line begins with 3 spaces, which matches no entry above it',
      'with 2 spaces',
    ],
    ['a: 1\n b: 2\nc: 3\n', 'b: 2', 'The line begins with 1 space, which matches no entry above it', 'without spaces'],
    ['a: 1\r\n\r\n  # why\r\n b: 2\r\n', 'b: 2', 'The line begins with 1 space, which', 'the same number'],
    ['a:\n  b: 1\n c: 2\n', 'c: 2', 'The line begins with 1 space, which matches no entry above it', 'the same number'],
    ['a:\n  b:\n    text\n   c: 2\n', 'c: 2', 'The line begins with 3 spaces, which', 'the same number'],
    ['s:\n  - a\n  - b: 1\n   c: 2\n', 'c: 2', 'The line begins with 3 spaces, which', 'the same number'],
    ['a:\n  b 1\n  c: 2\n', 'b 1', 'The line has no ": " after its key', 'key: value'],
    ['a: b: c\n', 'b: c', 'There is a second ": " in a value on one line', 'Quote'],
  ])('is reported once, at the line that is wrong: %j', (text, line, message, hint) => {
    const parsed = parseYaml('a.yaml', text);
    const found = parsed.ok ? [] : parsed.diagnostics;
    expect(found).toMatchObject([{ code: 'yaml_syntax', at: { start: text.indexOf(line) } }]);
    expect(found[0]!.message).toContain(message);
    expect(found[0]!.hint).toContain(hint);
  });
});

describe('a missing closing quote', () => {
  it.each([
    ['a value to the end of the file', "a: 1\nb: 'x\nc: 2\n", "'x"],
    ['a value before a line that is indented less', 'a: "x\nb: 1\nc: "y"\n', '"x'],
    ['a value before a quoted one', 'a:\n  b: "x\n    - "y"\nc: 1\n', '"x'],
    ['a value in CR LF', 'a: 1\r\nb: "x y \r\nc: 2\r\n', '"x y'],
    ['a value in a list', '- "x\n- y\n', '"x'],
    ['a value in braces', 'a: {b: "x, c: 1}\nd: 2\n', '"x, c: 1}'],
    ['a value with an anchor', "a: &b 'x\n", "'x"],
    ['a key', 'a: 1\n"b: 2\nc: 3\n', '"b: 2'],
    ['a single-quoted key', "a: 1\n'b: 2\nc: 3\n", "'b: 2"],
    ['a key before a quoted value', 'a: 1\n"b: 2\nc: "x"\n', '"b: 2'],
    ['a key in braces', 'a: {"b: 1, c: 2}\nd: 3\n', '"b: 1, c: 2}'],
    ['the first key', '"a: 1\nb: 2\n', '"a: 1'],
    ['the first of two', '- a: "x\n  b: "y\n', '"x'],
  ])('of %s is reported once, where the quote opens', (_, text, quoted) => {
    const start = text.indexOf(quoted);
    const parsed = parseYaml('a.yaml', text);
    const quote = quoted[0]!;
    expect(parsed.ok ? [] : parsed.diagnostics).toEqual([
      {
        code: 'yaml_syntax',
        severity: 'error',
        message: `The closing ${quote} of this text is missing`,
        hint: expect.stringContaining(`Add ${quote} at the end of the text`),
        at: { file: 'a.yaml', start, end: start + quoted.length },
      },
    ]);
  });

  it('does not hide an earlier mistake, and is no other mistake', () => {
    expect(problems("a: b: c\nd: 'x\n")).toEqual(['yaml_syntax@3', 'yaml_syntax@11']);
    expect(problems('a: "x\n  y"\n')).toEqual([]);
    expect(problems("a: 'it's\n")).toEqual(['yaml_syntax@7']);
  });
});

describe('a missing closing bracket', () => {
  it.each([
    ['a list before a line that is indented less', 'a: [x, y\nb: 1\n', ['[x, y']],
    ['a list to the end of the file', 'a: [x, y', ['[x, y']],
    ['a map', 'a: { t: 1\r\nb: 2\r\n', ['{ t: 1']],
    ['a list in a map', 'a: { t: [x, y }\nb: 1\n', ['[x, y }']],
    ['a map in a list', 'a: [1, {b: 2], 3]\n', ['{b: 2], 3]']],
    ['a map around another', 'a: { b: { c: 1 }\nd: 2\n', ['{ b: { c: 1 }']],
    ['both', 's:\n  - r: { t: H, u: [x, y\n  - id: b\n    t: c\n', ['{ t: H, u: [x, y', '[x, y']],
    ['two lists', 'a: [x\nb: [y\nc: 1\n', ['[x', '[y']],
    ['a list of several lines', 'a: [\n  b,\n  c\nd: 1\n', ['[']],
    ['a list before an open quote', 'a: [x\nb: "y\nc: 1\n', ['[x', '"y']],
  ])('of %s is reported once, where the bracket opens', (_, text, opened) => {
    const parsed = parseYaml('a.yaml', text);
    const expected = opened.map((open) => {
      const start = text.indexOf(open);
      const of = { '[': 'The closing ] of this list', '{': 'The closing } of this map' }[open[0]!];
      return {
        code: 'yaml_syntax',
        message: `${of ?? 'The closing " of this text'} is missing`,
        at: { file: 'a.yaml', start, end: start + open.length },
      };
    });
    expect(parsed.ok ? [] : parsed.diagnostics).toMatchObject(expected);
    expect(expected).toHaveLength(parsed.ok ? 0 : parsed.diagnostics.length);
  });

  it('does not hide an earlier mistake, and is no other mistake', () => {
    expect(problems('a: b: c\nd: [x\n')).toEqual(['yaml_syntax@3', 'yaml_syntax@11']);
    expect(problems('a: [x, y]\nb: {}\n')).toEqual([]);
    expect(problems('a: ["x, y]\nb: 1\n')).toEqual(['yaml_syntax@4']);
  });
});

describe('parseYaml()', () => {
  it.each([
    ['1.10', 1.1, '1.10'],
    ['000000', 0, '000000'],
    ['12E456', '12E456', '12E456'],
    ['12345678901234567890', '12345678901234567890', '12345678901234567890'],
    ['0x10', 16, '0x10'],
    ['no', 'no', 'no'],
    ['true', true, 'true'],
    ['12:30', '12:30', '12:30'],
    ['2026-01-01', '2026-01-01', '2026-01-01'],
    ['"a\\tb"', 'a\tb', 'a\tb'],
    ["'it''s'", "it's", "it's"],
    ['|\n  a\n  b\n', 'a\nb\n', 'a\nb\n'],
    ['>\n  a\n  b\n', 'a b\n', 'a b\n'],
  ])('reads the scalar %s by the core schema and keeps its text', (yaml, value, text) => {
    expect(child(parse(`key: ${yaml}`), 'key')).toMatchObject({ kind: 'scalar', value, text });
  });

  it.each(['', '# a comment\n', '---\n', '\ufeff'])('returns null for the empty text %j', (text) => {
    expect(parse(text)).toBeNull();
  });

  it('records the locations of keys and values', () => {
    const text = 'a: 1\nb:\n  c: [x, "y"]\n';
    const root = parse(text) as MapNode;
    const list = child(child(root, 'b'), 'c');
    const slice = ({ start, end }: { start: number; end: number }): string => text.slice(start, end);
    expect(slice(root.entries.get('b')!.keySpan)).toBe('b');
    expect(list?.kind === 'list' && list.items.map(({ span }) => slice(span))).toEqual(['x', '"y"']);
  });

  it('ignores %YAML 1.1', () => {
    const root = parse('%YAML 1.1\n---\na: yes\nb: 012\nc: 1:30\n');
    expect(toJson(root!, () => false)).toEqual({ a: 'yes', b: 12, c: '1:30' });
  });

  it('resolves aliases', () => {
    expect(toJson(parse('a: &x {b: 1}\nc: *x\n')!, () => false)).toEqual({ a: { b: 1 }, c: { b: 1 } });
  });

  it('suggests quotes if a colour is read as a comment', () => {
    expect(child(parse('c_01: #EEADA7\n'), 'c_01')).toMatchObject({
      value: null,
      hint: expect.stringContaining('"#EEADA7"'),
    });
    expect(child(parse('c_01:\n'), 'c_01')).not.toHaveProperty('hint');
  });

  it.each([
    ['a: b: c', ['yaml_syntax@3']],
    ['a:\n\t- b', ['yaml_syntax@3']],
    ['a: "x', ['yaml_syntax@3']],
    ['b: {x: ${y}}\n', ['yaml_syntax@8']],
    ['a: *nope', ['yaml_syntax@3']],
    ['a: 1\nb: 2\na: 3\nb: 4', ['yaml_duplicate_key@10', 'yaml_duplicate_key@15']],
    ['a: !!str 5\nb: !foo x', ['yaml_unsupported@9', 'yaml_unsupported@19']],
    ['? [a]\n: 1', ['yaml_unsupported@2']],
    ['<<: {a: 1}', ['yaml_unsupported@0']],
    ['__proto__: {a: 1}', ['yaml_unsupported@0']],
    ['a: &x k\n*x : 1', ['yaml_unsupported@8']],
    ['a: 1\n---\nb: 2\n', ['yaml_unsupported@5']],
    ['a: "\\u0000"\nb: "\\x1b[2J"\n"\\u007f": 1', ['yaml_unsupported@3', 'yaml_unsupported@15', 'yaml_unsupported@25']],
    ['a: "\\ud800"', ['yaml_unsupported@3']],
    ['a: &x [*x]', ['yaml_too_complex@7']],
  ])('refuses %j', (text, expected) => {
    expect(problems(text)).toEqual(expected);
  });

  it('reports duplicates, tags and control characters of a file at once', () => {
    expect(problems('a: !x 1\na: 2\nb: "\\0"').map((problem) => problem.split('@')[0])).toEqual([
      'yaml_unsupported',
      'yaml_duplicate_key',
      'yaml_unsupported',
    ]);
  });

  it.each([
    [
      'an alias bomb',
      `a0: &a0 [x, x]\n${Array.from({ length: 40 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]\n`).join('')}`,
    ],
    ['100,000 levels', '['.repeat(100_000)],
    ['100 levels', `a: ${'['.repeat(100)}${']'.repeat(100)}`],
    ['more than a mebibyte', `a: ${'x'.repeat(1 << 20)}`],
  ])('refuses %s', (_, text) => {
    expect(problems(text)[0]).toMatch(/^yaml_too_complex@/);
  });

  it.each(['['.repeat(20_000), '{a: '.repeat(20_000)])(
    'names the depth when the stack of the parser is full',
    (text) => {
      const result = parseYaml('a.yaml', `a: ${text}`);
      const messages = result.ok ? [] : result.diagnostics.map(({ message }) => message);
      expect(messages).toContain('The value is nested more than 64 levels deep');
      expect(messages.join()).not.toContain('call stack');
    },
  );

  it('reads 100,000 keys in a map', () => {
    const text = Array.from({ length: 100_000 }, (_, i) => `k${i}:`).join('\n');
    expect((parse(text) as MapNode).entries.size).toBe(100_000);
  });

  it('never throws and keeps spans inside the text', () => {
    const yamlish = fc
      .array(
        fc.constantFrom(
          'a',
          ':',
          ' ',
          '\n',
          '- ',
          '&x ',
          '*x',
          '"',
          "'",
          '{',
          '}',
          '[',
          ']',
          '#',
          '|',
          '>',
          '!',
          '%',
          '\t',
          '\u0000',
          '\ud800',
          '?',
          ',',
          '---\n',
          '<<',
        ),
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(yamlish, fc.string({ unit: 'binary' })), (text) => {
        const parsed = parseYaml('a.yaml', text);
        if (parsed.ok) return;
        expect(parsed.diagnostics.length).toBeGreaterThan(0);
        for (const { at } of parsed.diagnostics) expect(at!.start).toBeLessThanOrEqual(text.length + 1);
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('reads JSON', () => {
    const json = fc.dictionary(
      fc.string().filter((key) => key !== '__proto__' && key !== '<<' && !/[\x00-\x1f\x7f-\x9f]/.test(key)),
      fc.oneof(
        fc.integer(),
        fc.boolean(),
        fc.string({ unit: 'grapheme' }).filter((text) => !/[\x00-\x1f\x7f-\x9f]/.test(text)),
      ),
    );
    fc.assert(
      fc.property(json, (value) => {
        expect(toJson(parse(JSON.stringify(value))!, () => false)).toEqual({ ...value });
      }),
    );
  });
});

describe('locateIn()', () => {
  const text = 'title: Hello\nresources:\n  t_01: {source: {text: Hi}}\n  c_01:\nlist: [a, b]\n';
  const locate = locateIn(parse(text)!);
  it.each([
    [['title'], 'value', 'Hello'],
    [['title'], 'key', 'title'],
    [['resources', 't_01', 'source', 'text'], 'value', 'Hi'],
    [['resources', 't_01', 'source'], 'key', 'source'],
    [['resources'], 'value', 'resources'],
    [['resources', 'c_01'], 'value', 'c_01'],
    [['list', '1'], 'value', 'b'],
    [['resources', 'absent'], 'value', 'resources'],
    [['absent'], 'value', 'title'],
    [[], 'value', 'title'],
  ] as const)('finds the location of %j: its %s', (path, part, expected) => {
    const { start, end } = locate(path, part).span;
    expect(text.slice(start, end)).toBe(expected);
  });
});

describe('toJson()', () => {
  it('returns the text of scalars where requested', () => {
    const root = parse('title: 1.10\nn: 1.10\nempty:\n');
    expect(toJson(root!, ([first]) => first === 'title')).toEqual({ title: '1.10', n: 1.1, empty: null });
    expect(textOf(child(root, 'empty'))).toBeNull();
  });
});

describe('an unfinished merge', () => {
  it('is reported once, at its start', () => {
    const text = 'title: a\n<<<<<<< HEAD\nid: a\n=======\nid: b\n>>>>>>> other\n';
    const result = parseYaml('a.yaml', text);
    expect(result).toMatchObject({ ok: false, diagnostics: [{ code: 'yaml_syntax', at: { start: 9, end: 21 } }] });
    expect(!result.ok && result.diagnostics).toHaveLength(1);
  });
});
