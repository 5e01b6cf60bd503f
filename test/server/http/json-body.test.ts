import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanJson } from '../../../src/server/http/json-body.ts';

describe('scanJson()', () => {
  it.each([
    ['{"a": 1,}', 'invalid_json', '#', 'expected a field name in double quotes at line 1, column 9'],
    ['{"a"; 1}', 'invalid_json', '#/a', 'expected a colon at line 1, column 5'],
    ['{"a": [1\n 2]}', 'invalid_json', '#/a', 'expected a comma or ] at line 2, column 2'],
    ['{"a": 1 "b": 2}', 'invalid_json', '#', 'expected a comma or } at line 1, column 9'],
    ['{"a": tru}', 'invalid_json', '#/a', 'expected a value at line 1, column 7'],
    ['[01]', 'invalid_json', '#', 'expected a comma or ] at line 1, column 3'],
    ['"a\nb"', 'invalid_json', '#', 'expected no control character in a text at line 1, column 3'],
    ['"\\x"', 'invalid_json', '#', 'expected an escape that JSON has at line 1, column 2'],
    ['"a', 'invalid_json', '#', 'expected the end of a text at line 1, column 3'],
    ['{} x', 'invalid_json', '#', 'expected nothing after the value at line 1, column 4'],
    ['', 'invalid_json', '#', 'expected a value at line 1, column 1'],
    ['{"a": {"b/~": 1, "b/~": 2}}', 'duplicate_field', '#/a/b~1~0', '"b/~" stands twice in one object'],
    ['{"a": [{"__proto__": {}}]}', 'forbidden_field', '#/a/0/__proto__', '__proto__ cannot be the name of a field'],
    ['{"\\u005f_proto__": {}}', 'forbidden_field', '#/__proto__', '__proto__ cannot be the name of a field'],
    ['{"constructor": 1}', 'forbidden_field', '#/constructor', 'constructor cannot be the name of a field'],
    ['{"t": "a\\u0000b"}', 'invalid_text', '#/t', 'a text cannot hold the character NUL'],
    ['{"t": "\\ud83d"}', 'invalid_text', '#/t', 'a text cannot hold half of a surrogate pair'],
    ['{"\\udc00": 1}', 'invalid_text', '#', 'a text cannot hold half of a surrogate pair'],
    ['{"n": 1e400}', 'invalid_number', '#/n', 'the number is too large'],
    ['[[[[[1]]]]]', 'too_deep', '#/0/0/0/0', 'more than 4 levels'],
  ])('rejects %j: %s', (text, code, pointer, detail) => {
    expect(scanJson(text, 4)).toEqual({ code, pointer, detail });
  });

  it.each(['null', ' {"a" : [ ] , "b":{}}\r\n', '"\\ud83d\\ude00"', '-0.5e+3', '[[[[1]]]]', '"\\"\\\\/"'])(
    'accepts %s',
    (text) => {
      expect(scanJson(text, 4)).toBeNull();
    },
  );

  it('accepts all output of JSON.stringify, however it is indented', () => {
    const plain = fc
      .jsonValue({ maxDepth: 5 })
      .filter((value) => !/__proto__|constructor|prototype|\\u0000|\\ud/.test(JSON.stringify(value)));
    fc.assert(
      fc.property(plain, fc.constantFrom(0, 1, '\t'), (value, indent) => {
        expect(scanJson(JSON.stringify(value, null, indent), 32)).toBeNull();
      }),
    );
  });

  it('reports invalid JSON for exactly the texts that JSON.parse rejects', () => {
    const text = fc.oneof(
      fc
        .array(
          fc.constantFrom(
            '{',
            '}',
            '[',
            ']',
            ',',
            ':',
            '"',
            '\\',
            'a',
            '1',
            '-',
            '.',
            'e',
            '0',
            'true',
            'null',
            ' ',
            '\n',
            '"a"',
          ),
          { maxLength: 12 },
        )
        .map((parts) => parts.join('')),
      fc.string({ maxLength: 10 }),
    );
    fc.assert(
      fc.property(text, (candidate) => {
        let parses = true;
        try {
          JSON.parse(candidate);
        } catch {
          parses = false;
        }
        expect(scanJson(candidate, 32)?.code === 'invalid_json').toBe(!parses);
      }),
      { numRuns: 3000 },
    );
  });

  it('stops at once on extreme nesting', () => {
    expect(scanJson('['.repeat(1_000_000), 32)?.code).toBe('too_deep');
    const fields = Array.from({ length: 1_001 }, (_, index) => `"k${index}":0`).join();
    expect(scanJson(`{${fields}}`, 32)?.code).toBe('too_many_fields');
    expect(scanJson(`[${'0,'.repeat(10_000)}0]`, 32)?.code).toBe('too_many_values');
    expect(scanJson(`"${'x'.repeat(100_001)}"`, 32)?.code).toBe('text_too_long');
    expect(scanJson('{"a":'.repeat(200_000), 32)?.code).toBe('too_deep');
  });
});
