import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanJson } from '../../../../src/service/server/http/json-body.ts';
import { runs } from '../../../support/full-run.ts';

describe('scanJson()', () => {
  it.each([
    ['{"a": 1,}', 'invalid_json', '#', 'expected a field name in double quotes at line 1, column 9'],
    ['{"a"; 1}', 'invalid_json', '#/a', 'expected a colon at line 1, column 5'],
    ['{"a": [1\n 2]}', 'invalid_json', '#/a', 'expected a comma or ] at line 2, column 2'],
    ['{"a": 1 "b": 2}', 'invalid_json', '#', 'expected a comma or } at line 1, column 9'],
    ['{"a": tru}', 'invalid_json', '#/a', 'expected a value at line 1, column 7'],
    ['[01]', 'invalid_json', '#', 'expected a comma or ] at line 1, column 3'],
    ['"a\nb"', 'invalid_json', '#', 'expected an escaped control character at line 1, column 3'],
    ['"\\x"', 'invalid_json', '#', 'expected a valid escape sequence at line 1, column 2'],
    ['"a', 'invalid_json', '#', 'expected the closing quote of a string at line 1, column 3'],
    ['{} x', 'invalid_json', '#', 'expected the end of the body at line 1, column 4'],
    ['', 'invalid_json', '#', 'expected a value at line 1, column 1'],
    ['{"a": {"b/~": 1, "b/~": 2}}', 'duplicate_field', '#/a/b~1~0', 'duplicate field "b/~"'],
    ['{"a": [{"__proto__": {}}]}', 'forbidden_field', '#/a/0/__proto__', '__proto__ is not allowed as a field name'],
    ['{"\\u005f_proto__": {}}', 'forbidden_field', '#/__proto__', '__proto__ is not allowed as a field name'],
    ['{"constructor": 1}', 'forbidden_field', '#/constructor', 'constructor is not allowed as a field name'],
    ['{"t": "a\\u0000b"}', 'invalid_text', '#/t', 'a string must not contain the NUL character'],
    ['{"t": "\\ud83d"}', 'invalid_text', '#/t', 'a string must not contain an unpaired surrogate'],
    ['{"\\udc00": 1}', 'invalid_text', '#', 'a string must not contain an unpaired surrogate'],
    ['{"n": 1e400}', 'invalid_number', '#/n', 'the number is too large'],
    ['[[[[[1]]]]]', 'too_deep', '#/0/0/0/0', 'nested deeper than 4 levels'],
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
      { numRuns: runs(3000) },
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
